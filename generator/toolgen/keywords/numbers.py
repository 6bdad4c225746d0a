"""Keywords of numbers (2020-12 validation, section 6.2)."""

from __future__ import annotations

from typing import Final

from toolgen.codegen.code import Operator, code, compared, literal, negated
from toolgen.codegen.function import Function, Value
from toolgen.keywords.registry import keyword
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind

LIMITS: Final[dict[str, Operator]] = {
    "minimum": ">=",
    "exclusiveMinimum": ">",
    "maximum": "<=",
    "exclusiveMaximum": "<",
}
"""What must hold of a number, which is known to be finite."""


def _limit(f: Function, schema: Schema, value: Value, name: str) -> None:
    expected = literal(schema.assertions[name])
    with f.when(negated(compared(value.var, LIMITS[name], expected))):
        f.issue(value, name, expected)


@keyword("minimum", kind=Kind.NUMBER)
def minimum(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.4."""
    _limit(f, schema, value, "minimum")


@keyword("exclusiveMinimum", kind=Kind.NUMBER)
def exclusive_minimum(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.5."""
    _limit(f, schema, value, "exclusiveMinimum")


@keyword("maximum", kind=Kind.NUMBER)
def maximum(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.2."""
    _limit(f, schema, value, "maximum")


@keyword("exclusiveMaximum", kind=Kind.NUMBER)
def exclusive_maximum(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.3."""
    _limit(f, schema, value, "exclusiveMaximum")


@keyword("multipleOf", kind=Kind.NUMBER)
def multiple_of(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.1."""
    divisor = literal(schema.assertions["multipleOf"])
    holds = code(
        "{is_multiple}({v}, {d})", is_multiple=f.module.runtime("is_multiple"), v=value.var, d=divisor
    )
    with f.when(negated(holds)):
        f.issue(value, "multipleOf", divisor)
