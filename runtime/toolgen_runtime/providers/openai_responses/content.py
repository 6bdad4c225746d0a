"""Content parts of Responses API messages.

A part remembers its message (its number among the items, and the rest of it), since several messages of the
model in a row make one turn and must come apart again.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.openai_responses.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoding
from toolgen_runtime.providers.shared.media import data_url, from_data_url, kind_of
from toolgen_runtime.providers.shared.native import Native, as_list, json_text, same
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Source, Text


def _source(message: int, rest: Native, part: Any) -> Source:
    return Source(WIRE.provider, {"message": message, "rest": rest, "part": part})


def origin_of(block: Block) -> Native | None:
    """The message number, the rest of the message and the part that a block was read from, if it was."""
    if isinstance(block, Opaque):
        origin = block.value if block.provider == WIRE.provider else None
    else:
        origin = block.source.value if block.source and block.source.provider == WIRE.provider else None
    return origin if isinstance(origin, dict) and set(origin) == {"message", "rest", "part"} else None


def _decode_media(part: Native, source: Source) -> Media | None:
    if part.get("type") == "input_image":
        url = part.get("image_url")
        inline = from_data_url(url)
        if inline is not None:
            return Media("image", inline[0], inline[1], source=source)
        return Media("image", uri=url, source=source) if isinstance(url, str) else None
    name, inline = part.get("filename"), from_data_url(part.get("file_data"))
    if part.get("type") == "input_file" and inline is not None:
        kind = kind_of(inline[0])
        return Media(kind, inline[0], inline[1], None, name if isinstance(name, str) else None, source)
    return None


def _decode_part(part: Any, message: int, rest: Native) -> Text | Media | Opaque:
    source = _source(message, rest, part)
    if isinstance(part, dict):
        if part.get("type") in ("input_text", "output_text", "text") and isinstance(part.get("text"), str):
            return Text(part["text"], source)
        media = _decode_media(part, source)
        if media is not None:
            return media
    return Opaque(WIRE.provider, source.value)


def decode_content(content: object, rest: Native, message: int) -> tuple[Text | Media | Opaque, ...]:
    """The content of message number `message`; `rest` is the message without a list of parts."""
    if isinstance(content, str):
        return (Text(content, _source(message, rest, None)),)
    return tuple(_decode_part(p, message, rest) for p in as_list(content))


def _encode_media(media: Media) -> Native | None:
    url = media.uri if media.data is None else data_url(media.media_type, media.data)
    if url is None or url.startswith("s3:") or media.kind in ("audio", "video"):
        return None
    if media.kind == "image":
        return {"type": "input_image", "detail": "auto", "image_url": url}
    if media.data is None:
        return {"type": "input_file", "file_url": url}
    return {"type": "input_file", "filename": media.name or "document", "file_data": url}


def _encode_part(block: Block, encoding: Encoding, kind: str) -> Native | None:
    origin = origin_of(block)
    if origin is not None and same(_decode_part(**origin), block):
        return deepcopy(origin["part"])  # type: ignore[no-any-return]
    if isinstance(block, Text):
        return {"type": kind, "text": block.text}
    if isinstance(block, Json):
        return {"type": kind, "text": json_text(block.value)}
    if isinstance(block, Media):
        return _encode_media(block) or {"type": kind, "text": encoding.stand_in(block)}
    encoding.dropped(block)
    return None


def encode_content(blocks: tuple[Block, ...], encoding: Encoding, role: str) -> list[Native]:
    """The parts for some blocks; what has none is a diagnostic."""
    kind = "output_text" if role == "assistant" else "input_text"
    return [part for block in blocks if (part := _encode_part(block, encoding, kind)) is not None]
