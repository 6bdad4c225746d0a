"""Which schemas say the same of every value because they are written alike, references followed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from toolgen.diff.conjunction import Conjunction, Together
from toolgen.diff.json_equality import frozen
from toolgen.schema.ir import Schema

MAX_PAIRS: Final = 500_000
"""Pairs of recursive schemas that are looked at; beyond it no others are taken to be alike."""
_OPEN: Final = object()


class Likeness:
    """Answers for the schemas of one comparison.

    Each schema without recursion has a number, which those that are written alike have in common. Of recursive ones
    those are compared that look alike from outside.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._form: dict[Schema, Any] = {}
        self._own: dict[Schema, Hashable] = {}
        self._numbers_of: dict[tuple[Schema, ...], frozenset[int]] = {}
        self._same: dict[tuple[Schema, Schema], bool] = {}
        self._pairs = 0

    def same(self, one: Schema, other: Schema) -> bool:
        """Return whether two schemas are written alike."""
        if one is other:
            return True
        form = self.form(one)
        return form == self.form(other) and (isinstance(form, int) or self._is_same(one, other))

    def is_among(self, schema: Schema, together: Conjunction) -> bool:
        """Return whether a schema is written like one of a conjunction."""
        known = self._forms_of(together)
        form = self.form(schema)
        alike = known.get(form, ())
        return bool(alike) if isinstance(form, int) else any(self._is_same(one, schema) for one in alike)

    def any_among(self, schemas: tuple[Schema, ...], together: Conjunction) -> bool:
        """Return whether one of some schemas without recursion is written like one of a conjunction."""
        return not self.numbers(schemas).isdisjoint(self._forms_of(together).keys())

    def numbers(self, schemas: tuple[Schema, ...]) -> frozenset[int]:
        """Return the numbers of those schemas that have one."""
        if schemas not in self._numbers_of:
            forms = map(self.form, schemas)
            self._numbers_of[schemas] = frozenset(form for form in forms if isinstance(form, int))
        return self._numbers_of[schemas]

    def are_alike(self, left: Together, right: Together) -> bool:
        """Return whether each schema of either side is written like one of the other."""
        return self._covers(left, right) and self._covers(right, left)

    def _covers(self, left: Together, right: Together) -> bool:
        forms: dict[Any, list[Schema]] = {}
        for schema in left:
            forms.setdefault(self.form(schema), []).append(schema)
        return all(
            (form := self.form(schema)) in forms
            and (isinstance(form, int) or any(self._is_same(schema, one) for one in forms[form]))
            for schema in right
        )

    def untaken(self, together: Conjunction) -> frozenset[int]:
        """Return the numbers of the branches that cannot hold, since another one of their `oneOf` does."""
        if "untaken" not in together.known:
            found = frozenset[int]()
            for schema in together:
                branches = schema.listed.get("oneOf", ())
                if taken := together.members.intersection(branches):
                    found |= self.numbers(branches) - self.numbers(tuple(taken))
            together.known["untaken"] = found
        known: frozenset[int] = together.known["untaken"]
        return known

    def _forms_of(self, together: Conjunction) -> dict[Any, list[Schema]]:
        if self not in together.known:
            forms: dict[Any, list[Schema]] = {}
            for schema in together:
                forms.setdefault(self.form(schema), []).append(schema)
            together.known[self] = forms
        found: dict[Any, list[Schema]] = together.known[self]
        return found

    def form(self, schema: Schema) -> Any:
        """Return the number of a schema, or, of one that leads into a recursion, what it has itself."""
        if schema in self._form:
            return self._form[schema]
        waiting: list[tuple[Schema, Iterator[Schema]]] = [(schema, _children(schema))]
        self._form[schema] = _OPEN
        while waiting:
            one, children = waiting[-1]
            below = next((child for child in children if child not in self._form), None)
            if below is not None:
                self._form[below] = _OPEN
                waiting.append((below, _children(below)))
            else:
                waiting.pop()
                self._form[one] = self._closed(one)
        return self._form[schema]

    def _closed(self, schema: Schema) -> Any:
        own = self._own[schema] = _own_form(schema)
        below = tuple(self._form[child] for child in _children(schema))
        if all(isinstance(form, int) for form in below):
            return self._numbers.setdefault((own, below), len(self._numbers))
        return own

    def _is_same(self, left: Schema, right: Schema) -> bool:
        """Return whether two recursive schemas are written alike, as far as `MAX_PAIRS` shows it."""
        asked = (left, right)
        if asked not in self._same:
            seen: set[tuple[Schema, Schema]] = set()
            self._same[asked] = self._compared(asked, seen)
            if self._same[asked]:
                self._same.update(dict.fromkeys(seen, True))
        return self._same[asked]

    def _compared(self, asked: tuple[Schema, Schema], seen: set[tuple[Schema, Schema]]) -> bool:
        waiting = [asked]
        while waiting:
            one, other = pair = waiting.pop()
            if one is other or pair in seen or self._same.get(pair):
                continue
            seen.add(pair)
            self._pairs += 1
            form = self.form(one)
            if self._pairs > MAX_PAIRS or form != self.form(other):
                return False
            if not isinstance(form, int):
                waiting += zip(_children(one), _children(other), strict=True)
        return True


def _children(schema: Schema) -> Iterator[Schema]:
    """Yield the direct subschemas in an order that does not depend on how they are written."""
    for _, single in sorted(schema.single.items()):
        yield single
    for _, listed in sorted(schema.listed.items()):
        yield from listed
    for _, named in sorted(schema.named.items()):
        for _, child in sorted(named.items()):
            yield child


def _own_form(schema: Schema) -> Hashable:
    """Return the assertions, and where subschemas are: equal of two schemas where these are equal as JSON."""
    return (
        (schema.verdict, schema.whole_floats, schema.contains_evaluates),
        frozenset((word, frozen(value)) for word, value in schema.assertions.items()),
        frozenset(schema.single),
        frozenset((word, len(listed)) for word, listed in schema.listed.items()),
        frozenset((word, frozenset(named)) for word, named in schema.named.items()),
    )
