"""Limits on numbers, lengths and counts (2020-12 validation, sections 6.2 to 6.5): each is one comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolgen.codegen.code import Code, code, compared, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Keyword, Question
from toolgen.schema.ir import Schema
from toolgen_runtime.schema.keywords import LIMITS
from toolgen_runtime.schema.keywords import Keyword as Row


@dataclass(frozen=True, slots=True)
class Limit:
    """The check of one limit, as its row says."""

    row: Row

    def holds(self, asked: Question) -> Code:
        """Give the condition that the limit is kept."""
        row, limit = self.row, literal(asked.schema.assertions[self.row.name])
        assert row.measure is not None
        assert row.comparison is not None
        measured = code(row.measure.written, v=asked.value.var)
        if row.comparison.operator == "%":
            is_multiple = asked.f.module.runtime("is_multiple")
            return code("{is_multiple}({v}, {d})", is_multiple=is_multiple, v=measured, d=limit)
        return compared(measured, row.comparison.operator, limit)

    def write(self, f: Function, schema: Schema, value: Value) -> None:
        """Write the check."""
        limit = schema.assertions[self.row.name]
        if self.row is LIMITS["minLength"] and limit <= 1:
            if limit == 0:
                return
            broken = code("not {v}", v=value.var)
        else:
            broken = negated(self.holds(Question(f, schema, value, f.accepts)))
        with f.when(broken):
            f.issue(value, self.row.name, literal(limit))


KEYWORDS: Final = tuple(
    Keyword(row.name, limit.write, limit.holds) for row in LIMITS.values() for limit in [Limit(row)]
)
