"""Where the items of a JSON object or array are in its text."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


class Item(NamedTuple):
    """One member or element: its key or index, and the offsets of its start, its value, and its end."""

    name: str
    start: int
    value: int
    end: int


def items_of(text: str, start: int) -> list[Item]:
    """Return the items of the object or array that begins at `start`.

    Raises:
        json.JSONDecodeError: it is not JSON.
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
    """Return the offset of what follows the space at `at`.

    Raises:
        json.JSONDecodeError: only space follows.
    """
    space = _SPACE.match(text, at)
    at = space.end() if space else at
    if at >= len(text):
        raise json.JSONDecodeError("the text ends early", text, len(text))
    return at
