"""The types-only view of a schema: what a payload model says of a payload, with no constraint in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolgen.python.identifiers import Identifier
from toolgen.schema.ir import Schema

ScalarName = Literal["Any", "None", "bool", "str", "JsonInteger", "JsonNumber"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type that is a name."""

    name: ScalarName


@dataclass(frozen=True, slots=True)
class Strings:
    """One of these strings."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array."""

    item: View


@dataclass(frozen=True, slots=True)
class DictOf:
    """An object whose keys the schema does not name."""

    value: View


@dataclass(frozen=True, slots=True)
class Union:
    """Any of at least two types, none of them a union, `Any` or there twice."""

    members: tuple[View, ...]


@dataclass(slots=True, eq=False)
class ClassView:
    """A payload class: the view of an object whose keys `schema` names, or of any root.

    Identity matters: a class that reaches itself is a recursive one. `root` is the type of a root that is no
    plain object; `closed` says that no other keys are allowed than those of the fields.
    """

    name: Identifier
    schema: Schema
    about: str = ""
    """The title and the description that the schema gives."""
    fields: tuple[FieldView, ...] = ()
    closed: bool = False
    root: View | None = None


@dataclass(frozen=True, slots=True)
class FieldView:
    """One property: `key` is its own name; `default` is a scalar that fits `type`, or None."""

    key: str
    attribute: Identifier
    type: View
    required: bool
    default: Any = None
    about: str = ""
    """The property's description."""
    schemas: tuple[Schema, ...] = ()
    """What a value of the property must satisfy."""


View = Scalar | Strings | ListOf | DictOf | Union | ClassView

ANY, NONE, BOOL, STR = Scalar("Any"), Scalar("None"), Scalar("bool"), Scalar("str")
INTEGER, NUMBER = Scalar("JsonInteger"), Scalar("JsonNumber")


MOST_MEMBERS: Final = 100
"""Types of a union; `A | B | ...` of many hundreds is more than Python's parser takes."""


def union(views: Iterable[View]) -> View:
    """Return the union of some types: flat, each once, None last.

    `Any` if it is there, if there is nothing, or if there are more than `MOST_MEMBERS`.
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
    return next(iter(members)) if len(members) == 1 else Union(tuple(members))


def breadth(view: View) -> int:
    """Return how little a type says: the lowest of several views of one value is the one to show."""
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
    """Yield a type and the types that it is made of; of a class only the class."""
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
    """Yield the classes that a type names itself, not those that their fields name."""
    return (part for part in parts_of(view) if isinstance(part, ClassView))


def reachable(root: ClassView) -> list[ClassView]:
    """Return every class that a payload of `root` can hold, each after those that it names where there is no cycle."""
    ordered: list[ClassView] = []
    seen = {root}
    stack = [(root, _named_by(root))]
    while stack:
        view, rest = stack[-1]
        following = next((named for named in rest if named not in seen), None)
        if following is None:
            ordered.append(view)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, _named_by(following)))
    return ordered


def _named_by(view: ClassView) -> Iterator[ClassView]:
    for one in view.fields:
        yield from classes_of(one.type)
    if view.root is not None:
        yield from classes_of(view.root)
