"""How much payload models may say again of what schemas say once.

A definition of many properties or values that many fields refer to, each with something of its own, would be
written out for each of them: text that is quadratic in the spec.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolgen.python.models.views import STR, DictOf, ListOf, Strings, Union, View, union
from toolgen.schema.facts import conjuncts, values_of
from toolgen.schema.ir import Schema

MOST_REPEATED: Final = 10_000
"""Fields and strings of a tool's payload models beyond those that its schemas state."""
MOST_JOINED: Final = 500_000
"""Schemas that are read for a tool's payload models, each as often as it is joined by `$ref` or `allOf`."""


class Repetition:
    """Counts the fields and strings of one tool's models against those that its schemas state."""

    def __init__(self) -> None:
        self._left = MOST_REPEATED
        self._joined = MOST_JOINED
        self._stated: set[Schema] = set()

    def state(self, schemas: Iterable[Schema]) -> None:
        """Count what schemas state themselves, those that are new."""
        for schema in schemas:
            if schema not in self._stated:
                self._stated.add(schema)
                self._left += len(schema.properties) + len(values_of(schema) or ())

    def conjuncts(self, schema: Schema) -> tuple[Schema, ...]:
        """Return all that holds where a schema does, as long as there is room; then what the schema itself says."""
        if self._joined < 0:
            return (schema,)
        found = conjuncts(schema)
        self._joined -= len(found)
        return found

    def allows(self, size: int) -> bool:
        """Return whether there is room for so many fields or strings, which then are counted."""
        if size > self._left:
            return False
        self._left -= size
        return True


def count_strings(view: View) -> int:
    """Return how many strings a type lists."""
    match view:
        case Strings(values):
            return len(values)
        case ListOf(inner) | DictOf(inner):
            return count_strings(inner)
        case Union(members):
            return sum(map(count_strings, members))
        case _:
            return 0


def without_strings(view: View) -> View:
    """Return a type that says `str` in the place of the strings that it lists."""
    match view:
        case Strings():
            return STR
        case ListOf(inner):
            return ListOf(without_strings(inner))
        case DictOf(inner):
            return DictOf(without_strings(inner))
        case Union(members):
            return union(map(without_strings, members))
        case _:
            return view
