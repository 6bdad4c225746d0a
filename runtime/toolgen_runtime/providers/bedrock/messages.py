"""Messages to and from Bedrock Converse."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.bedrock.media import decode_media, encode_media
from toolgen_runtime.providers.bedrock.wire import WIRE
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

_STATUS = {"error": True, "success": False}


def _result_block(block: Any, decoding: Decoding) -> Text | Json | Media | Opaque:
    if isinstance(block, dict) and len(block) == 1:
        if isinstance(block.get("text"), str):
            return Text(block["text"], decoding.source(block))
        if "json" in block:
            return Json(block["json"], decoding.source(block))
        return decode_media(block) or decoding.opaque(block)
    return decoding.opaque(block)


def _result(result: Native, block: Native, decoding: Decoding) -> ToolResult:
    status = result.get("status")
    content = tuple(_result_block(b, decoding) for b in as_list(result.get("content")))
    error = _STATUS.get(status) if isinstance(status, str) else None
    return decoding.result(result, content, block, is_error=error)


def _reasoning(content: Native, block: Native, decoding: Decoding) -> Reasoning | None:
    text = content.get("reasoningText")
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        return Reasoning(text["text"], text_or_none(text.get("signature")), source=decoding.source(block))
    redacted = content.get("redactedContent")
    return (
        Reasoning(redacted=redacted, source=decoding.source(block))
        if isinstance(redacted, bytes | str)
        else None
    )


def _decode(block: Any, decoding: Decoding) -> Block:
    if not isinstance(block, dict):
        return decoding.opaque(block)
    if isinstance(block.get("text"), str):
        return Text(block["text"], decoding.source(block))
    if isinstance(block.get("toolUse"), dict):
        use = block["toolUse"]
        return decoding.call(use, decoding.codec.decode_input(use.get("input")), block)
    if isinstance(block.get("toolResult"), dict):
        return _result(block["toolResult"], block, decoding)
    if isinstance(block.get("reasoningContent"), dict):
        return _reasoning(block["reasoningContent"], block, decoding) or decoding.opaque(block)
    return decode_media(block) or decoding.opaque(block)


def _blocks(content: object, decoding: Decoding) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_decode(b, decoding) for b in as_list(content))


def _turn(message: Native, decoding: Decoding) -> Turn:
    blocks = _blocks(deepcopy(message.get("content")), decoding)
    return Turn(decoding.role(message), blocks, decoding.source(without(message, "content")))


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of Converse messages, or of a whole request (`messages`, `system`). Reads what is there:
    nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    decoding = Decoding(WIRE, codec)
    if isinstance(native, Mapping) and system is None:
        system = native.get(WIRE.messages.system_key)
    turns = tuple(_turn(m, decoding) for m in native_messages(native, WIRE.messages.list_key))
    return Transcript(turns, _blocks(plain(system), decoding))


def _fresh_result(result: ToolResult, encoding: Encoding) -> Native:
    content: list[Any] = []
    for block in result.content:
        if isinstance(block, Json):  # rule 18: as JSON only an object
            is_object = isinstance(block.value, dict)
            content.append({"json": block.value} if is_object else {"text": json_text(block.value)})
        else:
            content += _encode_simple(block, encoding)
    status = {} if result.is_error is None else {"status": "error" if result.is_error else "success"}
    return {"toolResult": {"content": content, **status}}


def _encode_result(result: ToolResult, encoding: Encoding) -> Native:
    kept = encoding.verbatim(result, _decode) or _fresh_result(result, encoding)
    encoding.label(kept["toolResult"], result)
    return kept


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    kept = encoding.verbatim(call, _decode)
    if kept is None:
        kept = {"toolUse": {"input": encoding.codec.encode_input(call.input)}}
    encoding.label(kept["toolUse"], call)
    return kept


def _encode_reasoning(block: Reasoning, encoding: Encoding) -> list[Native]:
    kept = encoding.verbatim(block, _decode)
    if kept is not None:
        return [kept]
    foreign = block.source is not None and block.source.provider not in WIRE.reasoning_from
    if foreign or (block.redacted is not None and block.source is not None):  # no other service can read it
        encoding.dropped(block)
        return []
    if block.redacted is not None:
        return [{"reasoningContent": {"redactedContent": block.redacted}}]
    text = {"text": block.text} | ({"signature": block.signature} if block.signature else {})
    return [{"reasoningContent": {"reasoningText": text}}]


def _encode_simple(block: Block, encoding: Encoding) -> list[Any]:
    """Text, media and blocks kept for Bedrock."""
    if isinstance(block, Text):
        return [encoding.verbatim(block, _decode) or {"text": block.text}]
    if isinstance(block, Media):
        kept = encoding.verbatim(block, _decode) or encode_media(block)
        return [kept or {"text": encoding.stand_in(block)}]
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
    if isinstance(block, Json):
        return [{"text": json_text(block.value)}]
    return _encode_simple(block, encoding)


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """Converse `messages` and `system`; a system turn goes to `system`, unless it is Bedrock's own."""
    encoding = Encoding(WIRE, codec)
    messages: list[Native] = []
    turns, prompt = prepared(transcript, encoding)
    system = encoding.prompt(prompt, _encode)
    for index, turn in turns:
        content = encoding.turn(turn.blocks, index, _encode)
        rest = rest_of(turn, WIRE.provider) or {}
        role = "user" if turn.role == "tool" else turn.role
        messages.append({"role": role, **rest, "content": content})
    return encoding.done(messages, system or None)
