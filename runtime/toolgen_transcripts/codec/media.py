"""Read and write images, documents, audio and video in the form of each API, and texts that are lists of
parts.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from toolgen_transcripts.codec.members import JsonObject, Native, at_path, text_or_none
from toolgen_transcripts.messages import Media, MediaKind

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
"""Names in use that are not registered MIME types."""


def kind_of(media_type: str | None) -> MediaKind:
    """Return the kind of media for a MIME type. Everything except images, audio and video is a document."""
    return _KINDS.get((media_type or "").partition("/")[0], "document")


def from_base64(text: object) -> bytes | None:
    """Decode base64 text in either alphabet of RFC 4648; return None if it is not base64."""
    if not isinstance(text, str):
        return None
    try:
        return b64decode(text, altchars=b"-_" if "-" in text or "_" in text else None, validate=True)
    except (binascii.Error, ValueError):
        return None


def to_base64(data: bytes) -> str:
    """Encode bytes as base64 text."""
    return b64encode(data).decode("ascii")


def from_data_url(url: object) -> tuple[str, bytes] | None:
    """Return the MIME type and the bytes of a base64 `data:` URL; return None for any other URL."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    head, separator, tail = url[5:].partition(";base64,")
    data = from_base64(tail if separator else None)
    if data is None:
        return None
    return (head, data)


def joined_text(parts: Any, separator: str = "") -> str | None:
    """Join the texts of a list of `{"text": ...}` parts.

    Return None if the list is empty or contains other items.
    """
    if not isinstance(parts, list) or not parts:
        return None
    texts = [at_path(part, ("text",)) for part in parts]
    if all(isinstance(text, str) for text in texts):
        return separator.join(map(str, texts))
    return None


def search_result_text(result: JsonObject) -> str | None:
    """Return a search result (Bedrock, Anthropic) as text that contains its title, source and content."""
    text = joined_text(result.get("content"), "\n")
    if text is None:
        return None
    lines = [line for line in (result.get("title"), result.get("source")) if isinstance(line, str) and line]
    return "\n".join([*lines, text])


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, bytes):
        return value
    return from_base64(value)


def _utf8(value: Any) -> bytes | None:
    """Return a string, or a list of text parts, as bytes."""
    text = joined_text(value, "\n")
    if isinstance(value, str):
        text = value
    if text is None:
        return None
    return text.encode("utf-8", "surrogatepass")


def _itself(value: Any) -> Any:
    return value


def never(_: Any) -> None:
    """Return None. This is the `write` function for fields that are only read."""


class Slot(NamedTuple):
    """The position of one value in a `MediaForm`, with functions to `read` and `write` it.

    None means that there is no value. If a `needed` field is missing, a block does not match the form. A field may be
    needed for `writing` only.
    """

    field: str
    read: Callable[[Any], Any] = text_or_none
    write: Callable[[Any], Any] = _itself
    needed: bool | Literal["writing"] = True
    default: str | None = None


NAME: Final = Slot("name", needed=False)
FILE_NAME: Final = Slot("name", needed="writing", default="document")
CONTEXT: Final = Slot("context", needed=False)
CITATIONS: Final = Slot("citations", lambda v: v if isinstance(v, bool) else None, needed=False)
TYPE: Final = Slot("media_type", needed=False)
READ_TYPE: Final = Slot("media_type", write=never, needed=False)
WRITTEN_TYPE: Final = Slot("media_type", needed="writing")
FILE: Final = Slot("file_id")
URL: Final = Slot("uri", write=lambda uri: None if uri.startswith("s3:") else uri)
BYTES: Final = Slot("data", _bytes)
BASE64: Final = Slot("data", _bytes, to_base64)
TEXT: Final = Slot("data", _utf8, lambda data: data.decode("utf-8", "replace"))
TEXTS: Final = Slot("data", _utf8, never)
DATA_URL: Final = Slot("data_url", from_data_url)
"""The media type and the bytes in one string."""


def format_slot(kind: MediaKind, *written: str) -> Slot:
    """Return the slot for a media type that is written as a short name, such as `png`.

    If `written` is given, only the types in it are written.
    """
    names = _FORMATS[kind]
    formats = {known: name for name, known in reversed([*names.items()]) if not written or name in written}
    return Slot(
        "media_type",
        lambda name: names.get(name) if isinstance(name, str) else None,
        lambda known: formats.get(_ALIASES.get(known, known)),
        needed="writing",
    )


class MediaForm:
    """One way in which an API represents media. `template` is the block, with slots for the values that vary.

    A key in the template may have several spellings (`a|b`), of which the first is written. If `kind` is set, only
    media of this kind are written in this form.
    """

    def __init__(self, template: JsonObject, kind: MediaKind | None = None) -> None:
        self.template = template
        self.kind = kind

    def read(self, block: JsonObject) -> Native | None:
        """Read media from a block. Return their fields, or None if the block does not have this form."""
        found = _matched(self.template, block)
        if found is None:
            return None
        kind = self.kind
        if inline := found.pop("data_url", None):  # its media type may determine the kind
            found |= {"media_type": inline[0], "data": inline[1]}
            kind = kind if kind_of(inline[0]) == "document" else None
        return {"kind": kind or kind_of(found.get("media_type")), **found}

    def write(self, media: Media) -> Native | None:
        """Write media in this form; return None if this is not possible."""
        if self.kind in (None, media.kind):
            written = _filled(self.template, media)
            if isinstance(written, dict):
                return written
        return None

    @cached_property
    def reads(self) -> frozenset[str]:
        """The dotted paths of the fields that this form reads from a block."""
        return frozenset(_paths(self.template, ""))


def _matched(template: Any, value: Any) -> Native | None:
    if isinstance(template, Slot):
        if template.read is never:
            return {}
        read = template.read(value)
        if read is None and template.needed is True:
            return None
        return {template.field: read}
    if not isinstance(template, Mapping):
        if value == template:
            return {}
        return None
    members, found = value if isinstance(value, Mapping) else {}, dict[str, Any]()
    for key, inner in template.items():
        given = (members[name] for name in key.split("|") if members.get(name) is not None)
        part = _matched(inner, next(given, None))
        if part is None:
            return None
        found |= part
    return found


_LEFT_OUT: Final = object()


def _filled(template: Any, media: Media) -> Any:
    """Return the template with its slots filled; None if a needed slot cannot be filled."""
    if template is DATA_URL:
        named = media.media_type or "application/octet-stream"
        if media.data is None:
            return None
        return f"data:{named};base64,{to_base64(media.data)}"
    if isinstance(template, Slot):
        given = getattr(media, template.field, None)
        if given in (None, ""):
            given = template.default
        written = None if given is None else template.write(given)
        if written is None and not template.needed:
            return _LEFT_OUT
        return written
    if not isinstance(template, Mapping):
        return template
    filled = {key.partition("|")[0]: _filled(inner, media) for key, inner in template.items()}
    if None in filled.values():
        return None
    return {key: value for key, value in filled.items() if value is not _LEFT_OUT} or _LEFT_OUT


def _paths(template: Any, at: str) -> Iterator[str]:
    if isinstance(template, Mapping):
        for key, inner in template.items():
            for name in key.split("|"):
                yield from _paths(inner, f"{at}.{name}" if at else name)
    elif template is TEXTS:
        yield from (f"{at}.type", f"{at}.text")
    elif not (isinstance(template, Slot) and template.read is never):
        yield at
