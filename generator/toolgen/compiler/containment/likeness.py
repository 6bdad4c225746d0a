"""Find schemas that mean the same because they are written in the same way, after references are followed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

from toolgen.compiler.containment.conjunction import Conjunction, frozen
from toolgen.compiler.schema.cycles import children_first
from toolgen.compiler.schema.ir import Schema

MAX_PAIRS: Final = 100_000
"""The maximum number of pairs of schemas to compare; larger graphs are not considered alike."""


class Likeness:
    """Gives a number to each schema of one comparison, by how it is written.

    Schemas that are written alike have the same number. A schema that leads to a recursion has none.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[Schema, int | None] = {}
        self._numbers_of: dict[tuple[Schema, ...], frozenset[int]] = {}
        self._untaken: dict[Conjunction, frozenset[int]] = {}

    def number(self, schema: Schema) -> int | None:
        """Return the number of a schema; None if the schema is recursive."""
        known = self._known
        for one in children_first([schema], lambda one: () if one in known else _children(one)):
            if one not in known:  # a child that refers back to this schema has no number
                numbers = tuple(known.get(child) for child in _children(one))
                known[one] = None
                if None not in numbers:
                    known[one] = self._numbers.setdefault((_own_form(one), numbers), len(self._numbers))
        return self._known[schema]

    def numbers(self, schemas: Sequence[Schema]) -> frozenset[int]:
        """Return the numbers of some schemas, without those that are recursive."""
        if isinstance(schemas, tuple):
            key = schemas
        else:
            key = tuple(schemas)
        if key not in self._numbers_of:
            found = (self.number(one) for one in key)
            self._numbers_of[key] = frozenset(number for number in found if number is not None)
        return self._numbers_of[key]

    def is_among(self, schema: Schema, together: Conjunction) -> bool:
        """Return whether a conjunction contains a schema that is written like this one. A recursive schema is
        never found.
        """
        return self.number(schema) in self.numbers(together)

    def are_alike(self, left: Sequence[Schema], right: Sequence[Schema]) -> bool:
        """Return whether two lists have schemas that are written in the same way. Recursive schemas are never
        alike.
        """
        is_known = all(self.number(one) is not None for one in (*left, *right))
        return is_known and self.numbers(left) == self.numbers(right)

    def untaken(self, together: Conjunction) -> frozenset[int]:
        """Return the numbers of `oneOf` branches that cannot apply because another branch does."""
        if together not in self._untaken:
            found = frozenset[int]()
            for schema in together:
                branches = schema.listed.get("oneOf", ())
                if taken := together.members.intersection(branches):
                    found |= self.numbers(branches) - self.numbers(tuple(taken))
            self._untaken[together] = found
        return self._untaken[together]


def same(one: Schema, other: Schema) -> bool:
    """Return whether two schema graphs are written in the same way.

    If there are more than `MAX_PAIRS` pairs, return False.
    """
    seen, waiting = set[tuple[Schema, Schema]](), [(one, other)]
    while waiting:
        pair = waiting.pop()
        if pair not in seen:
            seen.add(pair)
            left, right = pair
            if len(seen) > MAX_PAIRS or _own_form(left) != _own_form(right):
                return False
            waiting += zip(_children(left), _children(right), strict=True)
    return True


def _children(schema: Schema) -> Iterator[Schema]:
    """Yield the direct subschemas in an order that does not depend on the schema's text."""
    for _, single in sorted(schema.single.items()):
        yield single
    for _, listed in sorted(schema.listed.items()):
        yield from listed
    for _, named in sorted(schema.named.items()):
        for _, child in sorted(named.items()):
            yield child


def _own_form(schema: Schema) -> Any:
    """Return a schema's assertions and the places of its subschemas. The result is equal if the JSON is equal."""
    return (
        (schema.verdict, schema.whole_floats, schema.contains_evaluates),
        frozenset((word, frozen(value)) for word, value in schema.assertions.items()),
        frozenset(schema.single),
        frozenset((word, len(listed)) for word, listed in schema.listed.items()),
        frozenset((word, frozenset(named)) for word, named in schema.named.items()),
    )
