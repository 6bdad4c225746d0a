"""Requests, responses, streams, tool definitions and errors of every provider: the project's own, and variants."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.providers import MODELS, MODULES
from helpers.support import DATA, TEST_DATA, for_each, table
from recorded_inputs import (
    GIVEN,
    Output,
    Outputs,
    by_name,
    chosen,
    key_of,
    outcome,
    own_tools,
    texts_in,
    tool_of,
    variants,
    wrong_payloads,
)

from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts import (
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    check,
    codec_for,
    decode_response,
    encode_request,
    estimate_tokens,
    explain_provider_error,
    fit,
    repair,
)
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.errors import classify_llm_error, classify_mcp_error

FACTS = {"tools", "model", "thinking", "streaming", "moved", "host"}
ALIASES = {
    "chat": "openai",
    "responses": "openai_responses",
    "claude": "anthropic",
    "steps": "gemini_interactions",
}
RESPONSE_KEYS = {"output", "choices", "candidates", "steps", "stop_reason", "stopReason"}


@functools.cache
def natives() -> dict[str, list[tuple[str, str, Any]]]:
    """Return the requests, responses and streams in the tests' data, each with a name and its provider."""
    found: dict[str, list[tuple[str, str, Any]]] = {"request": [], "response": [], "stream": []}
    for file in sorted(
        [
            *TEST_DATA.glob("provider*.json"),
            *TEST_DATA.glob("hist*.json"),
            *TEST_DATA.glob("corpus/**/*.jsonl"),
        ]
    ):
        text = file.read_text("utf-8")
        for line in text.splitlines() if file.suffix == ".jsonl" else [text]:
            value = json.loads(
                line, object_hook=lambda each: each["$bytes"].encode() if "$bytes" in each else each
            )
            for kind, provider, native in natives_in(value, file.stem if file.stem in MODULES else ""):
                found[kind].append((f"{file.stem}-{key_of([provider, native])}", provider, native))
    for provider in ("openai", "openai_responses"):
        role = {"role": "assistant"} if provider == "openai" else {"role": "assistant", "type": "message"}
        for text in (part for whole in GIVEN["leaked"] for part in (whole, whole[:-14])):
            native = {"choices": [{"message": {**role, "content": text}, "finish_reason": "stop"}]}
            if provider != "openai":
                native = {
                    "output": [{**role, "content": [{"type": "output_text", "text": text}]}],
                    "status": "completed",
                }
            found["response"].append((f"leaked-{key_of(native)}", provider, native))
            found["stream"].append((f"leaked-{key_of(native)}", "openai", [
                *({"choices": [{"delta": {"content": part}}]} for part in (text[:20], text[20:])),
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            ]))  # fmt: skip
    return found


def natives_in(value: Any, provider: str, more: Any = None) -> Iterator[tuple[str, str, Any]]:
    """Yield what a value holds. The provider is the last one that was named on the way."""
    if isinstance(value, dict):
        if provider and wire_of(provider).messages.list_key in value:
            yield "request", provider, (value, {})
        elif provider and value.keys() & RESPONSE_KEYS:
            yield "response", provider, value
        else:
            for key, each in value.items():
                name = ALIASES.get(key, key)
                yield from natives_in(each, name if name in MODULES else provider)
    elif isinstance(value, list) and value:
        if provider and all(isinstance(each, dict) for each in value):
            kind = str(value[0].get("type", ""))
            is_item = kind and "." not in kind and "_start" not in kind and "index" not in value[0]
            if "role" in value[0] or is_item:
                yield "request", provider, (value, more or {})
            else:
                yield "stream", provider, value
            return
        provider = value[0] if isinstance(value[0], str) and value[0] in MODULES else provider
        given = next((each for each in value if isinstance(each, dict) and each.keys() <= FACTS), None)
        for each in value:
            yield from natives_in(each, provider, given)


def said_of_request(value: Any, provider: str, more: Any, salt: str, most: int = 3) -> Iterator[Any]:
    """Yield what is found in a request, how it is repaired, read, written for others and shortened."""
    sent = copy.deepcopy(value)
    yield outcome(check, value, provider, **more), outcome(repair, value, provider, **more)
    ways = [functools.partial(rewritten, other=other) for other in MODULES]
    for way in chosen([*ways, edited, converted, shortened], most, salt):
        yield outcome(way, value, provider, salt=salt)
    assert value == sent, "the input was changed"


