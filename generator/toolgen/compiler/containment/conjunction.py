"""Several schemas that apply to the same value, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property, update_wrapper
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from toolgen.compiler.schema import facts
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind, Types, kind_of_type
from toolgen_runtime.schema.keywords import GRAPH, NUMBER, PROPERTIES, Keyword, Measure

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")
Bound = tuple[Fraction | float, bool]
"""A limit, infinite if there is none, and whether the limit itself is excluded."""
_MEASURED: Final = [
    (row, row.measure, row.comparison) for row in GRAPH.values() if row.measure and row.comparison
]
_FEW: Final[dict[str, tuple[Any, ...]]] = {"boolean": (True, False), "null": (None,)}
"""The types that have only a few values, with these values."""
_MAX_KEY_DEPTH: Final = 5
"""The number of levels of required keys to search for a key without a common value."""
_MAX_EMPTY: Final = 2
"""The number of levels of required keys to search for an impossible key."""


def kept(
    ask: Callable[Concatenate[Conjunction, Rest], Answer],
) -> Callable[Concatenate[Conjunction, Rest], Answer]:
    """Decorate a method so that its result is cached. Callers must not change the result."""

    def answer(self: Conjunction, /, *rest: Rest.args, **options: Rest.kwargs) -> Answer:
        question = (ask, *rest, *options.items())
        if question not in self.known:
            self.known[question] = ask(self, *rest, **options)
        return cast(Answer, self.known[question])

    return update_wrapper(answer, ask)


class Conjunction(tuple[Schema, ...]):
    """Several schemas that apply to the same value. A conjunction is equal only to itself."""

    known: dict[Hashable, Any]
    family: Conjunctions

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def of(cls, schemas: Iterable[Schema], family: Conjunctions | None = None) -> Conjunction:
        """Create a conjunction of exactly these schemas."""
        made = cls(schemas)
        made.family, made.known = family or Conjunctions(), {}
        return made

    @cached_property
    def members(self) -> frozenset[Schema]:
        """The schemas as a set."""
        return frozenset(self)

    @cached_property
    def types(self) -> Types:
        """The types that all of the schemas allow."""
        return facts.types_of(self)

    @cached_property
    def listed(self) -> list[Any] | None:
        """The values that all `enum` and `const` allow; None if no schema has either."""
        return _common([found for schema in self if (found := facts.values_of(schema)) is not None])

    @cached_property
    def values(self) -> list[Any] | None:
        """The values that are allowed, if `enum`, `const` or the types leave only a few.

        It is None if other values may be allowed.
        """
        few = [value for kind in sorted(self.types) for value in _FEW.get(kind, ())]
        if self.types and self.types <= _FEW.keys():
            every = [few]
        else:
            every = []
        return _common(every if self.listed is None else [self.listed, *every])

    @kept
    def held(self, keyword: str) -> list[Any]:
        """Return the values of an assertion, one from each schema that has it."""
        return [schema.assertions[keyword] for schema in self if keyword in schema.assertions]

    # -- limits

    @cached_property
    def limits(self) -> list[tuple[Keyword, Any]]:
        """All limits of the schemas, in the order of the keywords.

        If several limits apply to the same side of a measure, only the strictest one is included.
        """
        words = {word for schema in self for word in schema.assertions}
        decide: dict[Hashable, tuple[Keyword, Any]] = {}
        for row, measure, comparison in _MEASURED:
            for limit in self.held(row.name) if row.name in words else ():
                key = (measure, comparison.side or limit)
                before = decide.setdefault(key, (row, limit))
                if _strength(row, limit) > _strength(*before):
                    decide[key] = (row, limit)
        return list(decide.values())

    @kept
    def bounds(self, measure: Measure) -> tuple[Bound, Bound]:
        """Return the strictest lower and upper limit on a measure."""
        lows, highs = (
            [
                (Fraction(str(limit)), row.comparison.strict)
                for row, limit in self.limits
                if row.measure is measure and row.comparison is not None and row.comparison.side == side
            ]
            for side in ("least", "most")
        )
        if measure is PROPERTIES:
            lows.append((Fraction(len(self.required)), False))
            closed = [schema.properties.values() for schema in self if facts.is_closed(schema)]
            highs += [(Fraction(sum(each.verdict is not False for each in some)), False) for some in closed]
        if measure is not NUMBER:
            lows.append((Fraction(0), False))
        if self.is_whole:  # lengths and counts are whole in any case
            lows = [(Fraction(math.floor(v) + 1 if out else math.ceil(v)), False) for v, out in lows]
            highs = [(Fraction(math.ceil(v) - 1 if out else math.floor(v)), False) for v, out in highs]
        highest = min(highs, key=lambda bound: (bound[0], not bound[1]), default=(math.inf, False))
        return max(lows, default=(-math.inf, False)), highest

    @property
    def is_whole(self) -> bool:
        """Whether every number that the schemas allow is an integer."""
        return self.types & {"integer", "fraction"} == {"integer"}

    def least(self, measure: Measure) -> int:
        """Return the smallest length or count that is allowed."""
        return int(self.bounds(measure)[0][0])

    def most(self, measure: Measure) -> Fraction | float:
        """Return the greatest length or count that is allowed."""
        return self.bounds(measure)[1][0]

    @kept
    def has_no_measure(self, kind: Kind) -> bool:
        """Return whether the limits on a kind of value contradict each other."""
        return any(
            _is_beyond(*self.bounds(measure))
            for measure in {
                measure for row, measure, _ in _MEASURED if row.kind == kind.value and row.is_limit
            }
        )

    # -- members and items

    @cached_property
    def required(self) -> frozenset[str]:
        """The keys that must be present."""
        return frozenset(name for schema in self for name in schema.required)

    @cached_property
    def names(self) -> frozenset[str]:
        """The keys that are declared in `properties`."""
        return frozenset(self._by_name)

    @cached_property
    def patterned(self) -> dict[str, list[Schema]]:
        """The patterns of `patternProperties`, with the schemas for the values."""
        found: dict[str, list[Schema]] = {}
        for schema in self:
            for text, part in schema.pattern_properties.items():
                found.setdefault(text, []).append(part)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, schema in enumerate(self):
            for name in schema.properties:
                found.setdefault(name, []).append(position)
        return found

    @cached_property
    def _of_any_name(self) -> list[int]:
        return [
            position
            for position, schema in enumerate(self)
            if schema.additional_properties is not None or schema.pattern_properties
        ]

    def speaking_of(self, key: str) -> list[Schema]:
        """Return the schemas that may say something about the value under a key, in order."""
        return [self[position] for position in sorted({*self._by_name.get(key, ()), *self._of_any_name})]

    @kept
    def of_key(self, key: str) -> list[Schema]:
        """Return the subschemas that are certain to apply to the value under a key."""
        return [part for schema in self.speaking_of(key) for part in schemas_of_key(schema, key)]

    def forbids(self, key: str) -> bool:
        """Return whether no value at all is allowed under a key."""
        return any(part.verdict is False for part in self.of_key(key))

    def of_index(self, index: int) -> list[Schema]:
        """Return the subschemas that apply to the array item at an index."""
        found: list[Schema] = []
        for schema in self:
            if index < len(schema.prefix_items):
                found.append(schema.prefix_items[index])
            elif schema.items is not None:
                found.append(schema.items)
        return found

    # -- whether any value is left

    @kept
    def is_empty(self, depth: int = 0) -> bool:
        """Return whether it is obvious that no value is allowed at all."""
        return self.values == [] or all(self._has_none(name, depth) for name in self.types)

    def _has_none(self, name: str, depth: int) -> bool:
        if self.has_no_measure(kind_of_type(name)):
            return True
        return (
            name == "object"
            and depth < _MAX_EMPTY
            and any(
                self.forbids(key) or self.family.of(self.of_key(key)).is_empty(depth + 1)
                for key in self.required
            )
        )

    @kept
    def is_disjoint(self, other: Conjunction, depth: int = 0) -> bool:
        """Return whether it is certain that no value satisfies both conjunctions."""
        both = self.family.of((*self, *other))
        if both.is_empty():
            return True
        return (
            both.types == {"object"}
            and depth < _MAX_KEY_DEPTH
            and any(
                self.forbids(key) or other.forbids(key) or self._differ(other, key, depth)
                for key in both.required
            )
        )

    def _differ(self, other: Conjunction, key: str, depth: int) -> bool:
        mine, others = self.of_key(key), other.of_key(key)
        return bool(mine and others) and self.family.of(mine).is_disjoint(self.family.of(others), depth + 1)


class Conjunctions:
    """All conjunctions of one comparison. There is only one for the same schemas."""

    def __init__(self) -> None:
        self._made: dict[tuple[Schema, ...], Conjunction] = {}

    def of(self, schemas: Sequence[Schema]) -> Conjunction:
        """Return the conjunction of some schemas and of all that they include by `$ref` and `allOf`."""
        if isinstance(schemas, Conjunction):
            return schemas
        asked = tuple(schemas)
        if asked not in self._made:
            self._made[asked] = Conjunction.of(joined(asked), self)
        return self._made[asked]

    def knows(self, schemas: Sequence[Schema]) -> bool:
        """Return whether the conjunction of some schemas exists already."""
        return isinstance(schemas, Conjunction) or tuple(schemas) in self._made


def joined(schemas: Iterable[Schema]) -> Iterable[Schema]:
    """Return some schemas together with all that they include by `$ref` and `allOf`, each once."""
    return dict.fromkeys(part for schema in schemas for part in facts.conjuncts(schema))


def schemas_of_key(schema: Schema, key: str) -> list[Schema]:
    """Return the subschemas that are certain to apply to the value under a key.

    If a pattern may decide this, return none.
    """
    if key in schema.properties:
        return [schema.properties[key]]
    rest = schema.additional_properties
    if rest is not None and not schema.pattern_properties:
        return [rest]
    return []


def frozen(value: Any) -> Hashable:
    """Convert a JSON value to a hashable form.

    Two forms are equal if the values are: `1` equals `1.0` but not `true`.
    """
    if isinstance(value, dict):
        return ("object", frozenset((key, frozen(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("array", tuple(map(frozen, value)))
    return (isinstance(value, bool), value)


def _common(every: list[list[Any]]) -> list[Any] | None:
    """Return the values that are in every list."""
    others = [set(map(frozen, choices)) for choices in every[1:]]
    if every:
        return [v for v in every[0] if all(frozen(v) in choices for choices in others)]
    return None


def _strength(row: Keyword, limit: Any) -> tuple[Any, bool]:
    """Return a sort key that is greater for the stricter of two limits on the same side."""
    assert row.comparison is not None
    return (limit if row.comparison.side == "least" else -limit), row.comparison.strict


def _is_beyond(low: Bound, high: Bound) -> bool:
    return low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))
