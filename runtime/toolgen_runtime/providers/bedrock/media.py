"""Images, documents, videos and audio in Converse blocks."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.bedrock.wire import WIRE
from toolgen_runtime.providers.shared.media import format_of, media_type_of
from toolgen_runtime.transcript.messages import Media, MediaKind, Source

_KINDS: tuple[MediaKind, ...] = ("image", "document", "video", "audio")


def decode_media(block: dict[str, Any]) -> Media | None:
    """The media in a block, None if it has none with a neutral form."""
    kind: MediaKind | None = next((k for k in _KINDS if k in block), None)
    inner = block[kind] if kind else None
    if kind is None or not isinstance(inner, dict) or not isinstance(inner.get("source"), dict):
        return None
    source, name = inner["source"], inner.get("name")
    location = source.get("s3Location")
    data = source.get("bytes")
    uri = location.get("uri") if isinstance(location, dict) else None
    if not isinstance(data, bytes) and not isinstance(uri, str):
        return None
    return Media(
        kind,
        media_type_of(kind, inner.get("format")),
        data if isinstance(data, bytes) else None,
        uri if isinstance(uri, str) else None,
        name if isinstance(name, str) else None,
        Source(WIRE.provider, block),
    )


def encode_media(media: Media) -> dict[str, Any] | None:
    """The block for media, None where Converse has no form: another format, or a URI that is not S3's."""
    format = format_of(media.kind, media.media_type)
    if format is None:
        return None
    if media.data is not None:
        source: dict[str, Any] = {"bytes": media.data}
    elif media.uri is not None and media.uri.startswith("s3://"):
        source = {"s3Location": {"uri": media.uri}}
    else:
        return None
    inner: dict[str, Any] = {"format": format, "source": source}
    if media.kind == "document":
        inner["name"] = media.name or "document"
    return {media.kind: inner}
