"""How many keys a valid payload has at least, as far as its schema tells: what `validate_json` asks for.

In a JSON text each key takes a colon: where a payload that was read from it has as many keys as the text has
colons, no key stands twice. To count by the schema is cheaper than to walk through the payload, as it is known
where objects stand. What the schema leaves open is not counted; then the count falls short, and the walk is made.
"""

from __future__ import annotations

from typing import Final

from toolgen.codegen.check_function import CheckFunction
from toolgen.codegen.code import INDENT, Code, added, added_lines, code, fragment, joined_lines
from toolgen.codegen.literals import docstring, literal
from toolgen.schema.cycles import everything
from toolgen.schema.facts import sole_kind
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind
from toolgen.schema.union_tags import distinct_keys
from toolgen.schema.vocabulary import Joins

_MAX_OBJECTS: Final = 16
"""Objects that are counted; the keys of further ones are not."""
_MAX_DEPTH: Final = 5
COUNT: Final = Code("_count_keys")
_ABOUT: Final = docstring("Return how many keys the objects of a valid payload have.")


def key_count(root: Schema) -> tuple[Code, list[CheckFunction]] | None:
    """Return the name of what counts, and the function if one is written; None if the schema cannot vouch for it."""
    if not all(map(_is_plain, everything(root))):
        return None
    terms = _Counts().terms(root, Code("payload"), depth=0)
    if not terms:
        return None
    if terms == [Code("len(payload)")]:
        return Code("len"), []
    if len(terms) == 1:
        body = joined_lines([(1, fragment("return {sum}", sum=terms[0]))], INDENT)
    else:
        lines = [(2, line) for line in added_lines(terms)]
        body = joined_lines([(1, Code("return (")), *lines, (1, Code(")"))], INDENT)
    return COUNT, [CheckFunction(COUNT, Code("payload: Any"), Code("int"), _ABOUT, body)]


def _is_plain(schema: Schema) -> bool:
    """Return whether a schema that takes an infinite float takes every number in its place.

    pydantic's parser reads `1e400` as infinity, which is of no type. Where the walk through the payload is
    not made, such a number must be out of reach of the verdict: typed, and so refused, or asked nothing.
    """
    for facts in schema.facts:
        if facts.asks_evaluated:
            return False
        if facts.flips and not all(
            _asks_no_number(s) for c in schema.below(facts.name) for s in everything(c)
        ):
            return False
    return schema.types is not None or not _limits_numbers(schema)


def _limits_numbers(schema: Schema) -> bool:
    """Return whether a schema has keywords of numbers, or a union, which is looked at in the branch of their kind."""
    union = sole_kind(schema) is Kind.NUMBER and any(facts.joins is Joins.ANY for facts in schema.facts)
    return union or any(facts.kind is Kind.NUMBER for facts in schema.facts)


def _asks_no_number(schema: Schema) -> bool:
    values = [value for _, some in schema.choices for value in some]
    return (
        {"number", "integer"}.isdisjoint(schema.types or ())
        and not _limits_numbers(schema)
        and "uniqueItems" not in schema.assertions
        and all(value is None or isinstance(value, str | bool) for value in values)
    )


class _Counts:
    """The terms of one sum while they are collected."""

    def __init__(self) -> None:
        self._objects = 0
        self._above: set[Schema] = set()

    def terms(self, schema: Schema, v: Code, depth: int) -> list[Code]:
        """Numbers of keys in the valid value that an expression gives, each of other objects."""
        for _ in range(_MAX_DEPTH):
            if schema.ref is not None and sole_kind(schema) is None:
                schema = schema.ref
        kind = sole_kind(schema)
        if depth > _MAX_DEPTH or self._objects >= _MAX_OBJECTS or schema in self._above:
            return []
        self._above.add(schema)
        found = self._terms_of_kind(kind, schema, v, depth)
        self._above.discard(schema)
        return found

    def _terms_of_kind(self, kind: Kind | None, schema: Schema, v: Code, depth: int) -> list[Code]:
        if kind is Kind.ARRAY:
            return self._of_items(schema, v, depth)
        if kind is Kind.OBJECT:
            self._objects += 1
            return [code("len({v})", v=v), *self._of_members(schema, v, depth)]
        return self._of_union(schema.any_of, v, depth)

    def _of_union(self, branches: tuple[Schema, ...], v: Code, depth: int) -> list[Code]:
        """Of one branch or null, or of objects of which a key tells the branch."""
        others = [branch for branch in branches if branch.types != ("null",)]
        if len(others) == 1:
            inner = self.terms(others[0], v, depth)
            return [code("{sum} if {v} is not None else 0", sum=added(inner), v=v)] if inner else []
        if len(others) < len(branches) or any(sole_kind(branch) is not Kind.OBJECT for branch in branches):
            return []
        found = [code("len({v})", v=v)] if branches else []
        for branch, key in (distinct_keys(branches) or {}).items():
            inner = self._of_members(branch, v, depth)
            if inner:
                found.append(code("{sum} if {key} in {v} else 0", sum=added(inner), key=literal(key), v=v))
        return found

    def _of_members(self, schema: Schema, v: Code, depth: int) -> list[Code]:
        found: list[Code] = []
        required = schema.required
        for name, member in schema.properties.items():
            key = literal(name)
            inner = self.terms(member, code("{v}[{key}]", v=v, key=key), depth + 1)
            if inner and name not in required:
                inner = [code("{sum} if {key} in {v} else 0", sum=added(inner), key=key, v=v)]
            found += inner
        return found

    def _of_items(self, schema: Schema, v: Code, depth: int) -> list[Code]:
        item = code("item_{depth}", depth=depth)
        if schema.items is None or schema.prefix_items:
            return []
        inner = self.terms(schema.items, item, depth + 1)
        if inner == [code("len({item})", item=item)]:
            return [code("sum(map(len, {v}))", v=v)]
        return [code("sum([{sum} for {item} in {v}])", sum=added(inner), item=item, v=v)] if inner else []
