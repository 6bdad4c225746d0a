"""What a schema graph says about a value, in a form for people.

The value's type is also given in a few words, for lists and pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from toolgen.compiler.compiled_check import CompiledChecks
from toolgen.compiler.containment.conjunction import Conjunction, joined
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import ALL_TYPES, Types, kinds_of_types
from toolgen_runtime.schema.keywords import OTHER_KEYS, UNIONS, Keyword
from toolgen_runtime.schema.raw import json_type

MAX_MEMBERS: Final = 5
"""The maximum number of enum values or union branches to list."""
MAX_DESCRIBED_DEPTH: Final = 4
"""The number of levels of arrays and unions to describe."""
MAX_UNIONS: Final = 8
"""The number of levels of unions to search for types and required keys."""


class Described:
    """What some schemas that apply together say about a value."""

    def __init__(self, schemas: Sequence[Schema], checks: CompiledChecks, depth: int = 0) -> None:
        """Describe the value. `depth` is the number of unions around it."""
        self.schemas = tuple(dict.fromkeys(schemas))
        self._checks = checks
        self._depth = depth

    @cached_property
    def parts(self) -> Conjunction:
        """The schemas, with all that they include by `$ref` and `allOf`."""
        return Conjunction.of(joined(self.schemas))

    @cached_property
    def unions(self) -> list[tuple[str, list[Described]]]:
        """The keyword and the branches of each union to which the value belongs."""
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
        """The types that a valid value can have."""
        left = self.parts.types
        for _, branches in self.unions:
            left &= frozenset[str]().union(*(branch.types for branch in branches))
        return left

    @property
    def type_names(self) -> list[str]:
        """The names of the possible types, in the order of `type`. Fractions have the type `number`."""
        order = [name for part in self.parts for name in part.types or ()]
        names = {"number" if name == "fraction" else name for name in self.types}
        names -= {"integer"} if "number" in names else set()
        return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))

    @cached_property
    def values(self) -> list[Any] | None:
        """The allowed values; None if neither `enum` nor `const` lists them."""
        listed = self.parts.listed
        if listed is None:
            return None
        return [value for value in listed if self.takes(value)]

    def takes(self, value: Any) -> bool:
        """Return whether a value is valid under all of the schemas."""
        return all(self._checks.takes(schema, value) for schema in self.schemas)

    # -- objects and arrays

    @cached_property
    def required(self) -> frozenset[str]:
        """The required keys, including those that every branch of a union requires."""
        own = self.parts.required
        for _, branches in self.unions:
            possible = [branch.required for branch in branches if branch.types]
            own |= possible[0].intersection(*possible[1:]) if possible else frozenset()
        return own

    @cached_property
    def members(self) -> dict[str, Described]:
        """The properties that are declared or required, by name."""
        names = dict.fromkeys(name for part in self.parts for name in part.properties)
        names |= dict.fromkeys(sorted(self.required - names.keys()))
        return {name: Described(self.parts.of_key(name), self._checks) for name in names}

    @property
    def refuses_other_keys(self) -> bool:
        """Whether keys are forbidden that the schemas neither name nor describe by a pattern."""
        return any(
            part.single[word].verdict is False
            for part in self.parts
            for word in OTHER_KEYS
            if word in part.single
        )

    @cached_property
    def items(self) -> Described | None:
        """The items after those in `prefix`; None if they may be anything."""
        return self._item(len(self.prefix))

    @cached_property
    def prefix(self) -> list[Described]:
        """The first items of the array, each with a description of its own."""
        count = max((len(part.prefix_items) for part in self.parts), default=0)
        return [item for index in range(count) if (item := self._item(index)) is not None]

    def _item(self, index: int) -> Described | None:
        schemas = self.parts.of_index(index)
        if schemas:
            return Described(schemas, self._checks)
        return None

    # -- limits

    def limits(self) -> list[tuple[Keyword, Any]]:
        """Return the limits that apply to values of the possible types.

        If several limits apply to the same side, only the strictest one is returned.
        """
        kinds = {kind.value for kind in kinds_of_types(self.types)}
        return [(row, limit) for row, limit in self.parts.limits if row.kind in kinds]

    def constraint_texts(self) -> Iterator[str]:
        """Yield the constraints, except the type, as short texts: `at most 80 characters`, `date`."""
        for row, limit in self.limits():
            yield row.said(limit)
        if "string" in self.types:
            for pattern in self.asserted("pattern"):
                yield f"matches {pattern}"
            yield from self.asserted("format")
        if "array" in self.types and True in self.asserted("uniqueItems"):
            yield "no item twice"

    def asserted(self, keyword: str) -> list[Any]:
        """Return all different values that the schemas have for a keyword."""
        given = self.parts.held(keyword)
        return [value for at, value in enumerate(given) if value not in given[:at]]

    def annotation(self, keyword: str) -> Any:
        """Return the first value that the schemas have for an annotation; None if there is none."""
        return next((p.annotations[keyword] for p in self.parts if keyword in p.annotations), None)


def type_text(
    value: Described, depth: int = MAX_DESCRIBED_DEPTH, *, values: bool = True, within: Types = ALL_TYPES
) -> str:
    """Return words for the type of a value: `any` if every type is allowed, `nothing` if none is.

    Args:
        value: the description of the value.
        depth: the number of levels of arrays and unions to describe.
        values: whether allowed values are listed, or only their types.
        within: the types that the union around the value allows.
    """
    types = value.types & within
    if not types:
        return "nothing"
    if not depth:
        return "any"
    if value.values is not None:
        return _joined([_value(each) if values else json_type(each) for each in value.values]) or "nothing"
    for _, branches in value.unions:
        texts = [type_text(b, depth - 1, values=values, within=types) for b in branches if b.types & types]
        if "any" not in texts:
            return _joined(texts)
    if types == ALL_TYPES:
        return "any"
    names = [name for name in value.type_names if name in types or (name == "number" and "fraction" in types)]
    return _joined([_array(value, depth, values) if name == "array" else name for name in names])


def root_fields(root: Schema) -> list[dict[str, Any]]:
    """Return the name, type and limits of each property at the root of a graph, and whether it is required."""
    payload = Described([root], CompiledChecks())
    fields = []
    for name, members in _with_branches(payload).items():
        first = members[0]
        if len(members) == 1 and first.values is None:
            limits = first.limits()
        else:
            limits = []
        fields.append(
            {
                "name": name,
                "type": _joined([type_text(member) for member in members]),
                "required": name in payload.required,
                "limits": [row.said(limit) for row, limit in limits],
            }
        )
    return fields


def _with_branches(value: Described) -> dict[str, list[Described]]:
    """Return the properties of an object and of the branches of its unions, each with its descriptions.

    A property that the object itself describes has only that description.
    """
    own = {name for part in value.parts for name in part.properties}
    found = {name: [value.members[name]] for name in value.members if name in own}
    for _, branches in value.unions:
        for branch in branches:
            for name, members in _with_branches(branch).items():
                if name not in own:
                    found.setdefault(name, []).extend(members)
    return found | {name: [member] for name, member in value.members.items() if name not in found}


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _array(value: Described, depth: int, values: bool) -> str:
    def text(item: Described) -> str:
        return type_text(item, depth - 1, values=values)

    if value.items is None:
        rest = "any"
    else:
        rest = text(value.items)
    if value.prefix:
        first = [*map(text, value.prefix[:MAX_MEMBERS]), *(["…"] if len(value.prefix) > MAX_MEMBERS else [])]
        more = {"nothing": [], "any": ["…"]}.get(rest, [f"{rest}…"])
        return f"array of [{', '.join([*first, *more])}]"
    if rest == "any":
        return "array"
    if " | " in rest:
        return f"array of ({rest})"
    return f"array of {rest}"


def _joined(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    if len(parts) > MAX_MEMBERS:
        more = [f"… {len(parts) - MAX_MEMBERS} more"]
    else:
        more = []
    return " | ".join([*parts[:MAX_MEMBERS], *more])
