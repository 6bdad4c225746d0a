"""Items to and from the Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import groupby

from toolgen_runtime.providers.openai.messages import arguments, arguments_text
from toolgen_runtime.providers.openai_responses.content import decode_content, encode_content, origin_of
from toolgen_runtime.providers.openai_responses.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoded, Encoding, result_text
from toolgen_runtime.providers.shared.messages import prepared
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.native import (
    Decoding,
    Native,
    is_native,
    native_messages,
    rest_of,
    text_or_none,
    without,
)
from toolgen_runtime.transcript.messages import (
    Block,
    Media,
    Opaque,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)


def _call(item: Native, decoding: Decoding) -> ToolCall:
    return decoding.call(item, arguments(item.get("arguments"), decoding.codec), item)


def _result(item: Native, decoding: Decoding) -> ToolResult:
    output = item.get("output")
    content = (Text(output),) if isinstance(output, str) else decode_content(output, {}, -1)
    return decoding.result(item, content, item)


def _reasoning(item: Native, decoding: Decoding) -> Reasoning:
    summary = item.get("summary")
    parts = summary if isinstance(summary, list) else ()
    texts = [p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return Reasoning(
        "\n\n".join(texts), text_or_none(item.get("encrypted_content")), source=decoding.source(item)
    )


def _item(item: Native, index: int, decoding: Decoding) -> tuple[Role, tuple[Block, ...], Native]:
    """An item's speaker, its blocks, and what of it belongs to its turn."""
    kind, speaker = item.get("type", "message"), item.get("role")
    if kind == "message" and isinstance(speaker, str) and speaker in WIRE.messages.roles:
        role = WIRE.messages.roles[speaker]
        rest = without(item, "content") if isinstance(item.get("content"), list) else item
        blocks: tuple[Block, ...] = decode_content(item.get("content"), rest, index)
        if not blocks and role == "assistant":  # it must not be lost among what the model said in a row
            blocks = (decoding.opaque(item),)
        return role, blocks, rest
    if kind == "function_call":
        return "assistant", (_call(item, decoding),), {}
    if kind == "function_call_output":
        return "tool", (_result(item, decoding),), {}
    if kind == "reasoning":
        return "assistant", (_reasoning(item, decoding),), {}
    return "assistant", (decoding.opaque(item),), {}


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of a request's `input` items, or of a whole request (`input`, `instructions`).

    What the model said in a row, one item each, is one turn, and so are results in a row. Nothing is
    refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the items are not a list of mappings or of objects with `model_dump()`.
    """
    decoding = Decoding(WIRE, codec)
    if isinstance(native, Mapping):
        system = native.get(WIRE.messages.system_key) if system is None else system
        native = native.get(WIRE.messages.list_key)
    if isinstance(native, str):
        native = [{"role": "user", "content": native}]
    items = [
        _item(deepcopy(x), i, decoding) for i, x in enumerate(native_messages(native, WIRE.messages.list_key))
    ]
    turns: list[Turn] = []
    for joined, group in groupby(
        enumerate(items), lambda x: x[1][0] if x[1][0] in ("assistant", "tool") else x[0]
    ):
        members = [item for _, item in group]
        role, blocks = members[0][0], tuple(b for _, found, _ in members for b in found)
        turns.append(Turn(role, blocks, decoding.source({} if isinstance(joined, str) else members[0][2])))
    return Transcript(tuple(turns), (Text(system),) if isinstance(system, str) else ())


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    fresh = {"type": "function_call", "arguments": arguments_text(call.input, encoding.codec)}
    item: Native = encoding.verbatim(call, _call) or fresh
    encoding.label(item, call)
    return item


def _fresh_result(result: ToolResult, encoding: Encoding) -> Native:
    if result.is_error:
        encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
    has_media = any(isinstance(b, Media) for b in result.content)
    output = encode_content(result.content, encoding, "user") if has_media else result_text(result, encoding)
    return {"type": "function_call_output", "output": output}


def _encode_result(result: ToolResult, encoding: Encoding) -> Native:
    item = encoding.verbatim(result, _result) or _fresh_result(result, encoding)
    encoding.label(item, result)
    return item


def _encode_reasoning(block: Reasoning, encoding: Encoding) -> list[Native]:
    kept = encoding.verbatim(block, _reasoning)
    if kept is None:  # the API takes back only its own items
        encoding.dropped(block)
    return [] if kept is None else [kept]


def _message_of(block: Block) -> object:
    """What tells the parts of one message from those of the next; None for an item of its own."""
    if isinstance(block, ToolCall | ToolResult | Reasoning):
        return None
    origin = origin_of(block)
    if isinstance(block, Opaque) and origin is None:
        return None
    return "" if origin is None else origin["message"]


def _encode_message(role: str, blocks: list[Block], encoding: Encoding, rest: Native) -> Native:
    origin = origin_of(blocks[0])
    content = encode_content(tuple(blocks), encoding, role)
    first = content[0] if len(content) == 1 else None
    is_text = isinstance(first, dict) and set(first) == {"type", "text"}
    was_list = origin is not None and origin["part"] is not None
    message = {"role": role, **(rest if origin is None else deepcopy(origin["rest"]))}
    return {**message, "content": content[0]["text"] if is_text and not was_list else content}


def _encode_turn(turn: Turn, encoding: Encoding) -> Iterator[Native]:
    role = "user" if turn.role == "tool" else turn.role
    rest = rest_of(turn, WIRE.provider) or {}
    for message, group in groupby(turn.blocks, _message_of):
        blocks = list(group)
        if message is not None:
            yield _encode_message(role, blocks, encoding, rest)
            continue
        for block in blocks:
            if isinstance(block, ToolCall):
                yield _encode_call(block, encoding)
            elif isinstance(block, ToolResult):
                yield _encode_result(block, encoding)
            elif isinstance(block, Reasoning):
                yield from _encode_reasoning(block, encoding)
            elif isinstance(block, Opaque) and is_native(block, WIRE.provider):
                yield deepcopy(block.value)
            else:
                encoding.dropped(block)
    if not turn.blocks and rest:
        yield {**rest, "content": rest.get("content", [])}


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """`input` items; `.system` is the `instructions` text."""
    encoding = Encoding(WIRE, codec)
    items: list[Native] = []
    system = encoding.prompt_text(transcript.system)
    turns, _ = prepared(transcript, encoding)
    for index, turn in turns:
        encoding.at = f"/turns/{index}"
        items += _encode_turn(turn, encoding)
    return encoding.done(items, system or None)