def rewritten(value: Any, provider: str, salt: str, other: str) -> Any:
    return MODULES[other].encode_messages(MODULES[provider].decode_messages(value))


def edited(value: Any, provider: str, salt: str) -> Any:
    """Return a history in which each block that was read has been changed a little."""
    read: Transcript = MODULES[provider].decode_messages(value)
    turns = [dataclasses.replace(turn, blocks=tuple(map(edited_block, turn.blocks))) for turn in read.turns]
    return MODULES[provider].encode_messages(dataclasses.replace(read, turns=tuple(turns)))


def edited_block(block: Any) -> Any:
    match block:
        case Text(text):
            return dataclasses.replace(block, text=text + ".")
        case ToolCall():
            same = {key: True if each == 1 else 1.0 for key, each in block.input.items()}
            return dataclasses.replace(block, input=same)
        case ToolResult():
            return dataclasses.replace(block, is_error=not block.is_error)
    return block


def converted(value: Any, provider: str, salt: str) -> Any:
    target = chosen(MODULES, 1, f"{salt}target")[0]
    options: dict[str, Any] = {
        **chosen(({}, {"cache": True}, {"cache": "1h"}, {"streaming": True}, {"moved": True}), 1, salt)[0],
        **chosen(({}, {"strict": "auto"}, {"strict": True}, {"choice": "required"}), 1, salt)[0],
    }
    made = encode_request(value, None, target, model=MODELS[target], origin=provider, **options)
    return made.request, made.diagnostics, made.changes, made.remaining


