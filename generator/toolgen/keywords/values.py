"""`type`, `enum` and `const` (2020-12 validation, section 6.1), and the keywords of single kinds.

A schema's keywords are written kind by kind: under `type: string` the length is looked at where the value is
known to be a string, and a value of another kind breaks `type` (and `enum`) without further questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from toolgen.codegen.branches import Branches
from toolgen.codegen.code import Code, both, code, compared, either, literal, negated
from toolgen.codegen.function import Function, Value
from toolgen.keywords.registry import units
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import KIND_OF_TYPE, Kind, choices, home_of_values, kind_of, sole_kind

KEYWORDS: Final = ("type", "enum", "const")
"""What `emit` writes beside the units."""
_WITH_KEYWORDS: Final = (Kind.STRING, Kind.NUMBER, Kind.OBJECT, Kind.ARRAY)


def emit(f: Function, schema: Schema, value: Value) -> None:
    """Write `type`, `enum`, `const` and the keywords of single kinds."""
    if value.kind is not None:
        _within(f, schema, value, value.kind, just_told=False)
        if value.kind not in (Kind.STRING, Kind.NUMBER):
            _choices_of_any_kind(f, schema, value)
        return
    work = [kind for kind in _WITH_KEYWORDS if units(kind, schema)]
    home = home_of_values(schema)
    if home is not None and home not in work:
        work.append(home)
    if schema.types is None:
        _chain(f, schema, value, work, home)
    elif not work:
        with f.when(negated(any_type(f, schema.types, value, schema.whole_floats))):
            _wrong_type(f, schema, value, home)
    elif work == [sole_kind(schema)]:
        # The longer branch comes last, so that nothing is jumped over where the type is right.
        with f.when(negated(f.is_kind(work[0], value))):
            _wrong_type(f, schema, value, home)
        with f.writer.otherwise():
            _within(f, schema, value, work[0], just_told=True)
    else:
        branches = _chain(f, schema, value, work, home)
        others = [name for name in _without_integer(schema.types) if KIND_OF_TYPE[name] not in work]
        with (
            branches.when(negated(any_type(f, others, value, schema.whole_floats)))
            if others
            else branches.otherwise()
        ):
            _wrong_type(f, schema, value, home)
    if home is None:
        _choices_of_any_kind(f, schema, value)


def _choices_of_any_kind(f: Function, schema: Schema, value: Value) -> None:
    for constraint, values in choices(schema):
        with f.when(negated(is_listed(f, values, value))):
            choice_issue(f, constraint, values, value)


def _wrong_type(f: Function, schema: Schema, value: Value, home: Kind | None) -> None:
    """The issues of a value of none of the types, or of none at all."""
    assert schema.types is not None
    branches = Branches(f.writer)
    if value.on_missing is not None:
        with branches.when(code("{v} is {missing}", v=value.var, missing=f.missing)):
            value.on_missing()
    with branches.otherwise():
        type_issue(f, schema.types, value)
        if home is not None:
            for constraint, values in choices(schema):
                choice_issue(f, constraint, values, value)


def any_type(f: Function, types: Iterable[str], value: Value, whole_floats: bool = True) -> Code:
    """The condition that a value is of one of some types; `whole_floats`: 1.0 is an integer."""
    return either([f.is_type(name, value, whole_floats) for name in _without_integer(types)])


def type_issue(f: Function, types: tuple[str, ...], value: Value) -> None:
    """The issue of a value of another type; `expected` is the type's name, or a tuple of names."""
    f.issue(value, "type", literal(types[0] if len(types) == 1 else tuple(types)))


def choice_issue(f: Function, constraint: str, values: tuple[Any, ...], value: Value) -> None:
    """The issue of a value that is none of those allowed."""
    if constraint == "const":
        f.issue(value, "const", literal(values[0]))
    else:
        f.issue(value, "enum", f.module.values(value.hint, values))


def _without_integer(types: Iterable[str]) -> list[str]:
    names = list(types)
    return [name for name in names if name != "integer" or "number" not in names]


# -- the branches by kind


def _chain(f: Function, schema: Schema, value: Value, work: list[Kind], home: Kind | None) -> Branches:
    """`if string: ... elif object: ...`."""
    branches = Branches(f.writer)
    for kind in work:
        with branches.when(f.is_kind(kind, value)):
            _within(f, schema, value, kind, just_told=True, with_choices=kind is home)
    return branches


def _within(
    f: Function, schema: Schema, value: Value, kind: Kind, just_told: bool, with_choices: bool = True
) -> None:
    """What is left to ask of a value whose kind is known; `just_told`: by a test right before."""
    _type_within(f, schema, value, kind, just_told)
    if with_choices and kind in (Kind.STRING, Kind.NUMBER):
        _choices_within(f, schema, value, kind)
    for unit in units(kind, schema):
        unit.emit(f, schema, replace(value, kind=kind, on_missing=None))


def _type_within(f: Function, schema: Schema, value: Value, kind: Kind, just_told: bool) -> None:
    """What `type` still has to say about a value whose kind is known."""
    if schema.types is None or kind.value in schema.types:
        return
    if kind is Kind.NUMBER and "integer" in schema.types:
        with f.when(negated(f.is_integer(value, schema.whole_floats, just_told))):
            type_issue(f, schema.types, value)
    else:
        type_issue(f, schema.types, value)


def _choices_within(f: Function, schema: Schema, value: Value, kind: Kind) -> None:
    for constraint, values in choices(schema):
        same_kind = [v for v in values if kind_of(v) is kind]
        if not same_kind:
            choice_issue(f, constraint, values, value)
            continue
        with f.when(negated(_is_one_of(value.var, same_kind))):
            choice_issue(f, constraint, values, value)


def _is_one_of(v: Code, values: list[Any]) -> Code:
    """The condition that a value of the kind of some values is one of them."""
    if len(values) == 1:
        return compared(v, "==", literal(values[0]))
    return compared(v, "in", literal(frozenset(values)))


# -- values of several kinds


def is_listed(f: Function, values: tuple[Any, ...], value: Value) -> Code:
    """The condition that a value of any kind is one of some values."""
    conditions: list[Code] = []
    for kind in (Kind.STRING, Kind.NUMBER):
        same_kind = [v for v in values if kind_of(v) is kind]
        if same_kind:
            conditions.append(both([f.is_kind(kind, value), _is_one_of(value.var, same_kind)]))
    for singleton in (None, True, False):
        if any(v is singleton for v in values):
            conditions.append(code("{v} is {singleton}", v=value.var, singleton=literal(singleton)))
    containers = [v for v in values if isinstance(v, dict | list)]
    conditions += [_equals_container(f, container, value) for container in containers]
    return either(conditions)


def _equals_container(f: Function, container: Any, value: Value) -> Code:
    constant = f.module.constant("value", value.hint, literal(container))
    if _is_told_by_python(container):
        return code("{v} == {constant}", v=value.var, constant=constant)
    return code("{equal}({v}, {constant})", equal=f.module.runtime("equal"), v=value.var, constant=constant)


def _is_told_by_python(constant: Any) -> bool:
    """Whether `==` is JSON equality for a constant: it takes true for 1 and false for 0, no more."""
    if isinstance(constant, dict):
        return all(map(_is_told_by_python, constant.values()))
    if isinstance(constant, list):
        return all(map(_is_told_by_python, constant))
    return constant not in (0, 1)
