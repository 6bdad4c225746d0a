"""Keywords of strings (2020-12 validation, sections 6.3 and 7)."""

from __future__ import annotations

from typing import Final

from toolgen.codegen.code import FALSE, Code, code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Keyword, Question
from toolgen.keywords.matching import mismatches
from toolgen.schema.ir import Schema


def pattern(f: Function, schema: Schema, value: Value) -> None:
    """Section 6.3.3: ECMA-262, searched for anywhere."""
    text = schema.assertions["pattern"]
    mismatch = mismatches(f, text, value.var, value.hint)
    if mismatch is not FALSE:
        with f.when(mismatch):
            f.issue(value, "pattern", literal(text))


def pattern_holds(asked: Question) -> Code:
    """Give the condition that the pattern matches."""
    return negated(mismatches(asked.f, asked.schema.assertions["pattern"], asked.value.var, asked.value.hint))


def format_(f: Function, schema: Schema, value: Value) -> None:
    """Section 7: as an assertion, where lowering has kept it."""
    with f.when(negated(_has_format(f, schema, value))):
        f.issue(value, "format", literal(schema.assertions["format"]))


def format_holds(asked: Question) -> Code:
    """Give the condition that the string has the format."""
    return _has_format(asked.f, asked.schema, asked.value)


def _has_format(f: Function, schema: Schema, value: Value) -> Code:
    check = f.module.format_check(schema.assertions["format"])
    return code("{check}({v})", check=check, v=value.var)


KEYWORDS: Final = (Keyword("pattern", pattern, pattern_holds), Keyword("format", format_, format_holds))
