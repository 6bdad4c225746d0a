"""Write the checks of `type`, `enum` and `const`, which come first in every check (2020-12 validation,
section 6.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolgen.compiler.codegen.body import Body, Value
from toolgen.compiler.codegen.code import Code, both, called, code, compared, either
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.writer import path_code
from toolgen.compiler.schema.kinds import Kind, kind_of

_MAX_CONDITIONS: Final = 8
"""The most conditions of an equality with an object or array before a function compares them."""


def any_type(f: Body, types: Iterable[str], value: Value, whole_floats: bool = True) -> Code:
    """Return code that tests whether a value has one of the types. With `whole_floats`, 1.0 is an integer."""
    return either([f.is_type(name, value, whole_floats) for name in without_integer(types)])


def type_issue(f: Body, types: tuple[str, ...], value: Value) -> None:
    """Write the issue for a value of the wrong type, or for a missing value if it may be missing.

    `expected` is the name of the type, or a tuple of names.
    """
    expected = literal(types[0] if len(types) == 1 else tuple(types))
    if value.on_missing is None:
        f.issue(value, "type", expected)
        return
    f.line(
        "issues.append({issue}({path}, {expected}, {v}))",
        issue=f.module.runtime("missing_or_wrong"),
        path=path_code(value.path),
        expected=expected,
        v=value,
    )


def choice_issue(f: Body, constraint: str, values: tuple[Any, ...], value: Value) -> None:
    """Write code that reports a value that is not one of the allowed values."""
    if constraint == "const":
        f.issue(value, "const", literal(values[0]))
    else:
        f.issue(value, "enum", f.module.values(value.hint, values))


def without_integer(types: Iterable[str]) -> list[str]:
    """Remove `integer` from type names that include `number`, because it covers integers too."""
    names = list(types)
    return [name for name in names if name != "integer" or "number" not in names]


def _is_one_of(v: Code, values: list[Any]) -> Code:
    """Return the condition that a value of the same kind as `values` is one of them."""
    if len(values) == 1:
        return compared(v, "==", literal(values[0]))
    return compared(v, "in", literal(frozenset(values)))


# -- values of several kinds


def is_listed(f: Body, values: tuple[Any, ...], value: Value) -> Code:
    """Return code that tests whether a value is one of `values`."""
    if value.kind is not None:
        values = tuple(v for v in values if kind_of(v) is value.kind)
    conditions: list[Code] = []
    for kind in (Kind.STRING, Kind.NUMBER):
        same_kind = [v for v in values if kind_of(v) is kind]
        if same_kind:
            conditions.append(both([f.is_kind(kind, value), _is_one_of(value.var, same_kind)]))
    for singleton in (None, True, False):
        if any(v is singleton for v in values):
            conditions.append(code("{v} is {singleton}", v=value, singleton=literal(singleton)))
    containers = [v for v in values if isinstance(v, dict | list)]
    conditions += [_equals_container(f, container, value) for container in containers]
    return either(conditions)


def _equals_container(f: Body, container: Any, value: Value) -> Code:
    constant = f.module.constant("value", value.hint, literal(container))
    parts = [compared(value.var, "==", constant), *_json_equality(value.var, container)]
    if len(parts) <= _MAX_CONDITIONS:
        return both(parts)
    return called(f.module.runtime("equal"), value.var, constant)


def _json_equality(v: Code, constant: Any) -> Iterator[Code]:
    """Yield conditions. A value that is equal in Python and meets them is also equal in JSON, where `true` is not 1."""
    if isinstance(constant, bool):
        yield code("{v} is {constant}", v=v, constant=literal(constant))
    elif isinstance(constant, dict | list):
        items = constant.items() if isinstance(constant, dict) else enumerate(constant)
        for key, item in items:
            yield from _json_equality(code("{v}[{key}]", v=v, key=literal(key)), item)
    elif constant in (0, 1):
        yield code("{v} is not {other}", v=v, other=literal(bool(constant)))
