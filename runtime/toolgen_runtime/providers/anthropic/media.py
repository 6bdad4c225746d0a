"""Images and documents in Messages API blocks."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.messages.media import (
    citations_of,
    from_base64,
    to_base64,
    with_document,
)
from toolgen_runtime.providers.shared.messages.native import Decoding, text_or_none
from toolgen_runtime.providers.shared.messages.texts import joined_text
from toolgen_runtime.transcript.messages import CachePoint, Media, MediaKind


def _bytes(source: dict[str, Any]) -> bytes | None:
    """Return the bytes of a source; a document may be a text or several."""
    kind, data = source.get("type"), source.get("data")
    if kind == "base64":
        return from_base64(data)
    if kind == "content":
        content = source.get("content")
        data = content if isinstance(content, str) else joined_text(content, "\n")
    if kind in ("text", "content") and isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    return None


def decode_media(block: dict[str, Any], decoding: Decoding, cache: CachePoint | None) -> Media | None:
    """Return the media in an `image` or `document` block, None if it has no neutral form."""
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    kind: MediaKind = "image" if block.get("type") == "image" else "document"
    data = _bytes(source)
    uri = text_or_none(source.get("url")) if source.get("type") == "url" else None
    file_id = text_or_none(source.get("file_id")) if source.get("type") == "file" else None
    if data is None and uri is None and file_id is None:
        return None
    media_type = text_or_none(source.get("media_type"))
    return Media(
        kind,
        "text/plain" if source.get("type") == "content" else media_type,
        data,
        uri,
        text_or_none(block.get("title")),
        decoding.source(block, kind),
        file_id=file_id,
        context=text_or_none(block.get("context")),
        citations=citations_of(block),
        cache=cache,
    )


def _source(media: Media) -> dict[str, Any] | None:
    if media.data is None:
        if media.file_id is not None:
            return {"type": "file", "file_id": media.file_id}
        is_url = media.uri is not None and media.uri.startswith(("https://", "http://"))
        return {"type": "url", "url": media.uri} if is_url else None
    if media.kind == "document" and media.media_type in ("text/plain", "text/markdown", "text/csv"):
        return {"type": "text", "media_type": "text/plain", "data": media.data.decode("utf-8", "replace")}
    if media.kind == "document" and media.media_type != "application/pdf":
        return None
    return {"type": "base64", "media_type": media.media_type or "image/png", "data": to_base64(media.data)}


def encode_media(media: Media) -> dict[str, Any] | None:
    """Return the block for media, None where the API has no form: sound, film, or a URI that is not a URL."""
    source = _source(media) if media.kind in ("image", "document") else None
    if source is None:
        return None
    return with_document(media, {"type": media.kind, "source": source}, "title", media.name)
