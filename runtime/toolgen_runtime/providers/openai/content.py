"""Content parts of Chat Completions messages."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.openai.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoding
from toolgen_runtime.providers.shared.media import (
    data_url,
    format_of,
    from_base64,
    from_data_url,
    kind_of,
    media_type_of,
)
from toolgen_runtime.providers.shared.native import Native, as_list, json_text
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Source, Text


def _source(part: Native) -> Source:
    return Source(WIRE.provider, part)


def _image(part: Native, image: dict[str, Any]) -> Media | None:
    url = image.get("url")
    inline = from_data_url(url)
    if inline is not None:
        return Media("image", inline[0], inline[1], source=_source(part))
    return Media("image", uri=url, source=_source(part)) if isinstance(url, str) else None


def _file(part: Native, file: dict[str, Any]) -> Media | None:
    name, inline = file.get("filename"), from_data_url(file.get("file_data"))
    if inline is None:
        return None
    kind = kind_of(inline[0])
    return Media(kind, inline[0], inline[1], None, name if isinstance(name, str) else None, _source(part))


def _audio(part: Native, audio: dict[str, Any]) -> Media | None:
    data = from_base64(audio.get("data"))
    media_type = media_type_of("audio", audio.get("format"))
    return None if data is None else Media("audio", media_type, data, source=_source(part))


_MEDIA = {"image_url": _image, "file": _file, "input_audio": _audio}


def decode_part(part: Any) -> Text | Json | Media | Opaque:
    """One content part."""
    if isinstance(part, dict):
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            return Text(part["text"], _source(part))
        read = _MEDIA.get(kind) if isinstance(kind, str) else None
        inner = part.get(kind) if isinstance(kind, str) else None
        if read is not None and isinstance(inner, dict):
            return read(part, inner) or Opaque(WIRE.provider, part)
    return Opaque(WIRE.provider, part)


def decode_content(content: object) -> tuple[Text | Json | Media | Opaque, ...]:
    """A message's content: a text, or parts."""
    if isinstance(content, str):
        return (Text(content),)
    return tuple(map(decode_part, as_list(content)))


def _encode_media(media: Media) -> Native | None:
    if media.kind == "image":
        url = media.uri if media.data is None else data_url(media.media_type, media.data)
        return {"type": "image_url", "image_url": {"url": url}} if url and not url.startswith("s3:") else None
    if media.data is None:
        return None
    if media.kind == "audio" and (format := format_of("audio", media.media_type)) in ("mp3", "wav"):
        encoded = data_url(None, media.data).partition(",")[2]
        return {"type": "input_audio", "input_audio": {"data": encoded, "format": format}}
    if media.kind == "document":
        file = {"filename": media.name or "document", "file_data": data_url(media.media_type, media.data)}
        return {"type": "file", "file": file}
    return None


def encode_part(block: Block, encoding: Encoding) -> list[Any]:
    """The part for a block; none, and a diagnostic, where there is no form for it."""
    if isinstance(block, Text):
        return [
            encoding.verbatim(block, lambda part, _: decode_part(part))
            or {"type": "text", "text": block.text}
        ]
    if isinstance(block, Json):
        return [{"type": "text", "text": json_text(block.value)}]
    if isinstance(block, Media):
        kept = encoding.verbatim(block, lambda part, _: decode_part(part)) or _encode_media(block)
        return [kept or {"type": "text", "text": encoding.stand_in(block)}]
    if isinstance(block, Opaque) and block.provider == WIRE.provider:
        return [deepcopy(block.value)]
    encoding.dropped(block)
    return []


def encode_content(blocks: tuple[Block, ...], encoding: Encoding, was: object, index: int) -> Any:
    """The content: a text where it was one or holds one, None for nothing, otherwise parts."""
    parts: list[Any] = []
    for ordinal, block in enumerate(blocks):
        encoding.at = f"/turns/{index}/blocks/{ordinal}"
        parts += encode_part(block, encoding)
    if not parts:
        return [] if isinstance(was, list) else None
    first = parts[0]
    is_text = isinstance(first, dict) and set(first) == {"type", "text"}
    if len(parts) == 1 and is_text and not isinstance(was, list):
        return first["text"]
    return parts
