"""Messages of providers that were written to reach single conditions.

A row has a request, a response, a stream, an error, a transcript, or a schema to define. `{"$bytes": "x"}` and
`{"$Text": {"text": "x"}}` stand for what JSON does not have: bytes, a Decimal, a dict of pairs, an enum, an object of
an SDK, a deep value, an exception, or a transcript's node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from functools import partial, reduce
from typing import Any

from helpers.providers import MODELS, MODULES
from helpers.support import for_each
from recorded_inputs import Outputs, outcome
from recorded_rows import by_file
from test_recorded_transcripts import rewritten, said_of_error, said_of_response, said_of_stream

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts import (
    Settings,
    check,
    codec_for,
    decode_response,
    encode_request,
    explain_provider_error,
    fit,
    mcp,
    messages,
    repair,
)
from toolgen_transcripts.errors import classify_llm_error, classify_mcp_error


@dataclass
class Dumped:
    """An object of an SDK, which says how it was dumped."""

    value: Any

    def model_dump(self, **options: Any) -> Any:
        return {**self.value, "dumped": sorted(options.items())} if options else self.value


def failed(facts: dict[str, Any]) -> Exception:
    error = ConnectionError(*facts.values())
    vars(error).update(facts)
    return error


def node(name: str, fields: dict[str, Any]) -> Any:
    more = {
        key: tuple(fields[key]) for key in fields if key in ("turns", "system", "blocks", "content", "unread")
    }
    return getattr(messages, name)(**{**fields, **more})


NODES = ("Text", "Json", "Media", "Reasoning", "ToolCall", "ToolResult", "CachePoint", "Opaque", "Source")
MADE: dict[str, Callable[[Any], Any]] = {
    "$bytes": str.encode,
    "$decimal": Decimal,
    "$dict": dict,
    "$enum": lambda value: Enum("Kind", {"IT": value}).IT,  # type: ignore[attr-defined]
    "$sdk": Dumped,
    "$deep": lambda levels: reduce(lambda inner, at: {"a": inner} if at % 2 else [inner], range(levels), "x"),
    "$error": failed,
    **{f"${name}": partial(node, name) for name in (*NODES, "Turn", "Transcript")},
}


def stands_for(found: dict[str, Any]) -> Any:
    """Return what an object with one of these keys stands for; any other object as it is."""
    name = next(iter(found), "")
    return MADE[name](found[name]) if name in MADE else found


def said_of_messages(row: dict[str, Any]) -> Iterator[Any]:
    provider = row.get("provider", "openai")
    if "error" in row:
        yield said_of_error(row["error"])
    for error in row.get("errors", []):
        yield outcome(classify_llm_error, error), outcome(classify_mcp_error, error)
        rule = explain_provider_error(error) if isinstance(error, str) else None
        yield [getattr(rule, key, None) for key in ("number", "place", "ids")]
    if "response" in row:
        yield from said_of_response(row["response"], provider)
    if "stream" in row:
        yield from said_of_stream(row["stream"], provider)
    if "request" in row:
        yield from said_of_request(row, row["request"], provider, row.get("more", {}))
    yield from (list(said_of_response(each, provider)) for each in row.get("responses", []))
    yield from (list(said_of_stream(each, provider)) for each in row.get("streams", []))
    if "transcript" in row:
        yield from said_of_transcript(row)
    uses = (mcp.decode_result, mcp.parse_tool_use, mcp.read_tool_uses, mcp.read_tools)
    yield from ([outcome(use, each) for use in uses] for each in row.get("mcp", []))
    for error in row.get("raised", []):
        assembler = MODULES[provider].StreamAssembler()
        assembler.feed_error(error)
        yield assembler.finish(), outcome(assembler.feed, {}), assembler.finish()
    if "reserved" in row:
        yield from said_with_names(row, provider)
    if "schema" in row:
        yield from said_of_definition(row, provider)


def said_of_request(row: dict[str, Any], value: Any, provider: str, more: Any) -> Iterator[Any]:
    yield outcome(check, value, provider, **more), outcome(repair, value, provider, **more)
    yield [outcome(rewritten, value, provider, "", other) for other in MODULES]
    for target in row.get("to", []):
        options = {"model": MODELS[target], "origin": provider, **row.get("options", {})}
        yield outcome(request_for, value, target, options, row.get("toolset"))
    if "fit" in row:
        yield outcome(fit, value, provider, **row["fit"])
    yield from (outcome(changed, value, provider, edits) for edits in row.get("edits", []))
    if "system" in row:
        yield outcome(MODULES[provider].decode_messages, value, system=row["system"])
    for model in row.get("models", []):
        options = {"strict": "auto", "origin": provider, **row.get("options", {}), "model": model}
        found = outcome(check, value, provider, **{**more, "model": model})
        yield model, found, outcome(request_for, value, provider, options)


def said_of_transcript(row: dict[str, Any]) -> Iterator[Any]:
    """Yield a transcript of no provider as each provider's messages. `found` are the media at other places."""

    def fetch(media: Any) -> Any:
        return row.get("found", {}).get(media.uri or media.file_id)

    yield [outcome(api.encode_messages, row["transcript"], fetch=fetch) for api in MODULES.values()]
    results = [result for turn in row["transcript"] for result in turn.results]
    yield [outcome(api.encode_results, results) for api in MODULES.values()]


