"""Small schemas as one condition: true exactly where the schema takes the value.

For `not`, `if`, `contains` and the branches of a union only the verdict counts. Where a schema is no more than
types, choices, limits and a few keys, a condition in place says it without a function and without issues.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from toolgen.codegen.code import Code, both, code, compared, either, exactly_one, literal, negated
from toolgen.codegen.function import Function, Value
from toolgen.keywords.matching import mismatches
from toolgen.keywords.numbers import LIMITS
from toolgen.keywords.values import any_type, is_listed
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind, choices, sole_kind

MAX_SIZE: Final = 12
"""Keywords and keys up to which a schema is written as a condition."""

_MAX_DEPTH: Final = 4
_STRING: Final = {"minLength", "maxLength", "pattern", "format"}
_OBJECT: Final = {"required", "properties", "minProperties", "maxProperties"}
_ANY: Final = {"type", "enum", "const", "$ref", "not", "allOf", "anyOf", "oneOf"}
_SAYABLE: Final = {*LIMITS, *_STRING, *_OBJECT, *_ANY}


def condition(f: Function, schema: Schema, value: Value) -> Code | None:
    """The condition that a schema takes the value in a variable; None where it is too large for one."""
    if _size(schema, nested=False) > MAX_SIZE:
        return None
    return _holds(f, schema, value)


def _size(schema: Schema, nested: bool, depth: int = 0) -> int:
    """Keywords and keys in a schema; more than `MAX_SIZE` where something in it cannot be said."""
    if schema.verdict is not None:
        return 1
    words = {*schema.assertions, *schema.single, *schema.listed, *schema.named}
    # A member stands as `v["key"]`, which cannot be made a plain `dict` in place.
    is_nested_object = nested and (words & _OBJECT or "object" in (schema.types or ()))
    if not words <= _SAYABLE or depth > _MAX_DEPTH or is_nested_object:
        return MAX_SIZE + 1
    inner = [
        _size(child, nested or steps[0] == "properties", depth + 1) for steps, child in schema.children()
    ]
    return sum(inner) + len(words) + len(schema.assertions.get("required", ())) + len(inner)


def _holds(f: Function, schema: Schema, value: Value) -> Code:
    if schema.verdict is not None:
        return literal(schema.verdict)
    parts: list[Code] = []
    if schema.types is not None:
        parts.append(any_type(f, schema.types, value, schema.whole_floats))
        value = replace(value, kind=value.kind or sole_kind(schema))
    parts += [is_listed(f, values, value) for _, values in choices(schema)]
    for kind, conditions in (
        (Kind.STRING, _string(f, schema, value)),
        (Kind.NUMBER, _number(schema, value)),
        (Kind.OBJECT, _object(f, schema, value)),
    ):
        if conditions:
            parts.append(either([negated(f.is_kind(kind, value)), both(conditions)]))
    return both([*parts, *_in_place(f, schema, value)])


def _string(f: Function, schema: Schema, value: Value) -> list[Code]:
    limits: dict[str, Any] = schema.assertions
    found = _lengths(schema, value, "minLength", "maxLength")
    if "pattern" in limits:
        found.append(negated(mismatches(f, limits["pattern"], value.var, value.hint)))
    if "format" in limits:
        found.append(code("{check}({v})", check=f.module.format_check(limits["format"]), v=value.var))
    return found


def _lengths(schema: Schema, value: Value, least: str, most: str) -> list[Code]:
    """That a value is no shorter and no longer than two keywords allow."""
    limits = schema.assertions
    length = code("len({v})", v=value.var)
    found = [compared(length, ">=", literal(limits[least]))] if least in limits else []
    return [*found, compared(length, "<=", literal(limits[most]))] if most in limits else found


def _number(schema: Schema, value: Value) -> list[Code]:
    return [
        compared(value.var, operator, literal(schema.assertions[keyword]))
        for keyword, operator in LIMITS.items()
        if keyword in schema.assertions
    ]


def _object(f: Function, schema: Schema, value: Value) -> list[Code]:
    required = dict.fromkeys(schema.assertions.get("required", ()))
    found = [code("{key} in {v}", key=literal(key), v=value.var) for key in required]
    found += _lengths(schema, value, "minProperties", "maxProperties")
    for key, member in schema.named.get("properties", {}).items():
        if f.module.is_trivial(member):
            continue
        child = _holds(f, member, Value(code("{v}[{key}]", v=value.var, key=literal(key))))
        absent = code("{key} not in {v}", key=literal(key), v=value.var)
        found.append(child if key in required else either([absent, child]))
    return found


def _in_place(f: Function, schema: Schema, value: Value) -> list[Code]:
    found: list[Code] = []
    if "$ref" in schema.single:
        found.append(_holds(f, schema.single["$ref"], value))
    if "not" in schema.single:
        found.append(negated(_holds(f, schema.single["not"], value)))
    found += [_holds(f, part, value) for part in schema.listed.get("allOf", ())]
    if "anyOf" in schema.listed:
        found.append(either([_holds(f, branch, value) for branch in schema.listed["anyOf"]]))
    if "oneOf" in schema.listed:
        found.append(exactly_one([_holds(f, branch, value) for branch in schema.listed["oneOf"]]))
    return found
