"""Keys of a payload that its schema neither names nor describes, although it lets them pass.

JSON Schema lets every key pass that nothing forbids, and most tools forbid none: a misspelt optional key is then
dropped by the tool without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import OTHER_KEYS, UNIONS, UNKNOWN_KEY, UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.raw import (
    ANYTHING,
    Document,
    Raw,
    admits,
    as_raw,
    children_of,
    is_index,
    is_one_of,
    json_type,
    listed,
    named,
    types_of,
    values_of,
)
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.patterns import compile_pattern

MAX_PLACES = 5_000
"""Sets of schemas for one value that are remembered for each tool."""
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_OPEN: Raw = {"additionalProperties": True}
"""In place of a schema that is not known here: the target of a non-local reference, or of a dynamic one."""
_DEPENDENT = ("dependentSchemas", "dependencies")
_REST = object()
"""The slot of a place's children that all keys without a name share."""


def unknown_keys(facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return an issue for each key that the schema neither names nor describes, in document order.

    A schema names the keys of `properties`, `required` and `dependentRequired`; it describes those that match
    `patternProperties`, and all keys where `additionalProperties`, `unevaluatedProperties` or `propertyNames` is
    a schema or `true`: what says that it is open is open. So is a schema that says nothing at all. All schemas
    for the same value are asked (`$ref`, `allOf`, `anyOf`, `oneOf`, `if`, `dependentSchemas`), but branches that
    this value cannot be meant by. An object below the root of which no schema names anything is a map.

    The payload is expected to be valid. Time is proportional to its size, times the schemas for one value; nothing
    recurs, however deep payload and references are.
    """
    found = _finders.get(facts)
    if found is None:
        found = _finders.setdefault(facts, _Finder(facts.document))
    return list(found.issues(payload))


class _Link:
    """A step of a path and what is above it: paths are made for issues only."""

    __slots__ = ("above", "step")

    def __init__(self, above: _Link | None, step: str | int) -> None:
        self.above = above
        self.step = step

    def path(self) -> Path:
        steps: list[str | int] = []
        link: _Link | None = self
        while link is not None:
            steps.append(link.step)
            link = link.above
        return tuple(reversed(steps))


class _Finder:
    """The unknown keys of one tool's payloads."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._places: dict[tuple[int, ...], _Place] = {}

    def issues(self, payload: Any) -> Iterator[ValidationIssue]:
        todo: list[tuple[Any, _Place, _Link | None]] = [(payload, self.place([self.document.root]), None)]
        while todo:
            value, place, link = todo.pop()
            if link is not None and place is _UNKNOWN:
                yield ValidationIssue(link.path(), UNKNOWN_KEY, False, value)
                continue
            todo += reversed(list(self._below(value, place, link)))

    def _below(self, value: Any, place: _Place, link: _Link | None) -> Iterator[tuple[Any, _Place, _Link]]:
        if isinstance(value, dict):
            here = self._applicable(place, value)
            maps = here.open or (link is not None and not here.names_any)
            for key, member in value.items():
                known = maps or not isinstance(key, str) or here.knows(key)
                below = here.child(key, self) if known else _UNKNOWN
                if below is _UNKNOWN or isinstance(member, (dict, list)):
                    yield member, below, _Link(link, key)
        elif isinstance(value, list):
            here = self._applicable(place, value)
            for index, item in enumerate(value):
                if isinstance(item, (dict, list)):
                    yield item, here.child(index, self), _Link(link, index)

    def _applicable(self, place: _Place, value: Any) -> _Place:
        """Return the place without the branches that a value cannot be meant by, and with what depends on its keys."""
        if not place.conditional:
            return place
        return self.place(self._expanded(place.given, value), expanded=True)

    def place(self, schemas: list[Raw], *, expanded: bool = False) -> _Place:
        """Return the shared place of these schemas."""
        key = (expanded, *map(id, schemas))
        place = self._places.get(key)
        if place is None:
            place = _Place(schemas, schemas if expanded else self._expanded(schemas, None))
            if len(self._places) < MAX_PLACES:
                place = self._places.setdefault(key, place)
        return place

    def _expanded(self, schemas: list[Raw], value: Any) -> list[Raw]:
        """Return all schemas for one value: those given, and those that they lead to in place."""
        raws: dict[int, Raw] = {}
        todo = list(reversed(schemas))
        while todo:
            raw = todo.pop()
            if id(raw) not in raws:
                raws[id(raw)] = raw
                todo += reversed(list(self._in_place(raw, value)))
        return list(raws.values())

    def _in_place(self, raw: Raw, value: Any) -> Iterator[Raw]:
        if isinstance(ref := raw.get("$ref"), str):
            target = self.document.resolve(ref)
            yield _OPEN if target is ANYTHING else target
        if any(word in raw for word in _DYNAMIC):
            yield _OPEN
        yield from map(as_raw, listed(raw, "allOf"))
        for keyword in UNIONS:
            branches = [as_raw(branch) for branch in listed(raw, keyword)]
            meant = [b for b in branches if value is None or not self._is_refuted(b, value)]
            yield from meant or branches
        yield from self._conditions(raw, value)

    def _conditions(self, raw: Raw, value: Any) -> Iterator[Raw]:
        if "if" in raw:
            condition = as_raw(raw["if"])
            refuted = value is not None and self._is_refuted(condition, value)
            words = ("else",) if refuted else ("if", "then", "else")
            yield from (as_raw(raw[word]) for word in words if word in raw)
        for keyword in _DEPENDENT:
            for key, schema in named(raw, keyword).items():
                if isinstance(schema, (Mapping, bool)) and (value is None or key in value):
                    yield as_raw(schema)

    def _is_refuted(self, branch: Raw, value: Any) -> bool:
        """Return whether a value is certainly not valid by a branch: its type, a missing key, or a tag says so."""
        raws, ref = [branch, *map(as_raw, listed(branch, "allOf"))], branch.get("$ref")
        if isinstance(ref, str):
            raws.append(self.document.resolve(ref))
        return any(_refutes(raw, value, self.document) for raw in raws)


class _Place:
    """All schemas for one value; `given` are those that led to the others, and `open` that any key is described."""

    def __init__(self, given: list[Raw], raws: list[Raw]) -> None:
        self.given = given
        self.raws = raws
        self.conditional = given is not raws and any(map(_is_conditional, raws))
        self._children: dict[Any, _Place] = {}

    @cached_property
    def open(self) -> bool:
        if not any(self.raws):
            return True  # no schema, or one that says nothing
        return any(raw.get(word) not in (None, False) for raw in self.raws for word in UNKNOWN_KEYS)

    @cached_property
    def names(self) -> frozenset[str]:
        found: set[str] = set()
        for raw in self.raws:
            found.update(named(raw, "properties"))
            found.update(name for name in listed(raw, "required") if isinstance(name, str))
            for keyword in ("dependentRequired", "dependencies"):
                found.update(named(raw, keyword))
                lists = [names for names in named(raw, keyword).values() if isinstance(names, list)]
                found.update(name for names in lists for name in names if isinstance(name, str))
        return frozenset(found)

    @cached_property
    def names_any(self) -> bool:
        """Whether any schema here speaks of keys."""
        return bool(self.names) or any("properties" in raw or "patternProperties" in raw for raw in self.raws)

    @cached_property
    def patterns(self) -> list[tuple[Any, Any]]:
        """(function of a key, schema) of each pattern."""
        return [
            (_matcher(pattern), schema)
            for raw in self.raws
            for pattern, schema in named(raw, "patternProperties").items()
        ]

    def knows(self, key: str) -> bool:
        return key in self.names or any(matches(key) for matches, _ in self.patterns)

    def child(self, step: str | int, finder: _Finder) -> _Place:
        slot: Any = step
        if not is_index(step) and not (
            self.patterns or any(step in named(r, "properties") for r in self.raws)
        ):
            slot = _REST
        place = self._children.get(slot)
        if place is None:
            place = finder.place([as_raw(schema) for schema in self._below(step)])
            if len(self._children) < MAX_PLACES:
                self._children[slot] = place
        return place

    def _below(self, step: str | int) -> Iterator[Any]:
        for raw in self.raws:
            if is_index(step):
                yield from _items(raw, step)
            elif step in named(raw, "properties"):
                yield named(raw, "properties")[str(step)]
            else:
                yield from (raw[word] for word in OTHER_KEYS if isinstance(raw.get(word), Mapping))
        if isinstance(step, str):
            yield from (schema for matches, schema in self.patterns if matches(step))


def _is_conditional(raw: Raw) -> bool:
    return any(word in raw for word in (*UNIONS, "if", *_DEPENDENT))


def _items(raw: Raw, index: int) -> Iterator[Any]:
    """Yield the schemas for an item; `contains` may be one of them."""
    yield from (schema for schema in children_of(raw, index) if isinstance(schema, Mapping))
    if isinstance(raw.get("contains"), Mapping):
        yield raw["contains"]


def _refutes(raw: Raw, value: Any, document: Document) -> bool:
    types = types_of((raw,))
    if types is not None and not admits(types, json_type(value)):
        return True
    if not isinstance(value, dict):
        return False
    if any(isinstance(name, str) and name not in value for name in listed(raw, "required")):
        return True
    for key, schema in named(raw, "properties").items():
        member = value.get(key, _REST)
        if isinstance(member, (str, int, float, bool, type(None))):
            allowed = _allowed(as_raw(schema), document)
            if allowed is not None and not is_one_of(member, allowed):
                return True
    return False


def _allowed(raw: Raw, document: Document) -> list[Any] | None:
    """Return the values that `const` or `enum` leave; None where all are."""
    if isinstance(ref := raw.get("$ref"), str):
        raw = {**document.resolve(ref), **raw}
    return values_of((raw,))


def _matcher(pattern: str) -> Any:
    """Return a function of a key, in linear time; a pattern that Rust's syntax does not have matches all keys."""
    try:
        matches = compile_pattern(pattern, "rust")
        matches("")
    except Exception:  # pydantic_core's SchemaError: a lookaround, a back-reference
        return lambda _: True
    return matches


_UNKNOWN = _Place([], [])
"""Where an unknown key leads."""
_finders: WeakKeyDictionary[SchemaFacts, _Finder] = WeakKeyDictionary()
