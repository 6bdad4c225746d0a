"""Keywords of strings (2020-12 validation, sections 6.3 and 7)."""

from __future__ import annotations

from typing import Final

from toolgen.codegen.code import Code, code, negated
from toolgen.keywords.keyword import Keyword, Question
from toolgen.keywords.matching import mismatches


def pattern_holds(asked: Question) -> Code:
    """Give the condition that the pattern matches somewhere (section 6.3.3)."""
    return negated(mismatches(asked.f, asked.schema.assertions["pattern"], asked.value.var, asked.value.hint))


def format_holds(asked: Question) -> Code:
    """Give the condition that the string has the format (section 7), if lowering has kept it as an assertion."""
    check = asked.f.module.format_check(asked.schema.assertions["format"])
    return code("{check}({v})", check=check, v=asked.value.var)


KEYWORDS: Final = (Keyword.asserting("pattern", pattern_holds), Keyword.asserting("format", format_holds))
