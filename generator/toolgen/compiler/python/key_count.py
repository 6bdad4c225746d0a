"""Write code that counts how many keys a valid payload has, if its schema determines that. `validate_json`
uses it.

In JSON text, each key takes one colon. If a payload has as many keys as its text has colons, no key occurs twice.
Counting by the schema is faster than walking through the payload, because the schema tells which values are objects.
Keys that the schema does not determine are not counted. The count is then too low, and the payload is walked through.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolgen.compiler.codegen.code import (
    Code,
    IndentedLine,
    code,
    condition_lines,
    fragment,
    joined_lines,
)
from toolgen.compiler.codegen.literals import docstring, literal
from toolgen.compiler.codegen.module import CheckFunction
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.facts import sole_kind
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen.compiler.schema.union_tags import distinct_keys
from toolgen.compiler.schema.vocabulary import ASKING_EVALUATED, FLIPPING

_MAX_OBJECTS: Final = 16
"""The maximum number of objects whose keys are counted."""
_MAX_COUNTED_DEPTH: Final = 5
COUNT: Final = Code("_count_keys")
_ABOUT: Final = docstring("Return how many keys the objects of a valid payload have.")


def key_count(root: Schema, schemas: Iterable[Schema]) -> tuple[Code, list[CheckFunction]] | None:
    """Return the name of a function that counts the keys of a payload, and the functions to generate for it.

    Return None if keys cannot be counted.
    """
    payload = Code("payload")
    if not all(map(_is_plain, schemas)):
        return None
    lines = _Counts().lines(root, payload, depth=0)
    if not lines:
        return None
    if lines == [_length(payload)]:
        return Code("len"), []
    is_object = lines[0] == _length(payload)
    first = (0, Code("n = len(payload)" if is_object else "n = 0"))
    body = _indented([first, *lines[is_object:], (0, Code("return n"))])
    return COUNT, [CheckFunction(COUNT, Code("payload: Any"), Code("int"), _ABOUT, joined_lines(body))]


def _length(v: Code) -> IndentedLine:
    return 0, fragment("n += len({v})", v=v)


def _indented(lines: list[IndentedLine]) -> list[IndentedLine]:
    return [(depth + 1, line) for depth, line in lines]


def _is_plain(schema: Schema) -> bool:
    """Return whether a schema that accepts an infinite float accepts every number in its place.

    pydantic's parser reads `1e400` as infinity, which has no JSON type. If the payload is not walked through, such a
    number must not change the result. It must therefore be rejected because of a `type`, or be allowed without limits.
    """
    if not schema.is_plain:
        keywords = set(schema.keywords)
        if keywords & ASKING_EVALUATED:
            return False
        flipping = [child for keyword in keywords & FLIPPING for child in schema.below(keyword)]
        if not all(_asks_no_number(one) for child in flipping for one in everything(child)):
            return False
    return schema.types is not None or not _limits_numbers(schema)


def _limits_numbers(schema: Schema) -> bool:
    """Return whether a schema has keywords for numbers, or has a union and accepts only numbers."""
    union = sole_kind(schema) is Kind.NUMBER and any(facts.is_union for facts in schema.facts)
    return union or any(facts.kind == "number" for facts in schema.facts)


def _asks_no_number(schema: Schema) -> bool:
    values = [value for _, some in schema.choices for value in some]
    return (
        {"number", "integer"}.isdisjoint(schema.types or ())
        and not _limits_numbers(schema)
        and "uniqueItems" not in schema.assertions
        and all(value is None or isinstance(value, str | bool) for value in values)
    )


class _Counts:
    """Collects the lines of the counting function."""

    def __init__(self) -> None:
        self._objects = 0
        self._above: set[Schema] = set()

    def lines(self, schema: Schema, v: Code, depth: int) -> list[IndentedLine]:
        """Return the lines that count the keys of a valid value; none if its schema determines no keys."""
        if schema.is_plain and sole_kind(schema) is not Kind.OBJECT:
            return []  # most schemas
        for _ in range(_MAX_COUNTED_DEPTH):
            if schema.ref is not None and sole_kind(schema) is None:
                schema = schema.ref
        if depth > _MAX_COUNTED_DEPTH or self._objects >= _MAX_OBJECTS or schema in self._above:
            return []
        self._above.add(schema)
        match sole_kind(schema):
            case Kind.ARRAY:
                found = self._of_items(schema, v, depth)
            case Kind.OBJECT:
                self._objects += 1
                found = [_length(v), *self._of_members(schema, v, depth)]
            case _:
                found = self._of_union(schema.any_of, v, depth)
        self._above.discard(schema)
        return found

    def _of_union(self, branches: tuple[Schema, ...], v: Code, depth: int) -> list[IndentedLine]:
        """Count in the only branch besides null, or in objects in which a key identifies the branch."""
        others = [branch for branch in branches if branch.types != ("null",)]
        if len(others) == 1:
            return _where(code("{v} is not None", v=v), self.lines(others[0], v, depth))
        if not others or len(others) < len(branches) or any(sole_kind(b) is not Kind.OBJECT for b in others):
            return []
        found = [_length(v)]
        for branch, key in (distinct_keys(branches) or {}).items():
            found += _where(_has(v, key), self._of_members(branch, v, depth))
        return found

    def _of_members(self, schema: Schema, v: Code, depth: int) -> list[IndentedLine]:
        found: list[IndentedLine] = []
        child = fragment("v{depth}", depth=depth + 1)
        for name, member in schema.properties.items():
            counted = self._objects
            inner = self.lines(member, child, depth + 1)
            if not inner:
                continue
            value = code("{v}[{key}]", v=v, key=literal(name))
            if len(inner) == 1:  # it reads the member once
                self._objects = counted
                inner = self.lines(member, value, depth + 1)
            else:
                inner.insert(0, (0, fragment("{child} = {value}", child=child, value=value)))
            found += inner if name in schema.required else _where(_has(v, name), inner)
        return found

    def _of_items(self, schema: Schema, v: Code, depth: int) -> list[IndentedLine]:
        if schema.items is None or schema.prefix_items:
            return []
        item = fragment("v{depth}", depth=depth + 1)
        inner = self.lines(schema.items, item, depth + 1)
        if inner == [_length(item)]:
            return [(0, fragment("n += sum(map(len, {v}))", v=v))]
        if inner:
            return [(0, fragment("for {item} in {v}:", item=item, v=v)), *_indented(inner)]
        return []


def _where(condition: Code, lines: list[IndentedLine]) -> list[IndentedLine]:
    if lines:
        return [*condition_lines("if", condition, 0), *_indented(lines)]
    return []


def _has(v: Code, key: str) -> Code:
    return code("{key} in {v}", key=literal(key), v=v)
