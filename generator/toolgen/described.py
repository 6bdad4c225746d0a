"""`Described`: what a schema graph says of one value, for lists and pages; values are asked of the compiled check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from toolgen.compiled_check import CompiledChecks
from toolgen.diff.conjunction import Conjunction
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Types, kinds_of_types
from toolgen_runtime.schema.keywords import OTHER_KEYS, UNIONS, Keyword

MAX_UNIONS: Final = 8
"""Levels of unions that are looked through for types and required keys."""


class Described:
    """What some schemas say of the value that they all hold of."""

    def __init__(self, schemas: Sequence[Schema], checks: CompiledChecks, depth: int = 0) -> None:
        """Describe the value; `depth` is how many unions lead to it."""
        self.schemas = tuple(dict.fromkeys(schemas))
        self._checks = checks
        self._depth = depth

    @cached_property
    def parts(self) -> Conjunction:
        """The schemas, what they refer to, and the parts of their `allOf`."""
        parts = (part for schema in self.schemas for part in facts.conjuncts(schema))
        return Conjunction.of(dict.fromkeys(parts))

    @cached_property
    def unions(self) -> list[tuple[str, list[Described]]]:
        """The keyword and the branches of each union."""
        if self._depth >= MAX_UNIONS:
            return []
        return [
            (word, [Described([branch], self._checks, self._depth + 1) for branch in part.listed[word]])
            for part in self.parts
            for word in UNIONS
            if word in part.listed
        ]

    @cached_property
    def types(self) -> Types:
        """The types of values that are left."""
        left = self.parts.types
        for _, branches in self.unions:
            left &= frozenset[str]().union(*(branch.types for branch in branches))
        return left

    @property
    def type_names(self) -> list[str]:
        """The names of the types, those first that `type` lists first; a fraction has the name `number`."""
        order = [name for part in self.parts for name in part.types or ()]
        names = {"number" if name == "fraction" else name for name in self.types}
        names -= {"integer"} if "number" in names else set()
        return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))

    @cached_property
    def values(self) -> list[Any] | None:
        """The values that are allowed; None if no `enum` or `const` lists them."""
        listed = self.parts.listed
        return None if listed is None else [value for value in listed if self.takes(value)]

    def takes(self, value: Any) -> bool:
        """Return whether a value is valid."""
        return all(self._checks.takes(schema, value) for schema in self.schemas)

    # -- objects and arrays

    @cached_property
    def required(self) -> frozenset[str]:
        """The keys that must be there: those that every branch of a union requires, too."""
        own = self.parts.required
        for _, branches in self.unions:
            possible = [branch.required for branch in branches if branch.types]
            own |= possible[0].intersection(*possible[1:]) if possible else frozenset()
        return own

    @cached_property
    def members(self) -> dict[str, Described]:
        """The properties that have a schema, or are required, by name."""
        names = dict.fromkeys(name for part in self.parts for name in part.properties)
        names |= dict.fromkeys(sorted(self.required - names.keys()))
        return {name: Described(self.parts.of_key(name), self._checks) for name in names}

    @property
    def refuses_other_keys(self) -> bool:
        """Whether no key is allowed that the schema does not name, or match with a pattern."""
        return any(
            part.single[word].verdict is False
            for part in self.parts
            for word in OTHER_KEYS
            if word in part.single
        )

    @cached_property
    def items(self) -> Described | None:
        """What the items after those of `prefix` must be; None if nothing is known of them."""
        return self._item(len(self.prefix))

    @cached_property
    def prefix(self) -> list[Described]:
        """What each of the first items must be."""
        count = max((len(part.prefix_items) for part in self.parts), default=0)
        return [item for index in range(count) if (item := self._item(index)) is not None]

    def _item(self, index: int) -> Described | None:
        schemas = self.parts.of_index(index)
        return Described(schemas, self._checks) if schemas else None

    # -- limits

    def limits(self) -> list[tuple[Keyword, Any]]:
        """Return the limits on values of the types that are left; of several on one side, the one that decides."""
        kinds = {kind.value for kind in kinds_of_types(self.types)}
        return [(row, limit) for row, limit in self.parts.limits if row.kind in kinds]

    def constraint_texts(self) -> Iterator[str]:
        """Yield what a value must satisfy beside its type, in words: `at most 80 characters`, `date`."""
        for row, limit in self.limits():
            yield row.said(limit)
        if "string" in self.types:
            for pattern in self.asserted("pattern"):
                yield f"matches {pattern}"
            yield from self.asserted("format")
        if "array" in self.types and True in self.asserted("uniqueItems"):
            yield "no item twice"

    def asserted(self, keyword: str) -> list[Any]:
        """Return the values that a keyword has, each once."""
        given = self.parts.held(keyword)
        return [value for at, value in enumerate(given) if value not in given[:at]]

    def annotation(self, keyword: str) -> Any:
        """Return the first value of an annotation; None without one."""
        return next((p.annotations[keyword] for p in self.parts if keyword in p.annotations), None)
