"""Write the checks of limits on numbers, lengths and counts, one comparison each (2020-12 validation,
sections 6.2 to 6.5).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import TRUE, Code, called, code, compared, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.meanings import Keyword
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.schema.keywords import CHARACTERS, LIMITS, Keyword as Row


def holds(row: Row, f: Function, schema: Schema, value: Value) -> Code:
    """Return code that tests whether a value is within a limit, using the limit's entry in the table of
    keywords.
    """
    limit, v = schema.assertions[row.name], value.var
    assert row.measure is not None
    assert row.comparison is not None
    if row.comparison.side == "least" and row.measure is CHARACTERS and limit <= 1:
        if limit == 0:
            return TRUE
        return negated(code("not {v}", v=v))
    measured = code(row.measure.written, v=v)
    if row.comparison.operator == "%":
        return called(f.module.runtime("is_multiple"), measured, literal(limit))
    return compared(measured, row.comparison.operator, literal(limit))


KEYWORDS: Final = tuple(Keyword.asserting(row.name, partial(holds, row)) for row in LIMITS.values())
