"""Small schemas as one condition: true exactly where the schema takes the value.

For `not`, `if`, `contains` and the branches of a union only the verdict counts. Where a schema is no more than
types, choices, limits and required keys, a condition in place says it without a function and without issues. Values
under keys are looked at in statements: there is one writer of `properties`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolgen.codegen.code import TRUE, Code, both, either, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords import VOCABULARY
from toolgen.keywords.keyword import Keyword, Question
from toolgen.keywords.values import any_type
from toolgen.schema.facts import sole_kind
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind

MAX_SIZE: Final = 12
"""Keywords and keys up to which a schema is written as a condition."""

_MAX_DEPTH: Final = 4
_KINDS: Final = (Kind.STRING, Kind.NUMBER, Kind.OBJECT)
"""The kinds whose keywords are said in place; arrays are gone through in statements."""
_SAYABLE: Final = [k for k in VOCABULARY if k.holds is not None and k.facts.kind != "array"]
_NAMES: Final = frozenset(keyword.name for keyword in _SAYABLE)


def condition(f: Function, schema: Schema, value: Value) -> Code | None:
    """Return the condition that a schema takes the value in a variable; None where it is too large for one."""
    if _size(schema) > MAX_SIZE:
        return None
    return _holds(f, schema, value)


def _size(schema: Schema, depth: int = 0) -> int:
    """Keywords and keys in a schema; more than `MAX_SIZE` where something in it cannot be said."""
    if schema.verdict is not None:
        return 1
    names = set(schema.keywords)
    if not names <= _NAMES or depth > _MAX_DEPTH:
        return MAX_SIZE + 1
    size = len(names) + len(schema.assertions.get("required", ()))
    for _, child in schema.children():
        if size > MAX_SIZE:
            break  # the same definition may be reached in very many ways
        size += 1 + _size(child, depth + 1)
    return size


def _holds(f: Function, schema: Schema, value: Value) -> Code:
    if schema.verdict is not None:
        return literal(schema.verdict)
    present = set(schema.keywords) - {"type"}
    found = [keyword for keyword in _SAYABLE if keyword.name in present]
    of_any_kind = [keyword for keyword in found if keyword.facts.kind == "any"]
    parts: list[Code] = []
    if schema.types is not None:
        parts.append(any_type(f, schema.types, value, schema.whole_floats))
        value = replace(value, kind=value.kind or sole_kind(schema))
    parts += _said(f, schema, value, [k for k in of_any_kind if not k.facts.in_place])
    for kind in _KINDS:
        own = both(_said(f, schema, value, [k for k in found if k.facts.kind == kind.value]))
        if own is not TRUE:
            parts.append(either([negated(f.is_kind(kind, value)), own]))
    return both([*parts, *_said(f, schema, value, [k for k in of_any_kind if k.facts.in_place])])


def _said(f: Function, schema: Schema, value: Value, keywords: list[Keyword]) -> list[Code]:
    """Return what must hold by some keywords: what asks no other schema comes first."""
    ordered = sorted(keywords, key=lambda keyword: keyword.facts.subject is not None)
    asked = Question(f, schema, value, lambda child, at: _holds(f, child, at))
    return [k.holds(asked) for k in ordered if k.holds is not None]
