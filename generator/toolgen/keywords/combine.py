"""Keywords that ask other schemas about the same value (2020-12 core, sections 8.2.3 and 10.2)."""

from __future__ import annotations

from toolgen.codegen.code import literal, negated
from toolgen.codegen.function import Function, Value
from toolgen.keywords import unions
from toolgen.keywords.registry import keyword
from toolgen.schema.ir import Schema
from toolgen.schema.keyword_values import MAX_CONSTANT_DEPTH
from toolgen_runtime.validation.depth import depth_of


@keyword("$ref", "$dynamicRef", kind=None)
def reference(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 8.2.3: what the reference means has been settled by lowering."""
    for name in ("$ref", "$dynamicRef"):
        if name in schema.single:
            f.apply(schema.single[name], value)


@keyword("allOf", kind=None)
def all_of(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.1.1: the issues of every part."""
    for part in schema.listed["allOf"]:
        f.apply(part, value)


@keyword("anyOf", kind=None)
def any_of(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.1.2: the issues of the branch that was meant."""
    unions.emit(f, schema, value, "anyOf")


@keyword("oneOf", kind=None)
def one_of(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.1.3: the issues of the branch that was meant, or which two take the value."""
    unions.emit(f, schema, value, "oneOf")


@keyword("not", kind=None)
def not_(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.1.4; `expected` is the schema that must not hold, `{}` where it is nested too deeply."""
    forbidden = schema.single["not"]
    raw = forbidden.raw if depth_of(forbidden.raw) <= MAX_CONSTANT_DEPTH else {}
    with f.when(f.accepts(forbidden, value)):
        f.issue(value, "not", literal(raw))


@keyword("if", kind=None, companions=("then", "else"))
def if_then_else(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.2: the issues of the branch that the condition chooses."""
    then, otherwise = schema.single.get("then"), schema.single.get("else")
    if then is not None and not f.module.is_trivial(then):
        with f.when(f.accepts(schema.single["if"], value)):
            f.apply(then, value)
        if otherwise is not None and not f.module.is_trivial(otherwise):
            with f.writer.otherwise():
                f.apply(otherwise, value)
    elif otherwise is not None and not f.module.is_trivial(otherwise):
        with f.when(negated(f.accepts(schema.single["if"], value))):
            f.apply(otherwise, value)
