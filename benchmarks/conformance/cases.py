"""The cases of the conformance matrix: histories to send and streams to receive.

A history is a list of turns that each probe writes in its library's own types; a stream is an answer of `FakeBedrock`.
This module does not depend on the libraries.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from toolgen_transcripts.testing import Reply, call, reasoning, stream_events, text

WEATHER = {
    "name": "weather",
    "description": "The weather in a city.",
    "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": True},
}


@dataclass(frozen=True)
class Message:
    """A turn with text (none if it is empty), documents with these names, and a cache point if it is `cached`."""

    role: str
    text: str
    documents: tuple[str, ...] = ()
    cached: bool = False


@dataclass(frozen=True)
class Call:
    """One call; `input` is an object, or a text that is not a JSON object."""

    id: str
    input: Any
    name: str = "weather"


@dataclass(frozen=True)
class Calls:
    """An assistant's turn with calls, after `text` if that is not None, after thinking if it is `signed`."""

    calls: tuple[Call, ...]
    text: str | None = None
    signed: bool = False


@dataclass(frozen=True)
class Result:
    """The result of one call."""

    id: str
    text: str = "grey"
    error: bool = False


@dataclass(frozen=True)
class Results:
    """A turn with results."""

    results: tuple[Result, ...]


Turn = Message | Calls | Results


def items_of(turns: tuple[Turn, ...]) -> list[dict[str, Any]]:
    """Return turns as items of OpenAI's Responses API."""
    items: list[dict[str, Any]] = []
    for turn in turns:
        match turn:
            case Message(role, words):
                items.append({"role": role, "content": words})
            case Results(results):
                items += [
                    {"type": "function_call_output", "call_id": r.id, "output": r.text} for r in results
                ]
            case Calls(calls):
                items += [
                    {
                        "type": "function_call",
                        "call_id": c.id,
                        "name": c.name,
                        "arguments": json.dumps(c.input),
                    }
                    for c in calls
                ]
    return items


@dataclass(frozen=True)
class History:
    """A history that a library must send, with `tools`; a number for `thinking` enables thinking.

    With `items` it is one of OpenAI's Responses API, tools included, for a library that sends these to Bedrock.
    """

    key: str
    title: str
    turns: tuple[Turn, ...]
    tools: tuple[dict[str, Any], ...] = (WEATHER,)
    thinking: int | None = None
    items: tuple[dict[str, Any], ...] = ()
    item_tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Stream:
    """A stream that a library must read, and the inputs with which tools should be run afterwards.

    `forgiven` are the inputs that are also accepted, because their caller looks only at the calls.
    """

    key: str
    title: str
    reply: Reply
    inputs: tuple[Any, ...] = ()
    forgiven: tuple[Any, ...] | None = None


ASK = Message("user", "How is the weather?")
THOUGHT, SIGNATURE = "Let me see.", "c2lnbmF0dXJl"
PDF = b"%PDF-1.4\n%%EOF\n"
PARIS, ROME = Call("t1", {"city": "Paris"}), Call("t2", {"city": "Rome"})
LONG_ID = "call/" + "x" * 70


def _tool(name: str, description: str = "A tool.") -> dict[str, Any]:
    return {**WEATHER, "name": name, "description": description}


def _answered(
    *calls: Call, text: str | None = None, results: tuple[Result, ...] = (Result("t1"),)
) -> tuple[Turn, ...]:
    """Return the turns of a question, its calls and their results."""
    return (ASK, Calls(calls, text), Results(results))


_BOTH = (Result("t1"), Result("t2"))
_TWICE = (Result("t1", "a"), Result("t1", "b"))
_HALF = Call("t1", '{"city":"Par')


def _read(*names: str) -> Message:
    return Message("user", "Read it.", names)


_SIX = tuple(
    turn for at in range(6) for turn in (Message("user", f"q{at}", cached=True), Message("assistant", "a"))
)
_USER = {"role": "user", "content": "How is the weather?"}


