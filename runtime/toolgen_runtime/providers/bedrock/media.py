"""Images, documents, videos and audio in Converse blocks."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.messages.media import (
    citations_of,
    format_of,
    from_base64,
    media_type_of,
    with_document,
)
from toolgen_runtime.providers.shared.messages.native import Decoding, text_or_none
from toolgen_runtime.providers.shared.messages.texts import joined_text
from toolgen_runtime.transcript.messages import Media, MediaKind

_KINDS: tuple[MediaKind, ...] = ("image", "document", "video", "audio")


def _bytes(source: dict[str, Any]) -> bytes | None:
    """Return the bytes of a source; a document may be a text or several."""
    data, text = source.get("bytes"), source.get("text")
    if data is not None:  # boto3 has bytes, its JSON form base64
        return data if isinstance(data, bytes) else from_base64(data)
    if text is None:
        text = joined_text(source.get("content"), "\n")
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None


def decode_media(block: dict[str, Any], native: Any, decoding: Decoding) -> Media | None:
    """Return the media in a block, None if it has none with a neutral form; `native` is what is remembered of it."""
    kind: MediaKind | None = next((k for k in _KINDS if k in block), None)
    inner = block[kind] if kind else None
    if kind is None or not isinstance(inner, dict) or not isinstance(inner.get("source"), dict):
        return None
    location = inner["source"].get("s3Location")
    data = _bytes(inner["source"])
    uri = text_or_none(location.get("uri")) if isinstance(location, dict) else None
    if data is None and uri is None:
        return None
    return Media(
        kind,
        media_type_of(kind, inner.get("format")),
        data,
        uri,
        text_or_none(inner.get("name")),
        decoding.source(native),
        context=text_or_none(inner.get("context")),
        citations=citations_of(inner),
    )


def encode_media(media: Media) -> dict[str, Any] | None:
    """Return the block for media, None where Converse has no form: another format, or a URI that is not S3's."""
    format = format_of(media.kind, media.media_type)
    if format is None:
        return None
    if media.data is not None:
        source: dict[str, Any] = {"bytes": media.data}
    elif media.uri is not None and media.uri.startswith("s3://"):
        source = {"s3Location": {"uri": media.uri}}
    else:
        return None
    inner = with_document(media, {"format": format, "source": source}, "name", media.name or "document")
    return {media.kind: inner}
