"""Requests, responses, streams, tool definitions and errors of every provider: the project's own, and variants."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.providers import MODELS, MODULES
from helpers.support import DATA, TEST_DATA, table
from recorded_inputs import (
    Output,
    chosen,
    key_of,
    outcome,
    own_tools,
    payload_of,
    texts_in,
    unique,
    variants,
    wrong_payloads,
)

from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts import (
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

Locked = Callable[..., None]
ALIASES = {
    "chat": "openai",
    "responses": "openai_responses",
    "claude": "anthropic",
    "steps": "gemini_interactions",
}
FACTS = {"tools", "model", "thinking", "streaming", "moved", "host"}
RESPONSE_KEYS = {"output", "choices", "candidates", "steps", "stop_reason", "stopReason"}


@functools.cache
def natives() -> dict[str, list[tuple[str, str, Any]]]:
    """Return the requests, responses and streams in the tests' data, each with a name and its provider."""
    found: dict[str, list[tuple[str, str, Any]]] = {"request": [], "response": [], "stream": []}
    for file in sorted(TEST_DATA.glob("*.json")):
        if file.name.startswith(("provider", "history")):
            for kind, provider, value in natives_in(
                json.loads(file.read_text("utf-8"), object_hook=native), ""
            ):
                found[kind].append((file.stem, provider, value))
    for file in sorted(TEST_DATA.glob("corpus/**/*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            for kind, provider, value in natives_in(json.loads(line, object_hook=native), file.stem):
                found[kind].append((f"{file.parent.name}-{file.stem}", provider, value))
    return {
        kind: [(f"{name}-{key_of([provider, value])}", provider, value) for name, provider, value in rows]
        for kind, rows in found.items()
    }


def native(value: dict[str, Any]) -> Any:
    return value["$bytes"].encode() if value.keys() == {"$bytes"} else value


def natives_in(value: Any, provider: str, beside: Any = None) -> Iterator[tuple[str, str, Any]]:
    """Yield what a value holds. The provider is the last one that was named on the way."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        provider = value[0] if value[0] in MODULES else provider
    if provider and isinstance(value, dict):
        if wire_of(provider).messages.list_key in value:
            yield "request", provider, (value, {})
            return
        if value.keys() & RESPONSE_KEYS:
            yield "response", provider, value
            return
    if (
        provider
        and isinstance(value, list)
        and len(value) > 1
        and all(isinstance(each, dict) for each in value)
    ):
        kind = str(value[0].get("type", ""))
        if "role" in value[0] or (
            kind and "." not in kind and "_start" not in kind and "index" not in value[0]
        ):
            yield "request", provider, (value, beside or {})
        else:
            yield "stream", provider, value
        return
    if isinstance(value, dict):
        for key, each in value.items():
            name = ALIASES.get(key, key)
            yield from natives_in(each, name if name in MODULES else provider)
    elif isinstance(value, list):
        more = next((each for each in value if isinstance(each, dict) and each.keys() <= FACTS), None)
        for each in value:
            yield from natives_in(each, provider, more)


def requests(value: Any, provider: str, more: Any, salt: str, *, most: int = 9) -> Iterator[Any]:
    """Yield what is found in a request, how it is repaired, read, written for others and shortened."""
    sent = copy.deepcopy(value)
    yield outcome(check, value, provider, **more), outcome(repair, value, provider, **more)
    ways = [lambda other=other: rewritten(value, provider, other) for other in MODULES]
    ways += [lambda: converted(value, provider, salt), lambda: shortened(value, provider, salt)]
    for way in chosen(ways, most, salt):
        yield outcome(way)
    assert value == sent, "the input was changed"


def rewritten(value: Any, provider: str, other: str) -> Any:
    return MODULES[other].encode_messages(MODULES[provider].decode_messages(value))


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


def test_requests(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, provider, (value, more) in natives()["request"]:
            yield name, list(requests(value, provider, more, name))
            for at, other in enumerate(variants(value, 5)):
                if isinstance(other, dict | list):
                    yield name, list(requests(other, provider, more, f"{name}{at}", most=1))

    locked(outputs())


def responses(value: Any, provider: str) -> Iterator[Any]:
    """Yield how a response is read, and what a loop sends back for its calls."""
    module = MODULES[provider]
    yield outcome(decode_response, value, provider)
    yield outcome(module.parse_tool_uses, value)
    calls = outcome(module.read_tool_uses, value, leaked="read")
    yield calls
    names = {} if isinstance(calls, Exception) else {call.name: 1 for call in calls if call.name}
    tools = [{"name": name, "description": "", "schema": {"required": ["a"]}} for name in names]
    ran = outcome(
        loop.results, value, Conversation(tools), lambda name, payload: [name, payload], provider=provider
    )
    yield (
        ran
        if isinstance(ran, Exception)
        else (list(ran), ran.left, [output.facts() for output in ran.outputs])
    )


def test_responses(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, provider, value in natives()["response"]:
            for each in [value, *variants(value, 15)]:
                yield name, list(responses(each, provider))

    locked(outputs())


def streams(events: Any, provider: str) -> Iterator[Any]:
    """Yield what an assembler says of each event, and of the whole."""
    assembler = MODULES[provider].StreamAssembler()
    for event in events:
        yield outcome(assembler.feed, event)
    done = outcome(assembler.finish)
    yield done
    if not isinstance(done, Exception):
        yield done.text, done.calls, len(done.ready_calls), outcome(done.turn)


def test_streams(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, provider, value in natives()["stream"]:
            for each in [value, *variants(value, 15)]:
                if isinstance(each, list):
                    yield name, list(streams(each, provider))

    locked(outputs())


def definitions(tool: Any, provider: str, strict: Any, choice: Any) -> Iterator[Any]:
    """Yield how a tool is defined for a provider, read again, and what calls of a strict tool become."""
    codec = codec_for(provider)
    module = MODULES[provider]
    options = {
        "strict": strict,
        "choice": choice,
        "codec": codec,
        "model": chosen([None, MODELS[provider]], 1, tool.name)[0],
    }
    made = outcome(module.lower_tools, {tool.name: tool}, **options)
    yield made
    if isinstance(made, Exception):
        return
    read = outcome(module.read_tools, made.block)
    yield read
    block = wire_of(provider).tools.block_key
    yield outcome(check, [{"role": "user", "content": "q"}], provider, tools=made.block), block
    for sent in wrong_payloads(tool, 2, payload_of(tool, False)):
        yield outcome(codec.encode_input, sent, tool.name), outcome(codec.decode_input, sent, tool.name)


def test_tool_definitions(locked: Locked) -> None:
    modes = [
        (strict, choice)
        for strict in ("auto", True, "auto", False)
        for choice in ("auto", "required", "look_up")
    ]

    def outputs() -> Iterator[Output]:
        for name, (tool, _) in own_tools().items():
            for provider in chosen(MODULES, 2, name):
                yield name, list(definitions(tool, provider, *chosen(modes, 1, f"{name}{provider}")[0]))

    locked(outputs())


def test_errors(locked: Locked) -> None:
    """What a provider's or a server's error text means."""
    texts = texts_in(
        [table(f"{name}.json") for name in ("error_texts", "error_responses", "provider_errors")]
    )

    def outputs() -> Iterator[Output]:
        for text in texts:
            for each in unique(
                [text, text.lower(), f"Error: {text}", text[: len(text) // 2], json.dumps({"error": text})]
            ):
                found = (
                    outcome(classify_llm_error, each),
                    outcome(classify_mcp_error, each),
                    explain_provider_error(each),
                )
                yield text[:12].strip(), [plain_rule(one) for one in found]

    locked(outputs())


def plain_rule(found: Any) -> Any:
    number = getattr(found, "number", None)
    return (
        [getattr(found, name, None) for name in ("kind", "decided_by", "retryable")]
        if number is None
        else number
    )


def recorded(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of recordings that are of ordinary length."""
    text = (DATA / name).read_text("utf-8")
    for row in json.loads(text) if name.endswith(".json") else map(json.loads, text.splitlines()):
        if len(json.dumps(row)) < 30_000 and row["provider"] in MODULES:
            yield row


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded requests here (set TOOLGEN_SHARED)")
def test_recorded_requests(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for row in (*recorded("recorded-requests.jsonl"), *recorded("reported-requests.json")):
            value, provider = row.get("request", row.get("body")), row["provider"]
            name = f"{provider}-{key_of(value)}"
            for at, each in enumerate([value, *variants(value, 2)]):
                if isinstance(each, dict | list):
                    yield name, list(requests(each, provider, {}, f"{name}{at}", most=2))

    locked(outputs(), foreign=True)


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded streams here (set TOOLGEN_SHARED)")
def test_recorded_streams(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for row in recorded("recorded-streams.jsonl"):
            for each in [row["events"], *variants(row["events"], 4)]:
                if isinstance(each, list):
                    yield f"{row['provider']}-{key_of(row['events'])}", list(streams(each, row["provider"]))

    locked(outputs(), foreign=True)
