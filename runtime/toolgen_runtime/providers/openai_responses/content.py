"""Content parts of Responses API messages."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_runtime.providers.openai.content import also
from toolgen_runtime.providers.shared.messages.media import data_url, from_data_url, kind_of
from toolgen_runtime.providers.shared.messages.native import Native, as_list, text_or_none
from toolgen_runtime.transcript.messages import Media, Source, Text

_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")


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


def decode_part(part: Native, source: Source) -> Text | Media | None:
    """Return the neutral form of a part, None if it has none."""
    kind = str(part.get("type"))
    text = part.get("refusal" if kind == "refusal" else "text")
    if kind in (*_TEXTS, "refusal") and isinstance(text, str):
        return Text(text, source)
    return _decode_media(part, source)


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