def said_with_names(row: dict[str, Any], provider: str) -> Iterator[Any]:
    """Yield how responses are read by a codec that knows the names of tools."""
    api, codec = MODULES[provider], codec_for(provider, row["reserved"])
    for each in row["responses"]:
        yield outcome(decode_response, each, provider, codec=codec), outcome(api.parse_tool_use, each)
        yield [outcome(read, each, codec=codec) for read in (api.parse_tool_use, api.parse_tool_uses)]
        yield outcome(api.read_tool_uses, each, codec=codec, leaked="ignore")
        ran = outcome(loop.results, each, Conversation([]), lambda tool, payload: payload, provider=provider)
        yield outcome(api.API.read_requests, each), getattr(ran, "left", ran)
    for each in row.get("streams", []):
        assembler = api.StreamAssembler(codec=codec, leaked="ignore")
        yield list(assembler.read(each)), assembler.finish().calls, assembler.finish().reasoning


def said_of_definition(row: dict[str, Any], provider: str) -> Iterator[Any]:
    tools = compile_tools([{"name": "look_up", "description": "Look.", "schema": row["schema"]}])
    codec = codec_for(provider)
    api = {**MODULES, "mcp": mcp}[provider]
    yield outcome(api.lower_tools, tools, codec=codec, **row.get("more", {}))
    for each in row.get("sent", []):
        yield outcome(codec.encode_input, each, "look_up"), outcome(codec.decode_input, each, "look_up")


def changed(value: Any, provider: str, edits: dict[str, Any]) -> Any:
    """Return a history in which the fields of all turns and blocks of these classes have been replaced."""
    read = MODULES[provider].decode_messages(value)
    turns = []
    for turn in read.turns:
        blocks = tuple(replace(block, **edits.get(type(block).__name__, {})) for block in turn.blocks)
        turns.append(replace(turn, **{"blocks": blocks, **edits.get("Turn", {})}))
    system = tuple(replace(block, **edits.get("System", {})) for block in read.system)
    return MODULES[provider].encode_messages(replace(read, turns=tuple(turns), system=system))


def request_for(value: Any, target: str, options: dict[str, Any], tools: Any = None) -> Any:
    if "settings" in options:
        options = {**options, "settings": Settings(**options["settings"])}
    encoded = encode_request(value, tools and compile_tools(tools), target, **options)
    return encoded.request, encoded.diagnostics, encoded.changes, encoded.remaining


@for_each(by_file("providers", said_of_messages, stands_for))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)
