"""Messages to and from Bedrock Converse."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.bedrock.media import decode_media, encode_media
from toolgen_runtime.providers.bedrock.wire import WIRE
from toolgen_runtime.providers.shared.messages import (
    Encoded,
    Encoding,
    Native,
    as_list,
    is_native,
    json_text,
    native_messages,
    plain,
    prepared,
    rest_of,
    role_of,
    text_or_none,
    without,
)
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

_STATUS = {"error": True, "success": False}


def _source(value: Any) -> Source:
    return Source(WIRE.provider, value)


def _call(use: Mapping[str, Any], block: Native, codec: Codec) -> ToolCall:
    id, name = text_or_none(use.get("toolUseId")), use.get("name")
    return ToolCall(
        None if id is None else codec.decode_id(id),
        codec.decode_name(name) if isinstance(name, str) else "",
        codec.decode_input(use.get("input")),
        _source(block),
    )


def _result_block(block: Any) -> Text | Json | Media | Opaque:
    if isinstance(block, dict) and len(block) == 1:
        if isinstance(block.get("text"), str):
            return Text(block["text"], _source(block))
        if "json" in block:
            return Json(block["json"], _source(block))
        return decode_media(block) or Opaque(WIRE.provider, block)
    return Opaque(WIRE.provider, block)


def _result(result: Mapping[str, Any], block: Native, codec: Codec) -> ToolResult:
    id, content, status = text_or_none(result.get("toolUseId")), result.get("content"), result.get("status")
    return ToolResult(
        None if id is None else codec.decode_id(id),
        tuple(map(_result_block, as_list(content))),
        _STATUS.get(status) if isinstance(status, str) else None,
        source=_source(block),
    )


def _reasoning(content: Mapping[str, Any], block: Native) -> Reasoning | None:
    text = content.get("reasoningText")
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        return Reasoning(text["text"], text_or_none(text.get("signature")), source=_source(block))
    redacted = content.get("redactedContent")
    return Reasoning(redacted=redacted, source=_source(block)) if isinstance(redacted, bytes | str) else None


def _decode(block: Any, codec: Codec) -> Block:
    if not isinstance(block, dict):
        return Opaque(WIRE.provider, block)
    if isinstance(block.get("text"), str):
        return Text(block["text"], _source(block))
    if isinstance(block.get("toolUse"), dict):
        return _call(block["toolUse"], block, codec)
    if isinstance(block.get("toolResult"), dict):
        return _result(block["toolResult"], block, codec)
    if isinstance(block.get("reasoningContent"), dict):
        return _reasoning(block["reasoningContent"], block) or Opaque(WIRE.provider, block)
    return decode_media(block) or Opaque(WIRE.provider, block)


def _blocks(content: object, codec: Codec) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_decode(b, codec) for b in as_list(content))


def _turn(message: Native, codec: Codec) -> Turn:
    blocks = _blocks(deepcopy(message.get("content")), codec)
    return Turn(role_of(message, WIRE.messages.roles), blocks, _source(without(message, "content")))


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of Converse messages, or of a whole request (`messages`, `system`). Reads what is there:
    nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    codec = codec or codec_for(WIRE.provider)
    if isinstance(native, Mapping) and system is None:
        system = native.get(WIRE.messages.system_key)
    turns = tuple(_turn(m, codec) for m in native_messages(native, WIRE.messages.list_key))
    return Transcript(turns, _blocks(plain(system), codec))


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
    kept = encoding.verbatim(result, lambda b: _decode(b, encoding.codec)) or _fresh_result(result, encoding)
    if result.id is not None:
        kept["toolResult"]["toolUseId"] = encoding.id(result.id)
    return kept


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    kept = encoding.verbatim(call, lambda b: _decode(b, encoding.codec))
    if kept is None:
        kept = {"toolUse": {"input": encoding.codec.encode_input(call.input)}}
    use = kept["toolUse"]
    if call.id is not None:
        use["toolUseId"] = encoding.id(call.id)
    if call.name:
        use["name"] = encoding.codec.encode_name(call.name)
    return kept


def _encode_reasoning(block: Reasoning, encoding: Encoding) -> list[Native]:
    kept = encoding.verbatim(block, lambda b: _decode(b, encoding.codec))
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
        return [encoding.verbatim(block, lambda b: _decode(b, encoding.codec)) or {"text": block.text}]
    if isinstance(block, Media):
        kept = encoding.verbatim(block, lambda b: decode_media(b)) or encode_media(block)
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
    encoding = Encoding(WIRE, codec or codec_for(WIRE.provider))
    messages: list[Native] = []
    turns, prompt = prepared(transcript, encoding)
    encoding.at = "/system"
    system: list[Any] = [native for b in prompt for native in _encode(b, encoding)]
    for index, turn in turns:
        content: list[Any] = []
        for ordinal, block in enumerate(turn.blocks):
            encoding.at = f"/turns/{index}/blocks/{ordinal}"
            content += _encode(block, encoding)
        rest = rest_of(turn, WIRE.provider) or {}
        role = "user" if turn.role == "tool" else turn.role
        messages.append({"role": role, **rest, "content": content})
    return encoding.done(messages, system or None)