def shortened(value: Any, provider: str, salt: str) -> Any:
    messages = value if isinstance(value, list) else value[wire_of(provider).messages.list_key]
    sizes = [estimate_tokens(message) for message in messages]
    share, keep, clear = chosen(((2, 1, None), (3, 2, 1), (1, 1, 0), (5, 1, 2), (2, 3, None)), 1, salt)[0]
    return sizes, fit(value, provider, max_tokens=sum(sizes) // share + 1, keep=keep, clear_results=clear)


def requests() -> Iterator[Output]:
    for name, provider, (value, more) in natives()["request"]:
        yield name, list(said_of_request(value, provider, more, name))
        for at, other in enumerate(variants(value, 3)):
            if isinstance(other, dict | list):
                yield name, list(said_of_request(other, provider, more, f"{name}{at}", 1))


def responses() -> Iterator[Output]:
    for name, provider, value in natives()["response"]:
        for each in [value, *variants(value, 8)]:
            for said in said_of_response(each, provider):
                yield name, said


def said_of_response(value: Any, provider: str) -> Iterator[Any]:
    """Yield how a response is read, and what a loop sends back for its calls."""
    module = MODULES[provider]
    yield outcome(decode_response, value, provider), outcome(module.parse_tool_uses, value)
    calls = outcome(module.read_tool_uses, value, leaked="read")
    yield calls
    found = [] if isinstance(calls, Exception) else [call.name for call in calls if call.name]
    tools = [
        {"name": tool, "description": "", "schema": {"required": ["a"]}} for tool in dict.fromkeys(found)
    ]
    ran = outcome(
        loop.results, value, Conversation(tools), lambda tool, payload: [tool, payload], provider=provider
    )
    yield (ran if isinstance(ran, Exception) else (list(ran), ran.left, [one.facts() for one in ran.outputs]))
    yield outcome(lambda: loop.readable(value["choices"][0]["message"]))


def said_of_stream(events: Any, provider: str) -> Iterator[Any]:
    """Yield what an assembler says of each event and of the whole, and what it says if the connection breaks."""
    for leaked, is_broken in (("report", True), ("read", False)):
        assembler = MODULES[provider].StreamAssembler(leaked=leaked)
        yield outcome(list, assembler.read(broken(events) if is_broken else iter(events)))
        done = outcome(assembler.finish)
        yield done
        if not isinstance(done, Exception):
            yield done.text, done.calls, len(done.ready_calls), outcome(done.turn)


def broken(events: list[Any]) -> Iterator[Any]:
    yield from events[:-1]
    raise ConnectionError("reset by peer")


def streams() -> Iterator[Output]:
    for name, provider, value in natives()["stream"]:
        for each in [value, *variants(value, 8)]:
            if isinstance(each, list):
                yield name, list(said_of_stream(each, provider))


CHOICES = (
    "auto",
    "required",
    "look_up",
    ["look_up", "look_up"],
    {"tools": ["look_up"], "mode": "auto"},
    "none",
    "validated",
)


def said_of_definition(tool: Any, provider: str, strict: Any, salt: str) -> Iterator[Any]:
    """Yield how a tool is defined for a provider, read again, and what calls of a strict tool become."""
    codec, module = codec_for(provider), MODULES[provider]
    (model,) = chosen([None, MODELS[provider]], 1, salt)
    (choice,) = chosen(CHOICES, 1, salt)
    made = outcome(
        module.lower_tools,
        {tool.name: tool},
        strict=strict,
        choice=choice,
        codec=codec,
        model=model,
        thinking=salt[-1] in "ab",
    )
    yield made
    if not isinstance(made, Exception):
        for block in [made.block, *variants(made.block, 1)]:
            yield outcome(module.read_tools, block)
            yield outcome(check, [{"role": "user", "content": "q"}], provider, tools=block)
        for sent in wrong_payloads(tool, 2) if strict else ():
            yield outcome(codec.encode_input, sent, tool.name), outcome(codec.decode_input, sent, tool.name)


def tool_definitions() -> Iterator[Output]:
    for name, (tool, _) in chosen(own_tools().items(), 300, ""):
        for provider in chosen(MODULES, 2, name):
            (strict,) = chosen(("auto", "auto", True, False), 1, f"{name}{provider}")
            yield name, list(said_of_definition(tool, provider, strict, f"{name}{provider}"))
    for size, schema in big_schemas():
        for provider, module in MODULES.items():
            for strict in ("auto", True):
                codec = codec_for(provider)
                yield (
                    f"big-{size}",
                    outcome(module.lower_tools, {"t": tool_of(schema)}, strict=strict, codec=codec),
                )


def big_schemas() -> Iterator[tuple[int, Any]]:
    """Yield schemas at the limits of providers: many values, fields, levels."""
    closed = {"type": "object", "additionalProperties": False}
    for size in (5, 6, 10, 11, 16, 24, 25, 100, 101, 250, 251):
        fields: Any = {f"f{at}": {"type": ["string", "null"]} for at in range(size)}
        deep: Any = {"type": "string"}
        for _ in range(min(size, 12)):
            deep = {**closed, "properties": {"d": deep}, "required": ["d"]}
        wide = {**closed, "properties": fields, "required": [*fields][: size // 2]}
        for schema in ({"enum": [f"value{at}" for at in range(size)]}, wide, deep):
            yield size, {**closed, "properties": {"a": schema}, "required": ["a"]}


def errors() -> Iterator[Output]:
    for text in texts_in(
        [table(f"{name}.json") for name in ("error_texts", "error_responses", "provider_errors")]
    ):
        for each in dict.fromkeys([text, text.lower(), text[: len(text) // 2], json.dumps({"error": text})]):
            yield text[:12].strip(), said_of_error(each)


def said_of_error(error: Any) -> Any:
    """Return what a provider's or a server's error means."""
    found = outcome(classify_llm_error, error), outcome(classify_mcp_error, error)
    said = [[getattr(one, key, None) for key in ("kind", "decided_by", "retryable")] for one in found]
    return said, getattr(explain_provider_error(error), "number", None)


def recorded(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of recordings that are of ordinary length."""
    text = (DATA / name).read_text("utf-8")
    for row in json.loads(text) if name.endswith(".json") else map(json.loads, text.splitlines()):
        if len(json.dumps(row)) < 30_000 and row["provider"] in MODULES:
            yield row


def recorded_requests() -> Iterator[Output]:
    for row in (*recorded("recorded-requests.jsonl"), *recorded("reported-requests.json")):
        value, provider = row.get("request", row.get("body")), row["provider"]
        name = f"{provider}-{key_of(value)}"
        for at, each in enumerate([value, *variants(value, 1)]):
            if isinstance(each, dict | list):
                yield name, list(said_of_request(each, provider, {}, f"{name}{at}", 2))


def recorded_streams() -> Iterator[Output]:
    for row in recorded("recorded-streams.jsonl"):
        for each in [row["events"], *variants(row["events"], 4)]:
            if isinstance(each, list):
                yield (
                    f"{row['provider']}-{key_of(row['events'])}",
                    list(said_of_stream(each, row["provider"])),
                )


@for_each(by_name(requests, responses, streams, tool_definitions, errors))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded requests here (set TOOLGEN_SHARED)")
@for_each(by_name(recorded_requests, recorded_streams))
def test_outputs_for_recorded_inputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs, foreign=True)
