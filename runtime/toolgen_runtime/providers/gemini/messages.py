"""Contents to and from Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.media import from_base64, kind_of, to_base64
from toolgen_runtime.providers.shared.messages import (
    Encoded,
    Encoding,
    Native,
    as_list,
    json_text,
    native_messages,
    plain,
    prepared,
    rest_of,
    result_text,
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
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

_NATIVE: Mapping[Role, str] = {"user": "user", "assistant": "model", "tool": "user", "system": "user"}


def _source(value: Any) -> Source:
    return Source(WIRE.provider, value)


def _call(call: Native, part: Native, codec: Codec) -> ToolCall:
    id, name = text_or_none(call.get("id")), call.get("name")
    return ToolCall(
        None if id is None else codec.decode_id(id),
        codec.decode_name(name) if isinstance(name, str) else "",
        codec.decode_input(call.get("args", {})),
        _source(part),
    )


def _result(given: Native, part: Native, codec: Codec) -> ToolResult:
    """`{"output": ...}` is a result and `{"error": ...}` an error by Gemini's convention; else it is data."""
    id, name, response = text_or_none(given.get("id")), given.get("name"), given.get("response")
    error = isinstance(response, dict) and set(response) == {"error"}
    value = response
    if isinstance(response, dict) and set(response) in ({"error"}, {"output"}):
        (value,) = response.values()
    return ToolResult(
        None if id is None else codec.decode_id(id),
        () if response is None else (Text(value) if isinstance(value, str) else Json(value),),
        True if error else None,
        codec.decode_name(name) if isinstance(name, str) else None,
        _source(part),
    )


def _media(part: Native) -> Media | None:
    inline, file = part.get("inlineData"), part.get("fileData")
    if isinstance(inline, dict) and (data := from_base64(inline.get("data"))) is not None:
        media_type = text_or_none(inline.get("mimeType"))
        return Media(kind_of(media_type), media_type, data, source=_source(part))
    if isinstance(file, dict) and isinstance(file.get("fileUri"), str):
        media_type = text_or_none(file.get("mimeType"))
        return Media(kind_of(media_type), media_type, uri=file["fileUri"], source=_source(part))
    return None


def _decode(part: Any, codec: Codec) -> Block:
    if not isinstance(part, dict):
        return Opaque(WIRE.provider, part)
    if isinstance(part.get("text"), str):
        if part.get("thought") is True:
            return Reasoning(part["text"], text_or_none(part.get("thoughtSignature")), source=_source(part))
        return Text(part["text"], _source(part))
    if isinstance(part.get("functionCall"), dict):
        return _call(part["functionCall"], part, codec)
    if isinstance(part.get("functionResponse"), dict):
        return _result(part["functionResponse"], part, codec)
    return _media(part) or Opaque(WIRE.provider, part)


def _parts(content: object, codec: Codec) -> tuple[Block, ...]:
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return tuple(_decode(p, codec) for p in as_list(parts))


def _turn(content: Native, codec: Codec) -> Turn:
    role = role_of(content, WIRE.messages.roles)
    return Turn(role, _parts(deepcopy(content), codec), _source(without(content, "parts")))


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of `contents`, or of a whole request (`contents`, `systemInstruction`). Reads what is
    there: nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    codec = codec or codec_for(WIRE.provider)
    if isinstance(native, Mapping) and system is None:
        system = native.get(WIRE.messages.system_key)
    turns = tuple(_turn(c, codec) for c in native_messages(native, WIRE.messages.list_key))
    return Transcript(turns, _parts(plain(system), codec))


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    fresh = {"functionCall": {"args": encoding.codec.encode_input(call.input)}}
    part: Native = encoding.verbatim(call, lambda p: _decode(p, encoding.codec)) or fresh
    if call.id is not None:
        part["functionCall"]["id"] = encoding.id(call.id)
    if call.name:
        part["functionCall"]["name"] = encoding.codec.encode_name(call.name)
    return part


def _response(result: ToolResult, encoding: Encoding) -> Native:
    if result.is_error:
        return {"error": result_text(result, encoding)}
    if len(result.content) == 1 and isinstance(result.content[0], Json):
        value = result.content[0].value
        ambiguous = not isinstance(value, dict) or set(value) in ({"error"}, {"output"})
        return {"output": value} if ambiguous else value
    return {"output": result_text(result, encoding)}


def _encode_result(result: ToolResult, encoding: Encoding) -> Native:
    part = encoding.verbatim(result, lambda p: _decode(p, encoding.codec))
    if part is None:
        part = {"functionResponse": {"response": _response(result, encoding)}}
    inner: Native = part["functionResponse"]
    if result.id is not None:
        inner["id"] = encoding.id(result.id)
    if result.name:
        inner["name"] = encoding.codec.encode_name(result.name)
    return part


def _encode_media(media: Media) -> Native | None:
    if media.data is not None and media.media_type:
        return {"inlineData": {"mimeType": media.media_type, "data": to_base64(media.data)}}
    if media.uri is not None and not media.uri.startswith("s3:"):
        typed = {"mimeType": media.media_type} if media.media_type else {}
        return {"fileData": {**typed, "fileUri": media.uri}}
    return None


def _encode(block: Block, encoding: Encoding) -> list[Any]:
    if isinstance(block, ToolCall):
        return [_encode_call(block, encoding)]
    if isinstance(block, ToolResult):
        return [_encode_result(block, encoding)]
    if isinstance(block, Json):
        return [{"text": json_text(block.value)}]
    if isinstance(block, Opaque):
        if block.provider == WIRE.provider:
            return [deepcopy(block.value)]
        encoding.dropped(block)
        return []
    kept = encoding.verbatim(block, lambda p: _decode(p, encoding.codec))
    if kept is not None:
        return [kept]
    if isinstance(block, Text):
        return [{"text": block.text}]
    if isinstance(block, Media):
        return [_encode_media(block) or {"text": encoding.stand_in(block)}]
    encoding.dropped(block)
    return []


def _content(turn: Turn, index: int, encoding: Encoding) -> Native:
    rest = rest_of(turn, WIRE.provider)
    parts: list[Any] = []
    for ordinal, block in enumerate(turn.blocks):
        encoding.at = f"/turns/{index}/blocks/{ordinal}"
        parts += _encode(block, encoding)
    return {**({"role": _NATIVE[turn.role]} if rest is None else rest), "parts": parts}


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """`contents`; `.system` is the `systemInstruction`. System turns among the others go there too."""
    encoding = Encoding(WIRE, codec or codec_for(WIRE.provider))
    turns, prompt = prepared(transcript, encoding)
    encoding.at = "/system"
    system: list[Any] = [part for b in prompt for part in _encode(b, encoding)]
    contents = [_content(turn, index, encoding) for index, turn in turns]
    return encoding.done(contents, {"parts": system} if system else None)
