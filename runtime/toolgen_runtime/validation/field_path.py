"""Parsing of dotted fields into paths: the inverse of `toolgen_runtime.validation.issues.field_of`."""

from __future__ import annotations

import json
import re

ANY_ITEM = -1
"""The step for several items of an array: `[]`, `[*]` or `[0-29]`."""

_STEP = re.compile(
    r"""\["(?P<quoted>(?:[^"\\]|\\.)*)"\]     # ["odd.key"]
      | \[(?P<index>\d{1,9})\]                # [3]
      | \[(?P<items>[^\["\]]*)\]              # [], [*], [0-29], [1,4]
      | \.?(?P<name>[^.\[\]]+)                # name, .name
    """,
    re.VERBOSE,
)


def parse_field(field: str) -> tuple[str | int, ...] | None:
    """Return the path of a dotted field: `rows[3].qty` is `("rows", 3, "qty")`.

    `rows[].qty` has `ANY_ITEM` in place of the 3. Return None if the text is not a field.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(field):
        match = _STEP.match(field, at)
        if match is None:
            return None
        at = match.end()
        if (name := match["name"]) is not None:
            steps.append(name)
        elif (index := match["index"]) is not None:
            steps.append(int(index))
        elif (quoted := match["quoted"]) is not None:
            try:
                steps.append(json.loads(f'"{quoted}"', strict=False))
            except ValueError:
                return None
        else:
            steps.append(ANY_ITEM)
    return tuple(steps)


def items_field(field: str) -> str:
    """Return a field with `ANY_ITEM`, which `field_of` writes as `rows[-1].qty`, as `rows[].qty`."""
    return field.replace(f"[{ANY_ITEM}]", "[]")
