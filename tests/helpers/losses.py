"""Finding what a provider's encoding of a foreign history lost: each text in it is a marker."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from toolgen_transcripts.codec.encoding import Encoded


def texts_of(value: Any) -> Iterator[str]:
    """All that an encoded value says; bytes and base64 as what they stand for."""
    if isinstance(value, dict):
        yield from map(str, value)
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, bytes):
        yield value.decode(errors="replace")
    elif isinstance(value, str):
        yield value
        tail = value.rpartition("base64,")[2]
        if re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", tail) and len(tail) % 4 == 0:
            yield b64decode(tail).decode(errors="replace")


def paths_to(value: Any, marker: str, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths_to(item, marker, (*at, key))
    elif isinstance(value, list):
        for item in value:
            yield from paths_to(item, marker, at)
    elif marker in " ".join(texts_of(value)):
        yield at


NEUTRAL = {"title": "name", "displayName": "name", "filename": "name", "mimeType": "media_type"}
"""What a diagnostic calls a member that has a neutral name."""

BLOCK_CODES = (
    "opaque-dropped",
    "reasoning-dropped",
    "turn-dropped",
    "media-dropped",
    "cache-dropped",
    "tool-change-dropped",
)


def is_named(native: list[Any], marker: str, encoded: Encoded) -> bool:
    """Whether a diagnostic is about the member that a marker stands in, or about its whole block."""
    path = next(paths_to(native, marker))
    for diagnostic in encoded.diagnostics:
        if marker in diagnostic.message or any(
            re.search(rf"\b{re.escape(NEUTRAL.get(key, key))}\b", diagnostic.message) for key in path
        ):
            return True
    return any(d.code in BLOCK_CODES for d in encoded.diagnostics) and in_dropped(native, marker, encoded)


def in_dropped(native: list[Any], marker: str, encoded: Encoded) -> bool:
    """Whether what is left out stands in the marker's message."""
    index = next(i for i, message in enumerate(native) if marker in " ".join(texts_of(message)))
    turns = {
        int(d.pointer.split("/")[2])
        for d in encoded.diagnostics
        if d.code in BLOCK_CODES and "turns" in d.pointer
    }
    return index in turns or len(native) > 3  # several items may be one turn
