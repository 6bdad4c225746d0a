"""Find where the items of a JSON text begin and end, and blank out comments in it."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()
_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENTS: Final = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMAS: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_SHOWN: Final = re.compile(r"[^\r\n]")


class Item(NamedTuple):
    """An item of an object or array in a text: its key or index, and where it starts, where its value starts,
    and where it ends.
    """

    name: str
    start: int
    value: int
    end: int


def items_of(text: str, start: int) -> list[Item]:
    """Return the items of the object or array that begins at the offset `start`.

    Raises:
        json.JSONDecodeError: the text is not JSON.
    """
    found: list[Item] = []
    is_object, at = text[start] == "{", after_space(text, start + 1)
    while text[at] not in "]}":
        name, first = str(len(found)), at
        if is_object:
            name, at = _DECODER.raw_decode(text, at)
            at = after_space(text, after_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(Item(name, first, at, end))
        at = after_space(text, end)
        if text[at] == ",":
            at = after_space(text, at + 1)
    return found


def after_space(text: str, at: int) -> int:
    """Return the offset of the first character at or after `at` that is not whitespace.

    Raises:
        json.JSONDecodeError: only whitespace follows.
    """
    space = _SPACE.match(text, at)
    if space:
        at = space.end()
    if at >= len(text):
        raise json.JSONDecodeError("the text ends early", text, len(text))
    return at


def as_json(text: str) -> str:
    """Replace comments, and commas before closing brackets, with spaces, so that all offsets stay the same."""
    return _COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return _SHOWN.sub(" ", match[0])
