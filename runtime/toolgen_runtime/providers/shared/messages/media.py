"""MIME types beside the short format names and data URLs that providers use, and texts in parts."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from toolgen_runtime.transcript.messages import Media, MediaKind

_FORMATS: Mapping[str, Mapping[str, str]] = {
    "image": {
        "png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    },
    "document": {
        "pdf": "application/pdf", "csv": "text/csv", "html": "text/html", "txt": "text/plain",
        "md": "text/markdown",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    },
    "video": {
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp4": "video/mp4", "webm": "video/webm",
        "flv": "video/x-flv", "mpeg": "video/mpeg", "mpg": "video/mpg", "wmv": "video/x-ms-wmv",
        "three_gp": "video/3gpp",
    },
    "audio": {
        "mp3": "audio/mpeg", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg", "aac": "audio/aac",
        "opus": "audio/opus", "m4a": "audio/mp4", "webm": "audio/webm",
    },
}  # fmt: skip


_KINDS: Mapping[str, MediaKind] = {"image": "image", "video": "video", "audio": "audio"}

_ALIASES: Mapping[str | None, str] = {
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
}
"""Names that are no registered MIME types, but are in use."""


def media_type_of(kind: str, format: object) -> str | None:
    """Return the MIME type of a provider's format name (`png`), None if it is unknown."""
    return _FORMATS.get(kind, {}).get(format) if isinstance(format, str) else None


def format_of(kind: str, media_type: str | None) -> str | None:
    """Return the format name of a MIME type, None if the kind has none for it."""
    registered = _ALIASES.get(media_type, media_type)
    return next((f for f, m in _FORMATS.get(kind, {}).items() if m == registered), None)


def kind_of(media_type: str | None) -> MediaKind:
    """Return what a MIME type is of; anything but pictures, sound and film is a document."""
    return _KINDS.get((media_type or "").partition("/")[0], "document")


def with_document(media: Media, members: dict[str, Any], name_key: str, name: str | None) -> dict[str, Any]:
    """Return the members of a block with what a document says beside its content."""
    if media.kind != "document":
        return members
    said = {name_key: name or None, "context": media.context}
    cited = {} if media.citations is None else {"citations": {"enabled": media.citations}}
    return {**members, **{key: value for key, value in said.items() if value is not None}, **cited}


def citations_of(members: Mapping[str, Any]) -> bool | None:
    """Return whether a document is to be cited, None if it is not said."""
    cited = members.get("citations")
    enabled = cited.get("enabled") if isinstance(cited, dict) else None
    return enabled if isinstance(enabled, bool) else None


def from_base64(text: object) -> bytes | None:
    """Return the bytes of a base64 text, in either alphabet of RFC 4648; None if it is not one."""
    if not isinstance(text, str):
        return None
    try:
        return b64decode(text, altchars=b"-_" if "-" in text or "_" in text else None, validate=True)
    except (binascii.Error, ValueError):
        return None


def to_base64(data: bytes) -> str:
    """Return the base64 text of some bytes."""
    return b64encode(data).decode("ascii")


def data_url(media_type: str | None, data: bytes) -> str:
    """Return a `data:` URL (RFC 2397)."""
    return f"data:{media_type or 'application/octet-stream'};base64,{to_base64(data)}"


def from_data_url(url: object) -> tuple[str, bytes] | None:
    """Return the MIME type and bytes of a base64 `data:` URL, None if it is not one."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    head, separator, tail = url[5:].partition(";base64,")
    data = from_base64(tail) if separator else None
    return None if data is None else (head, data)


def joined_text(parts: Any, separator: str = "") -> str | None:
    """Return the texts of a list of `{"text": ...}` parts in one; None where it has anything else, or nothing."""
    if not isinstance(parts, list) or not parts:
        return None
    texts = [part.get("text") if isinstance(part, Mapping) else None for part in parts]
    return separator.join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def search_result_text(result: Mapping[str, Any]) -> str | None:
    """Return a search result (Bedrock, Anthropic) as a text: its title, where it is from, what it says."""
    text = joined_text(result.get("content"), "\n")
    if text is None:
        return None
    lines = [line for line in (result.get("title"), result.get("source")) if isinstance(line, str) and line]
    return "\n".join([*lines, text])
