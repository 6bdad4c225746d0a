"""Secret values: find them by a tool's schema, and show issues and payloads without them.

A value is secret if its schema, or the schema of a value around it, has `writeOnly: true` or `format: password`, or
if its key is among a registry's `secrets`. A value that may contain a secret, or was sent instead of one, is treated
as secret.

Every generated package with secrets loads this module, so it imports very little.
"""

from __future__ import annotations

from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Node = tuple[int, tuple[int, ...], Mapping[str | int, tuple[int, ...]], tuple[int, ...], tuple[int, ...]]
    """One schema: its state (`SECRET`, `LEADING` to a secret, or neither), and the indices of the schemas for the same
    value, for each key and index that it declares, for any other key, and for any item."""

SECRET, LEADING = 2, 1
MASK = repr(Secret(None))
MIN_SCRUBBED = 4
"""Shorter secrets, in characters, are not masked in other texts."""
_TEXT = frozenset(("json", "truncated"))


def fold_name(name: object) -> str:
    """Return a key without case and separators: `apiKey`, `API_KEY` and `api-key` are the same name."""
    if isinstance(name, str):
        return "".join([c for c in name.casefold() if c.isalnum()])
    return ""


class Secrets:
    """The secrets of one tool, found by the schemas that lead to them (`nodes`) and by the names of keys."""

    __slots__ = ("_found", "_hidden_names", "_names", "_nodes", "_start")

    def __init__(
        self, nodes: tuple[Node, ...] = (), names: Iterable[str] = (), start: Iterable[int] = (0,)
    ) -> None:
        """`nodes` are the schemas that lead to a secret, `start` those of the payload; -1 means a secret value."""
        self._nodes = nodes
        self._names = frozenset(map(fold_name, names)) - {""}
        if nodes:
            self._start = self._closed(start)
        else:
            self._start = frozenset[int]()
        self._hidden_names: frozenset[str] | None = None
        self._found: dict[tuple[frozenset[int], str | int | None], frozenset[int]] = {}
        """The results of `_below`; their number is bounded by the schemas."""

    def at(self, *nodes: int) -> Secrets:
        """Return the secrets of a part of the payload with these schemas; without schemas, the whole part is secret."""
        return Secrets(self._nodes, self._names, nodes or (-1,))

    def named(self, names: frozenset[str]) -> Secrets:
        """Return these secrets plus the values of more keys."""
        if names:
            return Secrets(self._nodes, self._names | names, self._start)
        return self

    def _closed(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return these schemas and all others for the same value."""
        closed, pending = set[int](), list(nodes)
        while pending:
            node = pending.pop()
            if node not in closed:
                closed.add(node)
                pending += self._nodes[node][1] if node >= 0 else ()
        return frozenset(closed)

    def _below(self, here: frozenset[int], step: Any) -> frozenset[int]:
        if not here:
            return here
        is_item = type(step) is int
        declared = ANY_ITEM if is_item else None
        if (is_item or isinstance(step, str)) and self._has(here, step):
            declared = step
        below = self._found.get((here, declared))
        if below is None:
            found: list[int] = []
            for node in here:
                _, _, steps, keys, items = self._nodes[node]
                found += items if is_item else keys
                found += () if declared is None else steps.get(declared, ())
            below = self._found[here, declared] = self._closed(found)
        return below

    def _is_secret(self, here: frozenset[int]) -> bool:
        return any(node < 0 or self._nodes[node][0] == SECRET for node in here)

    def _leads(self, here: frozenset[int]) -> bool:
        """Return whether a value may be or contain a secret."""
        return any(node < 0 or self._nodes[node][0] for node in here)

    def _has(self, here: frozenset[int], step: str | int) -> bool:
        return any(step in self._nodes[node][2] for node in here)

    def _schema_names(self) -> frozenset[str]:
        """Return the folded names of all keys that are secret anywhere in the schema, and of the configured keys."""
        if self._hidden_names is None:
            own = [
                name
                for _, _, steps, _, _ in self._nodes
                for name, nodes in steps.items()
                if isinstance(name, str) and self._is_secret(self._closed(nodes))
            ]
            self._hidden_names = self._names.union(map(fold_name, own)) - {""}
        return self._hidden_names

    def hides(self, path: tuple[str | int, ...], *, unknown: bool = False, value: Any = None) -> bool:
        """Return whether the value at a path may be or contain a secret.

        `unknown`: whether the last key is missing from the schema.
        """
        here = self._start
        if self._is_secret(here):
            return True
        for step in path:
            if (self._names and fold_name(step) in self._names) or self._is_stray(here, step):
                return True
            here = self._below(here, step)
            if self._is_secret(here):
                return True
        if self._leads(here) or (unknown and fold_name(path[-1]) in self._schema_names()):
            return True
        return self._holds_name(value)

    def _is_stray(self, here: frozenset[int], step: Any) -> bool:
        """Return whether a container with secrets does not declare a step, so that its value may be a secret."""
        is_item = type(step) is int
        known = (is_item or isinstance(step, str)) and self._has(here, step)
        is_declared = known or (is_item and self._has(here, ANY_ITEM))
        return self._leads(here) and not is_declared and not self._below(here, step)

    def _holds_name(self, value: Any) -> bool:
        """Return whether a container has a key with the name of a secret at any depth."""
        names = self._schema_names()
        if not names or not isinstance(value, (dict, list, str)):
            return False
        if isinstance(value, str):  # a container is often sent as its JSON text, or as tags of fields
            may_hold = value.lstrip()[:1] in ("{", "[") or "<" in value
            return may_hold and any(name in fold_name(value) for name in names)
        return any(fold_name(step) in names for step, _ in _members(value))

    def conceal(self, issues: list[ValidationIssue]) -> list[ValidationIssue]:
        """Return the issues with `Secret` around every value that may be or contain a secret."""
        return [self._concealed(issue) if self._must_hide(issue) else issue for issue in issues]

    def _must_hide(self, issue: ValidationIssue) -> bool:
        got, constraint = issue.got, issue.constraint
        if got is MISSING or isinstance(got, Secret):
            return False
        if constraint in _TEXT:  # an excerpt, which may contain any part of the payload
            return True
        if constraint == "duplicate_key":
            return False
        return self.hides(issue.path, unknown=constraint in UNKNOWN_KEYS, value=got)

    def _concealed(self, issue: ValidationIssue) -> ValidationIssue:
        return ValidationIssue(issue.path, issue.constraint, issue.expected, Secret(issue.got))

    def redacted(self, payload: Any) -> Any:
        """Return a copy of a payload with `MASK` in place of every value that may be secret.

        In an object with secrets, the values of unknown keys are masked too.
        """
        return self._redacted(payload, self._start, {}, [])

    def _redacted(
        self,
        value: Any,
        here: frozenset[int],
        known: dict[tuple[int, frozenset[int]], Any],
        hidden: list[Any],
    ) -> Any:
        """Return a copy, and add the masked values to `hidden`.

        Shared parts of the payload are copied once; a part inside itself is masked.
        """
        holds = isinstance(value, (dict, list))
        if self._is_secret(here) or (not holds and (self._leads(here) or self._holds_name(value))):
            hidden.append(value)
            return MASK
        if not holds:
            return value
        place = (id(value), here)
        if place in known:
            return known[place]
        known[place] = MASK
        made: dict[Any, Any] = {}
        for step, member in value.items() if isinstance(value, dict) else enumerate(value):
            if fold_name(step) in self._schema_names() or self._is_stray(here, step):
                hidden.append(member)
                made[step] = MASK
            else:
                try:
                    made[step] = self._redacted(member, self._below(here, step), known, hidden)
                except RecursionError:
                    hidden.append(member)
                    made[step] = MASK
        known[place] = made if isinstance(value, dict) else [*made.values()]
        return known[place]

    def scrubbed(self, text: str, payload: Any) -> str:
        """Return a text with `MASK` in place of every secret of the payload."""
        hidden: list[Any] = []
        self._redacted(payload, self._start, {}, hidden)
        values = {str(value) for _, value in _members(hidden) if type(value) in (str, int, float)}
        for value in sorted(values, key=len, reverse=True):
            if len(value) >= MIN_SCRUBBED:
                text = text.replace(value, MASK).replace(repr(value)[1:-1], MASK)
        return text


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each key or index of a container with its member, at any depth; a shared container only once."""
    seen, pending = set[int](), [value]
    while pending:
        holder = pending.pop()
        if isinstance(holder, (dict, list)) and id(holder) not in seen:
            seen.add(id(holder))
            for step, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
                yield step, member
                pending.append(member)
