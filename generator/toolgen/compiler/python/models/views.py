"""The types in payload models ("views"), which have no constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolgen.compiler.python.identifiers import Identifier
from toolgen.compiler.schema.cycles import children_first
from toolgen.compiler.schema.ir import Schema

ScalarName = Literal["Any", "None", "bool", "str", "JsonInteger", "JsonNumber"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type that is written as its name."""

    name: ScalarName


@dataclass(frozen=True, slots=True)
class Strings:
    """A type whose values are certain strings."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """The type of an array."""

    item: View


@dataclass(frozen=True, slots=True)
class DictOf:
    """The type of an object whose keys the schema does not name."""

    value: View


@dataclass(frozen=True, slots=True)
class Union:
    """A union of at least two different types. None of them is a union or `Any`."""

    members: tuple[View, ...]


@dataclass(slots=True, eq=False)
class ClassView:
    """A payload class, which stands for an object with named keys, or for any root.

    Classes are compared by identity; a class that reaches itself is recursive. `root` is the type of a root that is not
    a plain object. `closed` means that only the keys of the fields are allowed.
    """

    name: Identifier
    schema: Schema
    about: str = ""
    """The title and the description in the schema."""
    fields: tuple[FieldView, ...] = ()
    closed: bool = False
    root: View | None = None
    hidden: tuple[Schema, ...] = ()
    """Schemas with fields that the class does not have, because a value has them only under certain conditions."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of a class. `key` is the property's name, and `default` is a scalar that fits `type`, or
    None.
    """

    key: str
    attribute: Identifier
    type: View
    required: bool
    default: Any = None
    about: str = ""
    """The property's description."""
    schemas: tuple[Schema, ...] = ()
    """The schemas of the property's value."""


View = Scalar | Strings | ListOf | DictOf | Union | ClassView

ANY, NONE, BOOL, STR = Scalar("Any"), Scalar("None"), Scalar("bool"), Scalar("str")
INTEGER, NUMBER = Scalar("JsonInteger"), Scalar("JsonNumber")


MOST_MEMBERS: Final = 100
"""The maximum number of types in a union; Python's parser cannot read `A | B | ...` with many hundreds."""


def union(views: Iterable[View]) -> View:
    """Return the union of some types, without nested unions and duplicates, and with None at the end.

    The union is `Any` if a type is `Any`, if there is no type, or if there are more than `MOST_MEMBERS`.
    """
    members: dict[View, None] = {}
    for view in views:
        members.update(dict.fromkeys(view.members if isinstance(view, Union) else (view,)))
    if ANY in members or not members or len(members) > MOST_MEMBERS:
        return ANY
    if NUMBER in members:
        members.pop(INTEGER, None)
    if NONE in members:
        del members[NONE]
        members[NONE] = None
    if len(members) == 1:
        return next(iter(members))
    return Union(tuple(members))


def breadth(view: View) -> int:
    """Return how wide a type is, as a number. Types that allow fewer values have smaller numbers.

    If there are several views of a value, the narrowest is shown.
    """
    match view:
        case Strings():
            return 0
        case Scalar(name):
            return 6 if name == "Any" else 1
        case ClassView():
            return 2
        case ListOf(inner) | DictOf(inner):
            return 4 if inner == ANY else 3
        case Union():
            return 5


def parts_of(view: View) -> Iterator[View]:
    """Yield a type and all types inside it, but not those of a class's fields."""
    yield view
    match view:
        case ListOf(inner) | DictOf(inner):
            yield from parts_of(inner)
        case Union(members):
            for member in members:
                yield from parts_of(member)
        case _:
            pass


def classes_of(view: View) -> Iterator[ClassView]:
    """Yield the classes that are part of a type, but not those in their fields."""
    return (part for part in parts_of(view) if isinstance(part, ClassView))


def reachable(root: ClassView) -> list[ClassView]:
    """Return every class that can occur in a payload of `root`.

    Each comes after the classes that it names, except in a cycle.
    """
    return [*children_first([root], _named_by)]


def _named_by(view: ClassView) -> Iterator[ClassView]:
    for one in view.fields:
        yield from classes_of(one.type)
    if view.root is not None:
        yield from classes_of(view.root)
