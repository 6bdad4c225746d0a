"""Messages to and from the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.anthropic.media import decode_media, encode_media
from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoded, Encoding
from toolgen_runtime.providers.shared.messages import prepared
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.native import (
    Decoding,
    Native,
    as_list,
    is_native,
    json_text,
    native_messages,
    plain,
    rest_of,
    text_or_none,
    without,
)
from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)


def _result(block: Native, decoding: Decoding) -> ToolResult:
    error = block.get("is_error")
    content = tuple(
        b if isinstance(b, Text | Media | Opaque) else decoding.opaque(raw)
        for raw, b in _decoded(block.get("content"), decoding)
    )
    return decoding.result(block, content, block, is_error=error if isinstance(error, bool) else None)


def _decode(block: Any, decoding: Decoding) -> Block:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"], decoding.source(block))
    if kind == "tool_use":
        return decoding.call(block, decoding.codec.decode_input(block.get("input")), block)
    if kind == "tool_result":
        return _result(block, decoding)
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return Reasoning(
            block["thinking"], text_or_none(block.get("signature")), source=decoding.source(block)
        )
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        return Reasoning(redacted=block["data"], source=decoding.source(block))
    media = decode_media(block) if kind in ("image", "document") else None
    return media or decoding.opaque(block)


def _decoded(content: object, decoding: Decoding) -> list[tuple[Any, Block]]:
    if isinstance(content, str):
        return [(content, Text(content))]
    return [(b, _decode(b, decoding)) for b in as_list(content)]


def _blocks(content: object, decoding: Decoding) -> tuple[Block, ...]:
    return tuple(block for _, block in _decoded(content, decoding))


def _turn(message: Native, decoding: Decoding) -> Turn:
    message = deepcopy(message)
    content = message.get("content")
    rest = without(message, "content") if isinstance(content, list) else message
    return Turn(decoding.role(message), _blocks(content, decoding), decoding.source(rest))


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of Messages API messages, or of a whole request (`messages`, `system`). Reads what is
    there: nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    decoding = Decoding(WIRE, codec)
    if isinstance(native, Mapping) and system is None:
        system = native.get(WIRE.messages.system_key)
    turns = tuple(_turn(m, decoding) for m in native_messages(native, WIRE.messages.list_key))
    return Transcript(turns, _blocks(plain(system), decoding))


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    kept = encoding.verbatim(call, _decode)
    if kept is None:
        kept = {"type": "tool_use", "input": encoding.codec.encode_input(call.input)}
    encoding.label(kept, call)
    return kept


def _encode_result(result: ToolResult, encoding: Encoding) -> Native:
    kept = encoding.verbatim(result, _decode)
    if kept is None:
        content = [native for b in result.content for native in _encode_simple(b, encoding)]
        kept = {"type": "tool_result", "content": content}
        if result.is_error is not None:
            kept["is_error"] = result.is_error
    encoding.label(kept, result)
    return kept


def _encode_reasoning(block: Reasoning, encoding: Encoding) -> list[Native]:
    kept = encoding.verbatim(block, _decode)
    if kept is not None:
        return [kept]
    foreign = block.source is not None and block.source.provider not in WIRE.reasoning_from
    if isinstance(block.redacted, str) and block.source is None:
        return [{"type": "redacted_thinking", "data": block.redacted}]
    if foreign or block.redacted is not None or not block.signature:  # refused without its signature
        encoding.dropped(block)
        return []
    return [{"type": "thinking", "thinking": block.text, "signature": block.signature}]


def _encode_simple(block: Block, encoding: Encoding) -> list[Any]:
    """Text, media and blocks kept for Anthropic."""
    if isinstance(block, Text):
        kept = encoding.verbatim(block, _decode)
        return [kept or {"type": "text", "text": block.text}]
    if isinstance(block, Json):
        return [{"type": "text", "text": json_text(block.value)}]
    if isinstance(block, Media):
        kept = encoding.verbatim(block, _decode) or encode_media(block)
        return [kept or {"type": "text", "text": encoding.stand_in(block)}]
    if isinstance(block, Opaque) and is_native(block, WIRE.provider):
        return [deepcopy(block.value)]
    encoding.dropped(block)
    return []


def _encode(block: Block, encoding: Encoding) -> list[Any]:
    if isinstance(block, ToolCall):
        return [_encode_call(block, encoding)]
    if isinstance(block, ToolResult):
        return [_encode_result(block, encoding)]
    if isinstance(block, Reasoning):
        return _encode_reasoning(block, encoding)
    return _encode_simple(block, encoding)


def _shaped(content: list[Any], was: object) -> Any:
    """The content as the one text that it was, or as blocks."""
    plain = len(content) == 1 and isinstance(content[0], dict) and set(content[0]) == {"type", "text"}
    return content[0]["text"] if plain and isinstance(was, str) else content


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """Messages and `system` (a text or blocks). System turns among the others go there too."""
    encoding = Encoding(WIRE, codec)
    messages: list[Native] = []
    turns, prompt = prepared(transcript, encoding)
    system = encoding.prompt(prompt, _encode)
    plain = all(isinstance(b, Text) and b.source is None for b in prompt)
    for index, turn in turns:
        content = encoding.turn(turn.blocks, index, _encode)
        rest = rest_of(turn, WIRE.provider) or {}
        role = "user" if turn.role == "tool" else turn.role
        messages.append({"role": role, **rest, "content": _shaped(content, rest.get("content"))})
    return encoding.done(messages, _shaped(system, "" if plain else None) or None)
