"""Limits on numbers, lengths and counts (2020-12 validation, sections 6.2 to 6.5): each is one comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from toolgen.codegen.code import Code, Operator, code, compared, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Keyword, Question
from toolgen.schema.ir import Schema


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: what is measured of a value, and how the measure compares with what stands under the keyword."""

    keyword: str
    measure: Literal["value", "size"]
    """A number itself (known to be finite), or how many characters, items or properties there are."""
    operator: Operator

    def holds(self, asked: Question) -> Code:
        """Give the condition that the limit is kept."""
        return self._kept(asked.schema, asked.value)

    def _kept(self, schema: Schema, value: Value) -> Code:
        measured = value.var if self.measure == "value" else code("len({v})", v=value.var)
        return compared(measured, self.operator, literal(schema.assertions[self.keyword]))

    def write(self, f: Function, schema: Schema, value: Value) -> None:
        """Write the check."""
        limit = schema.assertions[self.keyword]
        if self.keyword == "minLength" and limit <= 1:
            if limit == 0:
                return
            broken = code("not {v}", v=value.var)
        else:
            broken = negated(self._kept(schema, value))
        with f.when(broken):
            f.issue(value, self.keyword, literal(limit))


_LIMITS: Final = {
    limit.keyword: Keyword(limit.keyword, limit.write, limit.holds)
    for limit in (
        Limit("minimum", "value", ">="),
        Limit("exclusiveMinimum", "value", ">"),
        Limit("maximum", "value", "<="),
        Limit("exclusiveMaximum", "value", "<"),
        Limit("minLength", "size", ">="),
        Limit("maxLength", "size", "<="),
        Limit("minItems", "size", ">="),
        Limit("maxItems", "size", "<="),
        Limit("minProperties", "size", ">="),
        Limit("maxProperties", "size", "<="),
    )
}


def of(*names: str) -> list[Keyword]:
    """Return the keywords of some limits."""
    return [_LIMITS[name] for name in names]
