"""JSON that is changed in places and stays as it was written in all others.

Python's numbers do not keep their text (`1.10`, `1e2`, `-0`), and an id has to go back as it came (JSON-RPC 2.0, 5).
Texts are expected to be well-formed. Time is linear, and nothing recurs with their depth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any, Final

MAX_LEVELS: Final = 4
"""Levels of a message that are looked through for what has changed: a message's `params`, their `arguments`."""
_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
_KEY: Final = re.compile(r'\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+")\s*+:', re.DOTALL)
_SPACE: Final = " \t\r\n"


def elements(text: str) -> list[str]:
    """Return the texts of an array's elements."""
    return [part.strip(_SPACE) for part in _parts(text) if part.strip(_SPACE)]


def members(text: str) -> dict[str, str]:
    """Return the texts of an object's members, by key."""
    keys = ((part, _KEY.match(part)) for part in _parts(text))
    return {json.loads(key[1], strict=False): part[key.end() :].strip(_SPACE) for part, key in keys if key}


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas of an array or an object."""
    depth = begin = 0
    for token in _TOKEN.finditer(text):
        char = token[0]
        if char in "[{":
            depth += 1
            begin = token.end() if depth == 1 else begin
        elif char in "]}":
            depth -= 1
            if depth == 0:
                yield text[begin : token.start()]
                return
        elif char == "," and depth == 1:
            yield text[begin : token.start()]
            begin = token.end()


def rewritten(text: str, old: Any, new: Any, *, levels: int = MAX_LEVELS) -> str:
    """Return the text of `new`; what it has in common with `old`, which is the value of `text`, as it stands there.

    What is looked for in common: the same objects, and equal scalars in the places where they were.
    """
    if new is old or (_is_scalar(new) and type(new) is type(old) and new == old):
        return text
    if levels and isinstance(new, dict) and isinstance(old, dict):
        texts = members(text)
        pairs = (
            f"{json.dumps(key)}:{_part(texts.get(key), old.get(key), value, levels)}"
            for key, value in new.items()
        )
        return f"{{{','.join(pairs)}}}"
    if levels and isinstance(new, list) and isinstance(old, list):
        nothing = repeat(None)
        before = zip(chain(elements(text), nothing), chain(old, nothing), new, strict=False)
        parts = (_part(*each, levels) for each in before)
        return f"[{','.join(parts)}]"
    return json.dumps(new, separators=(",", ":"))


def _part(text: str | None, old: Any, new: Any, levels: int) -> str:
    if text is None:
        return json.dumps(new, separators=(",", ":"))
    return rewritten(text, old, new, levels=levels - 1)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (dict, list))
