"""Content parts of Chat Completions messages, and of the many servers that speak it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.shared.messages.media import (
    data_url,
    format_of,
    from_base64,
    from_data_url,
    kind_of,
    media_type_of,
)
from toolgen_runtime.providers.shared.messages.native import Decoding, Native, text_or_none
from toolgen_runtime.transcript.messages import CachePoint, Media, MediaKind, Opaque, Source, Text


def cache_point(members: Native, decoding: Decoding) -> CachePoint | None:
    """Return the cache point after a part or a message that is marked with one, as LiteLLM and OpenRouter take it."""
    mark = members.get("cache_control")
    if not isinstance(mark, dict):
        return None
    return CachePoint(text_or_none(mark.get("ttl")), decoding.source(mark, "cache_control"))


def _linked(kind: MediaKind, inner: Any, source: Source, cache: CachePoint | None) -> Media | None:
    """Return `image_url` and `video_url`: a URL, or an object with one; a data URL says what it is of."""
    url = inner.get("url") if isinstance(inner, dict) else inner
    inline = from_data_url(url)
    if inline is not None:
        found = kind_of(inline[0])
        return Media(found if found != "document" else kind, *inline, source=source, cache=cache)
    return Media(kind, uri=url, source=source, cache=cache) if isinstance(url, str) else None


def _file(file: Any, source: Source, cache: CachePoint | None) -> Media | None:
    if not isinstance(file, dict):
        return None
    name, id, inline = (
        text_or_none(file.get("filename")),
        text_or_none(file.get("file_id")),
        from_data_url(file.get("file_data")),
    )
    if inline is not None:
        return Media(kind_of(inline[0]), *inline, None, name, also(source, file, "file.file_id"), cache=cache)
    if id is None:
        return None
    source = also(source, file, "file.file_data")
    media_type = text_or_none(file.get("format"))
    uri = id if "://" in id else None  # LiteLLM takes URLs as ids
    return Media(
        kind_of(media_type),
        media_type,
        None,
        uri,
        name,
        source,
        file_id=None if uri else id,
        cache=cache,
    )


def also(source: Source, members: Native, path: str) -> Source:
    """Return the source of media that are given twice: what was not taken is unread."""
    other = path.rpartition(".")[2]
    return replace(source, unread=(*source.unread, path)) if members.get(other) is not None else source


def _audio(audio: Any, source: Source, cache: CachePoint | None) -> Media | None:
    if not isinstance(audio, dict) or (data := from_base64(audio.get("data"))) is None:
        return None
    return Media("audio", media_type_of("audio", audio.get("format")), data, source=source, cache=cache)


_MEDIA: Mapping[str, Callable[[Any, Source, CachePoint | None], Media | None]] = {
    "image_url": lambda inner, source, cache: _linked("image", inner, source, cache),
    "video_url": lambda inner, source, cache: _linked("video", inner, source, cache),
    "file": _file,
    "input_audio": _audio,
}


def decode_part(part: Any, decoding: Decoding) -> Text | Media | Opaque:
    """Return one content part."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return decoding.opaque(part)
    source, cache = decoding.source(part, kind), cache_point(part, decoding)
    text = part.get("refusal" if kind == "refusal" else "text")
    if kind in ("text", "refusal", "guarded_text") and isinstance(text, str):
        return Text(text, source, cache=cache)
    read = _MEDIA.get(kind)
    return (read(part.get(kind), source, cache) if read else None) or decoding.opaque(part)


def encode_media(media: Media) -> Native | None:
    """Return the part for media, None where the API has no form for it."""
    if media.kind == "image":
        url = media.uri if media.data is None else data_url(media.media_type, media.data)
        return {"type": "image_url", "image_url": {"url": url}} if url and not url.startswith("s3:") else None
    if media.data is None:
        if media.file_id is not None and media.kind == "document":
            named = {"filename": media.name} if media.name else {}
            return {"type": "file", "file": {"file_id": media.file_id, **named}}
        return None
    if media.kind == "audio" and (format := format_of("audio", media.media_type)) in ("mp3", "wav"):
        encoded = data_url(None, media.data).partition(",")[2]
        return {"type": "input_audio", "input_audio": {"data": encoded, "format": format}}
    if media.kind == "document":
        file = {"filename": media.name or "document", "file_data": data_url(media.media_type, media.data)}
        return {"type": "file", "file": file}
    return None
