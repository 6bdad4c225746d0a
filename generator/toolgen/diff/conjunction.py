"""Schemas that all hold of the same value, and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from toolgen.schema import facts
from toolgen.schema.ir import Schema

Together = Sequence[Schema]
"""Schemas that all hold of the same value."""
Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


class Conjunction(tuple[Schema, ...]):
    """Schemas with all that holds where they do; what was asked of them is remembered."""

    family: Conjunctions
    known: dict[Hashable, Any]
    members: frozenset[Schema]

    @classmethod
    def of(cls, schemas: Iterable[Schema], family: Conjunctions) -> Conjunction:
        """Return a conjunction of just these."""
        made = cls(schemas)
        made.family, made.known, made.members = family, {}, frozenset(made)
        return made


class Conjunctions:
    """The conjunctions of one comparison: of the same schemas there is one."""

    def __init__(self) -> None:
        self._made: dict[tuple[Schema, ...], Conjunction] = {}
        self.size = 0
        """Schemas in all that were made."""

    def of(self, schemas: Together) -> Conjunction:
        """Return all that holds where some schemas do: what they join, and what they negate twice."""
        if isinstance(schemas, Conjunction):
            return schemas
        asked = tuple(schemas)
        if asked not in self._made:
            self._made[asked] = Conjunction.of(_joined(asked), self)
            self.size += len(self._made[asked])
        return self._made[asked]


def _joined(schemas: Together) -> Iterable[Schema]:
    found: dict[Schema, None] = {}
    waiting = [*schemas]
    while waiting:
        for part in facts.conjuncts(waiting.pop()):
            if part not in found:
                found[part] = None
                waiting += [meant] if (meant := doubly_negated(part)) is not None else []
    return found


def doubly_negated(schema: Schema) -> Schema | None:
    """Return what a schema says by `not` twice; None where it does not."""
    refused = schema.single.get("not")
    return refused.single["not"] if refused is not None and set(refused.keywords) == {"not"} else None


def remembered(
    ask: Callable[Concatenate[Together, Rest], Answer],
) -> Callable[Concatenate[Together, Rest], Answer]:
    """Make a function of schemas answer once for each conjunction. The answer is not to be changed."""

    def answer(together: Together, /, *rest: Rest.args, **options: Rest.kwargs) -> Answer:
        if not isinstance(together, Conjunction):
            return ask(together, *rest, **options)
        question = (ask, *rest, *options.items())
        if question not in together.known:
            together.known[question] = ask(together, *rest, **options)
        return cast(Answer, together.known[question])

    return update_wrapper(answer, ask)


@remembered
def types_of(together: Together) -> frozenset[str]:
    """Return the types of values that are left to a payload of all these schemas."""
    return facts.types_of(together)


@remembered
def required_of(together: Together) -> frozenset[str]:
    """Return the keys that some schemas require."""
    return frozenset(name for schema in together for name in schema.required)


@remembered
def names_of(together: Together) -> frozenset[str]:
    """Return the keys that some schemas have properties for."""
    return frozenset(name for schema in together for name in schema.properties)


@remembered
def _by_name(together: Together) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, schema in enumerate(together):
        for name in schema.properties:
            found.setdefault(name, []).append(position)
    return found


@remembered
def _of_any_name(together: Together) -> list[int]:
    return [
        position
        for position, schema in enumerate(together)
        if schema.additional_properties is not None or schema.pattern_properties
    ]


def speaking_of(together: Together, key: str) -> list[Schema]:
    """Return those of some schemas that may say something of the value under a key, in their order."""
    positions = {*_by_name(together).get(key, ()), *_of_any_name(together)}
    return [together[position] for position in sorted(positions)]


def schemas_of_key(schema: Schema, key: str) -> list[Schema]:
    """Return what a schema surely says of the value under a key; nothing where a pattern may decide."""
    if key in schema.properties:
        return [schema.properties[key]]
    rest = schema.additional_properties
    return [rest] if rest is not None and not schema.pattern_properties else []


@remembered
def all_of_key(together: Together, key: str) -> list[Schema]:
    """Return what some schemas surely say of the value under a key."""
    return [part for schema in speaking_of(together, key) for part in schemas_of_key(schema, key)]


@remembered
def patterned(together: Together) -> list[tuple[str, Schema]]:
    """Return the patterns of keys of some schemas, with what these say of the values."""
    return [(text, part) for old in together for text, part in old.pattern_properties.items()]