def _item(id: str, kind: str = "function_call", **members: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the items of a call and its result."""
    return {"type": kind, "call_id": id, **members}, {"type": f"{kind}_output", "call_id": id, "output": "x"}


_CUSTOM = (_USER, *_item("call_1", "custom_tool_call", name="sql", input="SELECT 1"))
_CUSTOM_TOOLS = ({"type": "custom", "name": "sql", "description": "Run SQL."},)
_CRM, _CRM_RESULT = _item("call_1", name="get", namespace="crm", arguments="{}")
_HR, _HR_RESULT = _item("call_2", name="get", namespace="hr", arguments="{}")
_SPACES = (_USER, _CRM, _HR, _CRM_RESULT, _HR_RESULT)
_GET = {
    "type": "function",
    "name": "get",
    "description": "Get.",
    "parameters": {"type": "object", "properties": {}},
}
_SPACE_TOOLS = tuple(
    {"type": "namespace", "name": name, "description": "Some tools.", "tools": [_GET]}
    for name in ("crm", "hr")
)

HISTORIES = (
    History("plain", "a valid history", _answered(PARIS, ROME, results=_BOTH)),
    History(
        "orphan", "result without its call", (ASK, Message("assistant", "Hm."), Results((Result("t9"),)))
    ),
    History("missing", "call without its result", _answered(PARIS, ROME)),
    History(
        "unanswered",
        "call without its result, then a user message",
        (ASK, Calls((PARIS,)), Message("user", "Never mind.")),
    ),
    History("split", "parallel results in separate messages", (*_answered(PARIS, ROME), Results(_BOTH[1:]))),
    History(
        "late",
        "user text before the result",
        (ASK, Calls((PARIS,)), Message("user", "Well?"), Results(_BOTH[:1])),
    ),
    History(
        "duplicate-call",
        "two calls with one id",
        _answered(PARIS, Call("t1", {"city": "Rome"}), results=_TWICE),
    ),
    History("duplicate-result", "two results for one call", _answered(PARIS, results=_TWICE)),
    History("blank", "empty text next to a call", _answered(PARIS, text="")),
    History("space", "text of white space next to a call", _answered(PARIS, text=" ")),
    History("empty-error", "error result without text", _answered(PARIS, results=(Result("t1", "", True),))),
    History("twice-user", "two consecutive user messages", (ASK, Message("user", "Hello?"))),
    History(
        "assistant-first", "history that begins with the assistant", (Message("assistant", "Hello."), ASK)
    ),
    History(
        "bad-input", "arguments that are not JSON", _answered(_HALF, results=(Result("t1", "no", True),))
    ),
    History(
        "long-id", "call id that Bedrock forbids", _answered(Call(LONG_ID, {}), results=(Result(LONG_ID),))
    ),
    History("no-tools", "calls in the history, but no tools in the request", _answered(PARIS), tools=()),
    History(
        "names",
        "two tools, `a.b` and `a_b`",
        _answered(Call("t1", {}, "a.b"), Call("t2", {}, "a_b"), results=_BOTH),
        tools=(_tool("a.b"), _tool("a_b")),
    ),
    History("no-description", "tool without a description", (ASK,), tools=(_tool("weather", ""),)),
    History(
        "signed",
        "signed thinking before a call",
        (ASK, Calls((PARIS,), signed=True), Results(_BOTH[:1])),
        thinking=2000,
    ),
    History("unsigned", "thinking is on, but the calls have none", _answered(PARIS), thinking=2000),
    History("document", "a document", (Message("user", "Read it.", ("report",)),)),
    History("document-name", "a document called `Report v1.2_final.pdf`", (_read("Report v1.2_final.pdf"),)),
    History("document-names", "two documents with one name", (_read("report", "report"),)),
    History("document-alone", "a document in a message without text", (Message("user", "", ("report",)),)),
    History("cached", "a cache point", (Message("user", "Hello.", cached=True),)),
    History("cached-often", "six cache points", (*_SIX, ASK)),
    History("custom", "call of a custom tool, from OpenAI", (), items=_CUSTOM, item_tools=_CUSTOM_TOOLS),
    History(
        "namespaces",
        "calls of `crm.get` and `hr.get`, from OpenAI",
        (),
        items=_SPACES,
        item_tools=_SPACE_TOOLS,
    ),
)


def _weather(id: str, written: Any) -> Any:
    return call(id, "weather", written)


_PARIS = _weather("t1", {"city": "Paris"})
_THREE = [_weather(f"t{at}", {"city": city}) for at, city in enumerate(("Paris", "Rome", "Oslo"))]
_THREE_INPUTS = tuple({"city": city} for city in ("Paris", "Rome", "Oslo"))
_EVENTS = stream_events([text("Let me look."), _PARIS], "tool_use")
_STOP = next(at for at, event in enumerate(_EVENTS) if "messageStop" in event)
_BROKEN_OFF = [*_EVENTS[:_STOP], {"modelStreamErrorException": {"message": "x"}}]
_TWO = stream_events([_PARIS, _weather("t2", '{"city":"Ro')], "max_tokens")


def _without(key: str) -> list[Any]:
    """Return the events without one member of the start of the call."""
    use = {name: value for name, value in {"toolUseId": "t1", "name": "weather"}.items() if name != key}
    start = {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": 1}}
    return [start if "contentBlockStart" in event else event for event in _EVENTS]


STREAMS = (
    Stream("plain", "a valid stream with three calls", Reply(_THREE), _THREE_INPUTS),
    Stream("interleaved", "three interleaved calls", Reply(_THREE, interleave=True), _THREE_INPUTS),
    Stream(
        "thinking",
        "thinking, text and a call",
        Reply([reasoning("Hm.", "sig"), text("So:"), _PARIS]),
        _THREE_INPUTS[:1],
    ),
    Stream("no-arguments", "a call without arguments", Reply([_weather("t1", "")]), ({},)),
    Stream("no-stop", "stream that ends without messageStop", Reply(events=_EVENTS[:_STOP])),
    Stream("cut", "stream that ends inside the arguments", Reply(events=_EVENTS[: _STOP - 2])),
    Stream(
        "max-tokens", '`{"city":"Par` at max_tokens', Reply([_weather("t1", '{"city":"Par')], "max_tokens")
    ),
    Stream(
        "max-tokens-first",
        "max_tokens inside the second call",
        Reply(events=_TWO),
        forgiven=({"city": "Paris"},),
    ),
    Stream("exception", "exception in the stream", Reply(events=_BROKEN_OFF)),
    Stream("reset", "connection closed", Reply([text("Let me look."), _PARIS], cut=520, reset=True)),
    Stream("checksum", "wrong CRC", Reply([text("Let me look."), _PARIS], spoilt=4)),
    Stream("no-id", "call without an id", Reply(events=_without("toolUseId"))),
    Stream("no-name", "call without a name", Reply(events=_without("name"))),
    Stream(
        "same-id", "two calls of a message with one id", Reply([_PARIS, _weather("t1", {"city": "Rome"})])
    ),
    Stream("nan", "NaN in the arguments", Reply([_weather("t1", '{"city": NaN}')])),
    Stream(
        "twice",
        "a repeated key in the arguments",
        Reply([_weather("t1", '{"city": "Paris", "city": "Rome"}')]),
    ),
    Stream("array", "arguments that are an array", Reply([_weather("t1", '["Paris"]')])),
    Stream("no-json", "arguments that are not JSON", Reply([_weather("t1", "{'city': 'Paris'}")])),
)
