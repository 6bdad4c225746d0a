"""Find the field that is meant by a path or name from another program.

A path that neither the schema nor the payload knows means no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import below
from toolgen_runtime.hints.names import holds_arguments
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.spelling import fold, same_key

MAX_VISITED = 5_000
MAX_PATH_DEPTH = 64
_STEP = re.compile(r"""\[\s?["']?([^\[\]"']{1,80})["']?\s?\]|([^.\[\]/#$\s"'`]{1,80}+)""")


class Place(NamedTuple):
    """The path of the field that is meant, and whether it covers all steps of the given path.

    If it does not, it ends at the last known name.
    """

    path: Path
    complete: bool = True


def steps_in(text: str) -> tuple[str | int, ...]:
    """Split a path that is written as text into its steps.

    The path may be `rows[3].qty`, `/rows/3/qty`, `$.rows.3`, `ticket[title]` or `Req.Age`.
    """
    found = [next(filter(None, match.groups())) for match in _STEP.finditer(text)]
    return tuple(int(step) if step.isdecimal() and len(step) < 10 else step for step in found)


class Fields:
    """The fields of a tool's schema and payload, to be found by path or by name."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self.facts = facts
        self.payload = payload

    def find(self, steps: Sequence[str | int], *, anywhere: bool = True) -> Place | None:
        """Find the only field that a path can mean, and return it in the schema's spelling.

        What a service has around the arguments is skipped. With `anywhere`, a name may also be that of the only such
        field inside an object.
        """
        place = None
        for start in range(min(len(steps), MAX_PATH_DEPTH)):
            if start and isinstance(steps[start], int):
                break
            found = self._follow(steps[start:])
            if found is None:
                continue
            if found.complete:
                return found
            if not start or holds_arguments(str(steps[start - 1])):
                place = found
            if not holds_arguments(str(steps[start])):
                break
        if place is None and anywhere and steps:
            nearest = self._inside.get(fold(str(steps[0])), [])
            if len(nearest) == 1:
                return self._follow((*nearest[0], *steps[1:]))
        return place

    def _follow(self, steps: Sequence[str | int]) -> Place | None:
        """Follow steps from the root as far as they are known; return None if the first one is not."""
        node, value, path = self.facts.root, self.payload, list[str | int]()
        complete = True
        for raw in steps[:MAX_PATH_DEPTH]:
            step = _known_step(raw, node, value)
            if step is None and path and isinstance(raw, int):
                continue  # the number of an error: {"address": [{"zip": [...]}]}
            if step is None or (not path and isinstance(step, int)):
                complete = False
                break
            path.append(step)
            node, value = node.child(step), below(value, step)
        if path:
            return Place(tuple(path), complete)
        return None

    @cached_property
    def _inside(self) -> dict[str, list[Path]]:
        """The paths nearest to the root for each folded name inside an object."""
        found: dict[str, list[Path]] = {}
        for path in self._paths():
            same = found.setdefault(fold(str(path[-1])), [])
            if not same or len(same[0]) == len(path):
                same.append(path)
        return found

    def _paths(self) -> Iterator[Path]:
        """Yield the paths of all keys in the payload and the schema, those nearest to the root first."""
        todo: list[tuple[Path, SchemaNode, Any]] = [((), self.facts.root, self.payload)]
        seen: set[int] = set()
        for path, node, value in todo:  # grows while it is read
            if id(node) in seen and not isinstance(value, dict | list):
                continue
            seen.add(id(node))
            keys = _keys(node, value)
            yield from ((*path, key) for key in keys)
            items = range(len(value) if isinstance(value, list) else "array" in node.types)
            if len(path) < MAX_PATH_DEPTH and len(todo) < MAX_VISITED:
                todo += [((*path, step), node.child(step), below(value, step)) for step in (*keys, *items)]


def _keys(node: SchemaNode, value: Any) -> list[str]:
    """Return the keys that the schema declares and those that were sent."""
    if isinstance(value, dict):
        return [*dict.fromkeys((*node.properties, *(key for key in value if isinstance(key, str))))]
    return [*node.properties]


def _known_step(step: str | int, node: SchemaNode, value: Any) -> str | int | None:
    """Return a step in the spelling of the schema or the payload; None if neither contains it."""
    has_items = isinstance(value, list) or "array" in node.types or not (node.types or node.properties)
    if has_items and isinstance(step, str) and step.isdecimal() and len(step) < 10:
        step = int(step)
    if isinstance(step, int):
        if has_items:
            return step
        return None
    keys = _keys(node, value)
    if step in keys:
        return step
    spelt = same_key(step, keys)
    takes_any = not node.properties and (not node.types or "object" in node.types)
    if spelt is None and takes_any and node is not node.schema.root:
        return step
    return spelt
