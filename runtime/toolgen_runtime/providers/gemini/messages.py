"""Contents to and from Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.gemini.spelling import camel, member
from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoded, Encoding, result_text
from toolgen_runtime.providers.shared.media import from_base64, kind_of, to_base64
from toolgen_runtime.providers.shared.messages import prepared
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.native import (
    Decoding,
    Native,
    as_list,
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
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

_NATIVE: Mapping[Role, str] = {"user": "user", "assistant": "model", "tool": "user", "system": "user"}


def _result(given: Native, part: Native, decoding: Decoding) -> ToolResult:
    """`{"output": ...}` is a result and `{"error": ...}` an error by Gemini's convention; else it is data."""
    response = given.get("response")
    error = isinstance(response, dict) and set(response) == {"error"}
    value = response
    if isinstance(response, dict) and set(response) in ({"error"}, {"output"}):
        (value,) = response.values()
    content = () if response is None else (Text(value) if isinstance(value, str) else Json(value),)
    return decoding.result(given, content, part, is_error=True if error else None, named=True)


def _media(part: Native, source: Source) -> Media | None:
    inline, file = part.get("inlineData"), part.get("fileData")
    if isinstance(inline, dict):
        inline = camel(inline)
        media_type, data = text_or_none(inline.get("mimeType")), inline.get("data")
        data = data if isinstance(data, bytes) else from_base64(data)
        return None if data is None else Media(kind_of(media_type), media_type, data, source=source)
    if isinstance(file, dict) and isinstance((file := camel(file)).get("fileUri"), str):
        media_type = text_or_none(file.get("mimeType"))
        return Media(kind_of(media_type), media_type, uri=file["fileUri"], source=source)
    return None


def _decode(given: Any, decoding: Decoding) -> Block:
    if not isinstance(given, dict):
        return decoding.opaque(given)
    part = camel(given)
    source = decoding.source(given)
    if isinstance(part.get("text"), str):
        if part.get("thought") is True:
            return Reasoning(part["text"], text_or_none(part.get("thoughtSignature")), source=source)
        return Text(part["text"], source)
    if isinstance(part.get("functionCall"), dict):
        call = part["functionCall"]
        args = call.get("args")
        return decoding.call(call, decoding.codec.decode_input({} if args is None else args), given)
    if isinstance(part.get("functionResponse"), dict):
        return _result(part["functionResponse"], given, decoding)
    return _media(part, source) or decoding.opaque(given)


def _parts(content: object, decoding: Decoding) -> tuple[Block, ...]:
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return tuple(_decode(p, decoding) for p in as_list(parts))


def _turn(content: Native, decoding: Decoding) -> Turn:
    role = decoding.role(content)
    return Turn(role, _parts(deepcopy(content), decoding), decoding.source(without(content, "parts")))


def decode_messages(native: object, *, system: object = None, codec: Codec | None = None) -> Transcript:
    """The transcript of `contents`, or of a whole request (`contents`, `systemInstruction`). Reads what is
    there: nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    decoding = Decoding(WIRE, codec)
    if isinstance(native, Mapping) and system is None:
        system = native.get(WIRE.messages.system_key, native.get("system_instruction"))
    turns = tuple(_turn(c, decoding) for c in native_messages(native, WIRE.messages.list_key))
    return Transcript(turns, _parts(plain(system), decoding))


def _encode_call(call: ToolCall, encoding: Encoding) -> Native:
    fresh = {"functionCall": {"args": encoding.codec.encode_input(call.input)}}
    part: Native = encoding.verbatim(call, _decode) or fresh
    encoding.label(member(part, "functionCall"), call)
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
    part = encoding.verbatim(result, _decode)
    if part is None:
        part = {"functionResponse": {"response": _response(result, encoding)}}
    encoding.label(member(part, "functionResponse"), result)
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
    kept = encoding.verbatim(block, _decode)
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
    parts = encoding.turn(turn.blocks, index, _encode)
    return {**({"role": _NATIVE[turn.role]} if rest is None else rest), "parts": parts}


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """`contents`; `.system` is the `systemInstruction`. System turns among the others go there too."""
    encoding = Encoding(WIRE, codec)
    turns, prompt = prepared(transcript, encoding)
    system = encoding.prompt(prompt, _encode)
    contents = [_content(turn, index, encoding) for index, turn in turns]
    return encoding.done(contents, {"parts": system} if system else None)
