"""Find the field that is meant by a path or name from another program.

A path that neither the schema nor the payload knows means no field.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import below
from toolgen_runtime.hints.names import holds_arguments, word_set
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.spelling import fold, same_key
from toolgen_runtime.validation.issues import ANY_ITEM

MAX_VISITED = 5_000
MAX_PATH_DEPTH = 64
_WRAPPERS = word_set(
    "attributes call form inputs json object properties query querystring request root values variables"
)
"""Names of services for the arguments as a whole, folded, in addition to those that models use."""
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


def _is_wrapper(name: str | int) -> bool:
    return isinstance(name, str) and (fold(name) in _WRAPPERS or (name.islower() and holds_arguments(name)))


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [key for key in value if isinstance(key, str)]
    return []


def _has_items(node: SchemaNode, value: Any) -> bool:
    return isinstance(value, list) or "array" in node.types or (not node.types and not node.properties)


def _known_step(step: str | int, node: SchemaNode, value: Any) -> str | int | None:
    """Return a step in the spelling of the schema or the payload; None if neither contains it."""
    if isinstance(step, str) and step.isdecimal() and len(step) < 10 and _has_items(node, value):
        step = int(step)
    if isinstance(step, int):
        if step == ANY_ITEM or _has_items(node, value):
            return step
        return None
    keys = list(dict.fromkeys((*node.properties, *_keys(value))))
    if step in keys:
        return step
    spelt = same_key(step, keys)
    if spelt is None and node is not node.schema.root and not node.properties:
        return step if not node.types or "object" in node.types else None  # no declared keys: any fits
    return spelt


def _is_skipped(step: str | int, node: SchemaNode, is_first: bool) -> bool:
    """Return whether a step may be the name of a model, of a wrapper or of a union's branch."""
    if isinstance(step, int):
        return not is_first and bool(node.properties)  # Cerberus: {"address": [{"zip": [...]}]}
    return step[:1].isupper() or not step.isidentifier() or _is_wrapper(step) or bool(node.unions)


class Fields:
    """The fields of a tool's schema and payload, to be found by path or by name."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self.facts = facts
        self.payload = payload

    def at(self, steps: Sequence[str | int]) -> Place | None:
        """Find a path in the schema, and return it in the schema's spelling.

        A wrapper is skipped, even if a field has the same name.
        """
        place = self._follow(steps)
        if place is not None and not place.complete and _is_wrapper(steps[0]):
            return self.at(steps[1:]) or place
        return place

    def _follow(self, steps: Sequence[str | int]) -> Place | None:
        node, value, path = self.facts.root, self.payload, list[str | int]()
        for raw in steps[:MAX_PATH_DEPTH]:
            step = _known_step(raw, node, value)
            if step is not None:
                path.append(step)
                node, value = node.child(step), below(value, step)
            elif not _is_skipped(raw, node, not path):
                if path:
                    return Place(tuple(path), complete=False)
                return None
        return Place(tuple(path))

    def named(self, name: str, *, anywhere: bool = True) -> Place | None:
        """Find the only field that a name, or a path written as text, can mean.

        With `anywhere`, fields inside objects are searched too.
        """
        if " " in name:
            steps: tuple[str | int, ...] = (name,)
        else:
            steps = steps_in(name)
        while steps and isinstance(steps[0], int):
            steps = steps[1:]
        for start in range(min(3, len(steps))):  # `create.order.title`, without the operation's name
            found = self.at(steps[start:])
            if found is not None and found.path and (found.complete or not start):
                return found
        if anywhere and steps:
            return self._inside(steps)
        return None

    def _inside(self, steps: tuple[str | int, ...]) -> Place | None:
        """Return the place of steps whose first step is the name of exactly one field inside an object."""
        if _is_wrapper(steps[0]):
            found = []
        else:
            found = self._paths.get(fold(str(steps[0])), [])
        nearest = [path for path in found if len(path) == len(found[0])]
        if len(nearest) == 1:
            return self.at((*nearest[0], *steps[1:]))
        return None

    @cached_property
    def _paths(self) -> dict[str, list[Path]]:
        """The paths for each folded name in the payload and schema. Paths nearest to the root come first."""
        found: dict[str, list[Path]] = {}
        todo: deque[tuple[Path, SchemaNode, Any]] = deque([((), self.facts.root, self.payload)])
        seen: set[int] = set()
        for _ in range(MAX_VISITED):
            if not todo:
                break
            path, node, value = todo.popleft()
            if isinstance(value, dict | list):
                node = node.narrow(value)[0]
            elif id(node) in seen:
                continue
            seen.add(id(node))
            keys = [*dict.fromkeys((*node.properties, *_keys(value)))]
            for key in keys:
                found.setdefault(fold(key), []).append((*path, key))
            items = range(len(value) if isinstance(value, list) else "array" in node.types)
            if len(path) < MAX_PATH_DEPTH and len(todo) < MAX_VISITED:
                todo.extend(((*path, step), node.child(step), below(value, step)) for step in (*keys, *items))
        return found
