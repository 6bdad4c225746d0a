"""Images and documents in Messages API blocks."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.media import from_base64, to_base64
from toolgen_runtime.transcript.messages import Media, MediaKind, Source


def decode_media(block: dict[str, Any]) -> Media | None:
    """The media in an `image` or `document` block, None if it has no neutral form."""
    source, title = block.get("source"), block.get("title")
    if not isinstance(source, dict):
        return None
    name = title if isinstance(title, str) else None
    kind: MediaKind = "image" if block.get("type") == "image" else "document"
    data, uri, media_type = None, None, source.get("media_type")
    if source.get("type") == "base64":
        data = from_base64(source.get("data"))
    elif source.get("type") == "text" and isinstance(source.get("data"), str):
        data = source["data"].encode("utf-8", "surrogatepass")
    elif source.get("type") == "url" and isinstance(source.get("url"), str):
        uri = source["url"]
    if data is None and uri is None:
        return None
    return Media(
        kind,
        media_type if isinstance(media_type, str) else None,
        data,
        uri,
        name,
        Source(WIRE.provider, block),
    )


def encode_media(media: Media) -> dict[str, Any] | None:
    """The block for media, None where the API has no form: sound, film, or a URI that is not a URL."""
    if media.kind not in ("image", "document"):
        return None
    if media.data is None:
        if media.uri is None or not media.uri.startswith(("https://", "http://")):
            return None
        source = {"type": "url", "url": media.uri}
    elif media.kind == "document" and media.media_type in ("text/plain", "text/markdown", "text/csv"):
        source = {"type": "text", "media_type": "text/plain", "data": media.data.decode("utf-8", "replace")}
    elif media.kind == "document" and media.media_type != "application/pdf":
        return None
    else:
        media_type = media.media_type or "image/png"
        source = {"type": "base64", "media_type": media_type, "data": to_base64(media.data)}
    titled = {"title": media.name} if media.name and media.kind == "document" else {}
    return {"type": media.kind, "source": source, **titled}
