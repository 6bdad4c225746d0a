"""Keywords of strings (2020-12 validation, sections 6.3 and 7)."""

from __future__ import annotations

from toolgen.codegen.code import FALSE, code, literal
from toolgen.codegen.function import Function, Value
from toolgen.keywords.matching import mismatches
from toolgen.keywords.registry import keyword
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind


@keyword("minLength", kind=Kind.STRING)
def min_length(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.3.2: characters are code points."""
    limit = literal(schema.assertions["minLength"])
    if schema.assertions["minLength"] == 1:
        with f.when(code("not {v}", v=value.var)):
            f.issue(value, "minLength", limit)
    elif schema.assertions["minLength"] > 1:
        with f.when(code("len({v}) < {limit}", v=value.var, limit=limit)):
            f.issue(value, "minLength", limit)


@keyword("maxLength", kind=Kind.STRING)
def max_length(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.3.1."""
    limit = literal(schema.assertions["maxLength"])
    with f.when(code("len({v}) > {limit}", v=value.var, limit=limit)):
        f.issue(value, "maxLength", limit)


@keyword("pattern", kind=Kind.STRING)
def pattern(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.3.3: ECMA-262, searched for anywhere."""
    text = schema.assertions["pattern"]
    mismatch = mismatches(f, text, value.var, value.hint)
    if mismatch is not FALSE:
        with f.when(mismatch):
            f.issue(value, "pattern", literal(text))


@keyword("format", kind=Kind.STRING)
def format_(f: Function, schema: Schema, value: Value) -> None:
    """Section 7: as an assertion, where lowering has kept it."""
    text = schema.assertions["format"]
    with f.when(code("not {check}({v})", check=f.module.format_check(text), v=value.var)):
        f.issue(value, "format", literal(text))
