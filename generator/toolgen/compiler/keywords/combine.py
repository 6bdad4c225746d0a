"""Write the checks of keywords that combine schemas for the same value (2020-12 core, sections 8.2.3 and
10.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import Code, both, either, exactly_one, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.meanings import Keyword
from toolgen.compiler.keywords import unions
from toolgen.compiler.keywords.unevaluated import add
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.vocabulary import MAX_CONSTANT_DEPTH
from toolgen_runtime.validation.helpers import is_deeper


def _conjunction(name: str, can_be_said: bool = True) -> Keyword:
    """Return the keyword `$ref` (core, section 8.2.3) or `allOf` (10.2.1.1): the issues of every subschema."""

    def write(f: Function, schema: Schema, value: Value) -> None:
        for part in schema.below(name):
            f.apply(part, value)

    def holds(f: Function, schema: Schema, value: Value) -> Code:
        return both([f.accepts(part, value) for part in schema.below(name)])

    def collect(f: Function, schema: Schema, value: Value) -> None:
        for part in schema.below(name):
            add(f, part, value)

    return Keyword(name, write, holds if can_be_said else None, collect)


def _union(name: str, joined: Callable[[list[Code]], Code]) -> Keyword:
    """Return the keyword `anyOf` or `oneOf` (core, sections 10.2.1.2, 10.2.1.3): the issues of the intended branch."""

    def write(f: Function, schema: Schema, value: Value) -> None:
        unions.write(f, schema, value, name)

    def holds(f: Function, schema: Schema, value: Value) -> Code:
        return joined([f.accepts(branch, value) for branch in schema.below(name)])

    def collect(f: Function, schema: Schema, value: Value) -> None:
        for branch in schema.below(name):
            with f.when(f.accepts(branch, value)):
                add(f, branch, value)

    return Keyword(name, write, holds, collect)


def not_holds(f: Function, schema: Schema, value: Value) -> Code:
    """Return code that tests whether the value satisfies `not` (core, section 10.2.1.4)."""
    return negated(f.accepts(schema.single["not"], value))


def forbidden(schema: Schema) -> Any:
    """Return the schema under `not` as it is written.

    If it is nested too deeply, return `{}`.
    """
    raw = schema.single["not"].raw
    return {} if is_deeper(raw, MAX_CONSTANT_DEPTH) else raw


def if_then_else(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `if`, `then` and `else` (core, section 10.2.2).

    The issues are those of the branch that the condition selects.
    """
    then, otherwise = schema.single.get("then"), schema.single.get("else")
    if then is not None and not f.module.is_trivial(then):
        with f.when(f.accepts(schema.single["if"], value)):
            f.apply(then, value)
        if otherwise is not None and not f.module.is_trivial(otherwise):
            with f.otherwise():
                f.apply(otherwise, value)
    elif otherwise is not None and not f.module.is_trivial(otherwise):
        with f.when(negated(f.accepts(schema.single["if"], value))):
            f.apply(otherwise, value)


def collect_chosen(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the names or indexes that `if` and the selected branch evaluate.

    If the condition is true, those that the condition evaluates are added.
    """
    with f.when(f.accepts(schema.single["if"], value)):
        add(f, schema.single["if"], value)
        if "then" in schema.single:
            add(f, schema.single["then"], value)
    if "else" in schema.single:
        with f.otherwise():
            add(f, schema.single["else"], value)


KEYWORDS: Final = (
    _conjunction("$ref"),
    _conjunction("$dynamicRef", can_be_said=False),
    _conjunction("allOf"),
    _union("anyOf", either),
    _union("oneOf", exactly_one),
    Keyword.asserting("not", not_holds, forbidden),
    Keyword("if", if_then_else, collect=collect_chosen),
    Keyword("then"),
    Keyword("else"),
)
