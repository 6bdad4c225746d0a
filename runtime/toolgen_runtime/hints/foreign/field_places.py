"""Find the place of a payload that another program's path or name means, using schema and payload.

A path unknown to both is not a place: services also report errors in their own responses.
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
MAX_DEPTH = 64
_WRAPPERS = word_set(
    "attributes call form inputs instance json object properties query querystring requestbody root this values"
    " variables"
)
"""Names of services for the arguments as a whole, folded, in addition to the names that models use."""
_STEP = re.compile(r"""\[\s?["']?([^\[\]"']{1,80})["']?\s?\]|([^.\[\]/#$\s"'`]{1,80}+)""")


def _is_wrapper(name: str) -> bool:
    """Return whether a name means the arguments as a whole."""
    return fold(name) in _WRAPPERS or (name.isalpha() and name.islower() and holds_arguments(name))


class Place(NamedTuple):
    """A path, and whether it covers the whole named path; if not, it ends at the last known name."""

    path: Path
    complete: bool = True


def place_of(steps: Sequence[str | int], facts: SchemaFacts, payload: Any) -> Place | None:
    """Return the place of a path, in the schema's spelling; None if it is not a path of this tool's payloads.

    Names of models, of wrappers around the arguments and of union branches are skipped, even if such a name is a
    field that cannot contain the rest of the path (`body.title`).
    """
    found = _followed(steps, facts, payload)
    is_wrapped = len(steps) > 1 and isinstance(steps[0], str) and _is_wrapper(steps[0])
    if is_wrapped and found is not None and not found.complete:
        inner = place_of(steps[1:MAX_DEPTH], facts, payload)
        return inner if inner is not None and inner.complete and inner.path else found
    return found


def _followed(steps: Sequence[str | int], facts: SchemaFacts, payload: Any) -> Place | None:
    node, value, path = facts.root, payload, list[str | int]()
    for raw in steps[:MAX_DEPTH]:
        step = _known_step(raw, node, value)
        if step is None:
            if passes_over(raw, node, at_root=not path):
                continue
            return Place(tuple(path), complete=False) if path else None
        path.append(step)
        node, value = node.child(step), below(value, step)
    return Place(tuple(path))


def _known_step(step: str | int, node: SchemaNode, value: Any) -> str | int | None:
    """Return the step as schema or payload spell it; None if neither has it."""
    if isinstance(step, int):
        return step if step == ANY_ITEM or _has_items(node, value) else None
    if knows(node, value, step):
        return step
    if step.isdecimal() and len(step) < 10 and _has_items(node, value):
        return int(step)
    spelt = same_key(step, node.properties) or same_key(step, _keys(value))
    if spelt is None and node is not node.schema.root and not node.properties:
        return step if not node.types or "object" in node.types else None  # no declared keys: any fits
    return spelt


def passes_over(step: str | int, node: SchemaNode, *, at_root: bool) -> bool:
    """Return whether a step of a path that is not a known name may be skipped."""
    if isinstance(step, int):
        # Cerberus: {"address": [{"zip": [...]}]}
        return not at_root and bool(node.properties) and "array" not in node.types
    if at_root:
        return _is_wrapper(step) or step[:1].isupper() or not step.isidentifier()
    return bool(node.unions) or step[:1].isupper() or any(c in "[(<-" for c in step)


def knows(node: SchemaNode, value: Any, name: str) -> bool:
    """Return whether the schema or the payload has a key at a place."""
    return name in node.properties or (isinstance(value, dict) and name in value)


def _keys(value: Any) -> list[str]:
    return [k for k in value if isinstance(k, str)] if isinstance(value, dict) else []


def _has_items(node: SchemaNode, value: Any) -> bool:
    return isinstance(value, list) or "array" in node.types or (not node.types and not node.properties)


def steps_in(text: str) -> tuple[str | int, ...]:
    """Return the steps of a path as text: `rows[3].qty`, `/rows/3/qty`, `$.rows.3`, `ticket[title]`, `Req.Age`."""
    found = [next(filter(None, match.groups())) for match in _STEP.finditer(text)]
    return tuple(int(s) if s.isdecimal() and len(s) < 10 else s for s in found)


class Names:
    """The names of a tool's fields with their paths: at the root, and inside objects of payload or schema."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self.facts = facts
        self.payload = payload

    def place(self, name: str, *, anywhere: bool = True) -> Place | None:
        """Return the place of a path as text, or of a name; None if there is none or several are possible.

        `anywhere`: the name may also be that of a field inside an object.
        """
        root, payload = self.facts.root, self.payload
        whole = " " in name or knows(root, payload, name)
        steps: tuple[str | int, ...] = (name,) if whole else steps_in(name)
        while steps and isinstance(steps[0], int):
            steps = steps[1:]
        if not steps:
            return None
        found = place_of(steps, self.facts, payload)
        if found is None:
            found = self._below_operation(steps)
        if found is not None and found.path:
            return found
        return self._elsewhere(steps) if anywhere else None

    def _below_operation(self, steps: tuple[str | int, ...]) -> Place | None:
        """Return the place of `createIssue.title` or `create.order.items[0].price`, without the operation's name."""
        for names, least in ((1, 1), (2, 2)):
            rest = steps[names:]
            if len(rest) >= least and all(isinstance(step, str) for step in steps[: names + 1]):
                found = place_of(rest, self.facts, self.payload)
                if found is not None and found.complete and found.path:
                    return found
        return None

    def _elsewhere(self, steps: tuple[str | int, ...]) -> Place | None:
        """Return the place of steps that begin at a field inside an object."""
        at = 0
        while at < len(steps) - 1 and str(steps[at])[:1].isupper():
            at += 1  # skip the name of a class or kind
        first = str(steps[at])
        found = [] if _is_wrapper(first) else self._index.get(fold(first), [])
        nearest = [path for path in found if len(path) == len(found[0])]
        exact = [path for path in nearest if path[-1] == first] or nearest
        return place_of((*exact[0], *steps[at + 1 :]), self.facts, self.payload) if len(exact) == 1 else None

    @cached_property
    def _index(self) -> dict[str, list[Path]]:
        """The paths of every folded name in payload and schema, those nearest to the root first."""
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
            else:
                seen.add(id(node))
            keys = [*dict.fromkeys((*node.properties, *_keys(value)))]
            items = range(len(value) if isinstance(value, list) else "array" in node.types)
            for key in keys:
                found.setdefault(fold(key), []).append((*path, key))
            if len(path) < MAX_DEPTH and len(todo) < MAX_VISITED:
                todo.extend(((*path, step), node.child(step), below(value, step)) for step in (*keys, *items))
        return found
