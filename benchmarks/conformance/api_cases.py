"""The cases of the other APIs: histories that a library must send to OpenAI, Anthropic and Gemini.

The turns are those of `cases`. This module does not depend on the libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cases import SIGNATURE, THOUGHT, WEATHER, Call, Calls, Message, Result, Results, Turn

CHAT, RESPONSES, CLAUDE, GEMINI = "openai", "openai_responses", "anthropic", "gemini"
MODELS = {
    CHAT: "gpt-4.1",
    RESPONSES: "gpt-5",
    CLAUDE: "claude-sonnet-4-20250514",
    GEMINI: "gemini-2.5-flash",
}
STRICT_MODEL = "claude-sonnet-4-5"
SIGNING_MODEL = "gemini-3-pro-preview"


@dataclass(frozen=True)
class Request:
    """A history that a library must send to an API.

    `keeps` are texts that the request must have, and `lost` names the loss without them. `items` replace the turns if a
    library takes items of OpenAI's Responses API. `strict` asks for strict tools, `thinking` enables thinking, and
    `moved` means that the history was made at another host of the same API.
    """

    key: str
    title: str
    api: str
    turns: tuple[Turn, ...] = ()
    model: str = ""
    tools: tuple[dict[str, Any], ...] = (WEATHER,)
    keeps: tuple[str, ...] = ()
    lost: str = ""
    items: tuple[dict[str, Any], ...] = ()
    strict: bool = False
    thinking: int | None = None
    moved: bool = False

    @property
    def model_id(self) -> str:
        """The model of the request."""
        return self.model or MODELS[self.api]


ASK = Message("user", "How is the weather?")
PARIS, ROME = Call("call_1", {"city": "Paris"}), Call("call_2", {"city": "Rome"})
_ONE, _TWO = Result("call_1"), Result("call_2")
_SOUND = (ASK, Calls((PARIS, ROME)), Results((_ONE, _TWO)))
_ORPHAN = (ASK, Message("assistant", "Hm."), Results((Result("call_9"),)), Message("user", "Well?"))
_MISSING = (ASK, Calls((PARIS, ROME)), Results((_ONE,)))
_UNSIGNED = (ASK, Calls((PARIS,)), Results((_ONE,)))
_SIGNED = (ASK, Calls((PARIS,), signed=True), Results((_ONE,)))
_LONG_ID = "call_" + "x" * 60


def _tool(name: str, description: str = "A tool.", **members: Any) -> dict[str, Any]:
    schema = {**WEATHER["schema"], "additionalProperties": False, **members}
    return {"name": name, "description": description, "schema": schema}


_UNION = [
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]},
]
_LONG_NAME = "weather_" + "x" * 60
_STRICT = tuple(_tool(f"tool_{at}", required=["city"]) for at in range(21))
_OPTIONAL = _tool("search", properties={f"filter_{at}": {"type": "string"} for at in range(25)})
_MANY = tuple(_tool(f"tool_{at}") for at in range(129))


def _sound(api: str) -> Request:
    return Request(f"{api}-sound", "a valid history", api, _SOUND, keeps=("Paris", "Rome"), lost="a call")


def _paired(api: str) -> tuple[Request, ...]:
    """Return the cases for the rules that every API has for calls and results."""
    return (
        _sound(api),
        Request(f"{api}-orphan", "result without its call", api, _ORPHAN),
        Request(
            f"{api}-missing", "call without its result", api, _MISSING, keeps=("Paris", "Rome"), lost="a call"
        ),
    )


def _reasoned(key: str, title: str, model: str, turns: tuple[Turn, ...], kept: str = THOUGHT) -> Request:
    return Request(
        key, title, CHAT, turns, model, keeps=("Paris", kept) if kept else ("Paris",), lost="reasoning"
    )


_NAMES = (Call("call_1", {}, "a.b"), Call("call_2", {}, "a_b"))
_QUESTION = {"role": "user", "content": "How is the weather?"}
_REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}]}
_ENCRYPTED = {**_REASONING, "encrypted_content": SIGNATURE}
_CALL = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Paris"}'}
_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "grey"}
_CUSTOM = {"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}

REQUESTS = (
    *_paired(CHAT),
    Request(
        "openai-twice",
        "two calls with one id",
        CHAT,
        (ASK, Calls((PARIS, Call("call_1", {"city": "Rome"}))), Results((_ONE, Result("call_1", "wet")))),
        keeps=("Paris", "Rome"),
        lost="a call",
    ),
    Request(
        "openai-id",
        "`tool_call_id` of 65 characters",
        CHAT,
        (ASK, Calls((Call(_LONG_ID, {"city": "Paris"}),)), Results((Result(_LONG_ID),))),
        keeps=("Paris",),
        lost="a call",
    ),
    Request(
        "openai-names",
        "two tools, `a.b` and `a_b`",
        CHAT,
        (ASK, Calls(_NAMES), Results((_ONE, _TWO))),
        tools=(_tool("a.b"), _tool("a_b")),
    ),
    Request("openai-name", "a tool name of 68 characters", CHAT, (ASK,), tools=(_tool(_LONG_NAME),)),
    Request(
        "openai-union",
        "a tool whose schema is a union",
        CHAT,
        (ASK,),
        tools=(_tool("weather", anyOf=_UNION),),
        keeps=("zip",),
        lost="a branch",
    ),
    Request("openai-many", "129 tools", CHAT, (ASK,), tools=_MANY),
    _reasoned("deepseek-kept", "DeepSeek's reasoning before a call", "deepseek-reasoner", _SIGNED),
    _reasoned(
        "deepseek-none", "a call by another model, sent to DeepSeek", "deepseek-reasoner", _UNSIGNED, ""
    ),
    _reasoned("kimi-kept", "Kimi's reasoning before a call", "kimi-k2-thinking", _SIGNED),
    _reasoned("kimi-none", "a call by another model, sent to Kimi", "kimi-k2-thinking", _UNSIGNED, ""),
    *_paired(RESPONSES),
    Request(
        "responses-custom-call",
        "call of a custom tool without its result",
        RESPONSES,
        items=(_QUESTION, _CUSTOM, _QUESTION),
    ),
    Request(
        "responses-custom-result",
        "result of a custom tool without its call",
        RESPONSES,
        items=(_QUESTION, {"type": "custom_tool_call_output", "call_id": "call_9", "output": "1"}),
    ),
    Request(
        "responses-reasoning",
        "a reasoning item before its call",
        RESPONSES,
        _SIGNED,
        items=(_QUESTION, _ENCRYPTED, _CALL, _OUTPUT),
        keeps=("Paris", SIGNATURE),
        lost="reasoning",
    ),
    Request(
        "responses-torn",
        "a reasoning item without the item that followed it",
        RESPONSES,
        items=(_QUESTION, _CALL, _OUTPUT, _ENCRYPTED, _QUESTION),
    ),
    *_paired(CLAUDE),
    Request(
        "claude-late",
        "user text before the result",
        CLAUDE,
        (ASK, Calls((PARIS,)), Message("user", "Well?"), Results((_ONE,))),
        keeps=("Paris", "grey"),
        lost="the result",
    ),
    Request(
        "claude-blank",
        "text of white space next to a call",
        CLAUDE,
        (ASK, Calls((PARIS,), " "), Results((_ONE,))),
    ),
    Request(
        "claude-id",
        "call id `call.1/a`",
        CLAUDE,
        (ASK, Calls((Call("call.1/a", {"city": "Paris"}),)), Results((Result("call.1/a"),))),
        keeps=("Paris",),
        lost="a call",
    ),
    Request(
        "claude-signed",
        "signed thinking before a call",
        CLAUDE,
        _SIGNED,
        keeps=("Paris", SIGNATURE),
        lost="thinking",
        thinking=2000,
    ),
    Request(
        "claude-unsigned",
        "thinking is on, but the calls have none",
        CLAUDE,
        _UNSIGNED,
        keeps=("Paris",),
        lost="a call",
        thinking=2000,
    ),
    Request(
        "claude-strict",
        "21 strict tools",
        CLAUDE,
        (ASK,),
        STRICT_MODEL,
        _STRICT,
        ('"strict": true',),
        "strict",
        strict=True,
    ),
    Request(
        "claude-optional",
        "a strict tool with 25 optional parameters",
        CLAUDE,
        (ASK,),
        STRICT_MODEL,
        (_OPTIONAL,),
        strict=True,
    ),
    Request(
        "claude-union",
        "a tool whose schema is a union",
        CLAUDE,
        (ASK,),
        tools=(_tool("weather", anyOf=_UNION),),
        keeps=("zip",),
        lost="a branch",
    ),
    *_paired(GEMINI),
    Request(
        "gemini-split",
        "parallel results in separate messages",
        GEMINI,
        (ASK, Calls((PARIS, ROME)), Results((_ONE,)), Results((_TWO,))),
        keeps=("Paris", "Rome"),
        lost="a call",
    ),
    Request(
        "gemini-signed",
        "a signed call",
        GEMINI,
        _SIGNED,
        SIGNING_MODEL,
        keeps=("Paris", SIGNATURE),
        lost="the signature",
    ),
    Request(
        "gemini-unsigned",
        "a call by another model, sent to Gemini 3",
        GEMINI,
        _UNSIGNED,
        SIGNING_MODEL,
        keeps=("Paris",),
        lost="a call",
    ),
    Request(
        "gemini-moved",
        "calls that Vertex AI signed, sent to AI Studio",
        GEMINI,
        _SIGNED,
        SIGNING_MODEL,
        keeps=("Paris",),
        lost="a call",
        moved=True,
    ),
    Request(
        "gemini-name",
        "tool `1st/tool`",
        GEMINI,
        (ASK, Calls((Call("call_1", {}, "1st/tool"),)), Results((_ONE,))),
        tools=(_tool("1st/tool"),),
    ),
)
