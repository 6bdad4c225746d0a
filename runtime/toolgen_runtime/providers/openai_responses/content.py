"""Content parts of Responses API messages.

A part remembers its message (its number among the items, and the rest of it), since several messages of the
model in a row make one turn and must come apart again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.openai.content import also
from toolgen_runtime.providers.openai_responses.wire import WIRE
from toolgen_runtime.providers.shared.messages.media import data_url, from_data_url, kind_of
from toolgen_runtime.providers.shared.messages.native import Native, as_list, same, text_or_none
from toolgen_runtime.providers.shared.messages.unread import unread
from toolgen_runtime.transcript.messages import Block, Media, Opaque, Source, Text

_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")


def origin_of(block: Block) -> Native | None:
    """Return the message number, the rest of the message and the part that a block was read from, if it was."""
    if isinstance(block, Opaque):
        origin = block.value if block.provider == WIRE.provider else None
    else:
        origin = block.source.value if block.source and block.source.provider == WIRE.provider else None
    return origin if isinstance(origin, dict) and set(origin) == {"message", "rest", "part"} else None


def _decode_media(part: Native, source: Source) -> Media | None:
    kind, file_id = part.get("type"), text_or_none(part.get("file_id"))
    if kind == "input_image":
        url = part.get("image_url")
        inline = from_data_url(url)
        if inline is not None:
            return Media("image", inline[0], inline[1], source=also(source, part, "file_id"))
        uri = text_or_none(url)
        return Media("image", uri=uri, source=source, file_id=file_id) if uri or file_id else None
    if kind != "input_file":
        return None
    name, inline = text_or_none(part.get("filename")), from_data_url(part.get("file_data"))
    if inline is not None:
        for other in ("file_url", "file_id"):
            source = also(source, part, other)
        return Media(kind_of(inline[0]), inline[0], inline[1], None, name, source)
    source, uri = also(source, part, "file_data"), text_or_none(part.get("file_url"))
    return Media("document", None, None, uri, name, source, file_id=file_id) if uri or file_id else None


def decode_part(part: Any, message: int, rest: Native) -> Text | Media | Opaque:
    """Return a part of message number `message`; `rest` is the message without its list of parts."""
    value = {"message": message, "rest": rest, "part": part}
    if isinstance(part, dict):
        kind = str(part.get("type"))
        reads = WIRE.messages.reads.get(kind, frozenset())
        source = Source(WIRE.provider, value, unread(part, reads))
        text = part.get("refusal" if kind == "refusal" else "text")
        if kind in (*_TEXTS, "refusal") and isinstance(text, str):
            return Text(text, source)
        media = _decode_media(part, source)
        if media is not None:
            return media
    return Opaque(WIRE.provider, value)


def decode_content(content: object, rest: Native, message: int) -> tuple[Text | Media | Opaque, ...]:
    """Return the content of message number `message`; `rest` is the message without a list of parts."""
    of_message = unread(rest, WIRE.messages.reads["message"])
    if isinstance(content, str):
        value = {"message": message, "rest": rest, "part": None}
        return (Text(content, Source(WIRE.provider, value, of_message)),)
    blocks = [decode_part(p, message, rest) for p in as_list(content)]
    first = blocks[0] if blocks else None
    if of_message and first is not None and not isinstance(first, Opaque) and first.source is not None:
        source = replace(first.source, unread=(*first.source.unread, *of_message))
        blocks[0] = replace(first, source=source)
    return tuple(blocks)


def part_of(block: Block) -> Native | None:
    """Return the native part that a block came from, None where it says something else by now."""
    origin = origin_of(block)
    if origin is None or origin["part"] is None:
        return None
    return deepcopy(origin["part"]) if same(decode_part(origin["part"], 0, {}), block) else None


def encode_media(media: Media) -> Native | None:
    """Return the part for media, None where the API has no form for it."""
    url = media.uri if media.data is None else data_url(media.media_type, media.data)
    named = {"filename": media.name} if media.name and media.kind == "document" else {}
    if media.kind in ("audio", "video") or (url is not None and url.startswith("s3:")):
        return None
    if url is None:
        kind = "input_image" if media.kind == "image" else "input_file"
        return {"type": kind, "file_id": media.file_id, **named} if media.file_id else None
    if media.kind == "image":
        return {"type": "input_image", "detail": "auto", "image_url": url}
    if media.data is None:
        return {"type": "input_file", "file_url": url, **named}
    return {"type": "input_file", "filename": media.name or "document", "file_data": url}


def texts_of(parts: object) -> Sequence[str]:
    """Return the texts in a list of parts."""
    found = (part.get("text") for part in as_list(parts) if isinstance(part, dict))
    return [text for text in found if isinstance(text, str)]
