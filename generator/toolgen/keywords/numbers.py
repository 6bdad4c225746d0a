"""Keywords of numbers (2020-12 validation, section 6.2)."""

from __future__ import annotations

from typing import Final

from toolgen.codegen.code import code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Keyword
from toolgen.schema.ir import Schema


def multiple_of(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.2.1."""
    divisor = literal(schema.assertions["multipleOf"])
    holds = code(
        "{is_multiple}({v}, {d})", is_multiple=f.module.runtime("is_multiple"), v=value.var, d=divisor
    )
    with f.when(negated(holds)):
        f.issue(value, "multipleOf", divisor)


KEYWORDS: Final = (Keyword("multipleOf", multiple_of),)
