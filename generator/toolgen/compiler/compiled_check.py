"""Compile and run the check of any schema in a graph.

The check decides whether defaults, examples and allowed values are valid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from toolgen.compiler.schema.facts import own_types, values_of
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import kind_of, type_of
from toolgen_runtime.schema.keywords import LIMITS
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.issues import ValidationIssue

Check = Callable[[Any], list[ValidationIssue]]
_SIMPLE: Final = frozenset(("type", "enum", "const", *LIMITS))
_MOST_CHOICES: Final = 50
"""The most allowed values that are compared one by one; a compiled check finds a value among more at once."""


class CompiledChecks:
    """The checks of some schemas. Each is compiled when it is first needed."""

    def __init__(self) -> None:
        self._known: dict[Schema, Callable[[Any], bool]] = {}

    def takes(self, schema: Schema, value: Any) -> bool:
        """Return whether a value is valid under a schema of the graph."""
        if schema not in self._known:
            if _is_simple(schema):
                self._known[schema] = partial(_is_simply_taken, schema)
            else:
                check = compiled_check(schema)
                self._known[schema] = lambda value: not check(value)
        return self._known[schema](value)


def _is_simple(schema: Schema) -> bool:
    """Return whether no check is compiled for a schema: most have only a type, few choices and limits.

    Compiling a check takes over 1 ms.
    """
    is_short = sum(len(values) for _, values in schema.choices) <= _MOST_CHOICES
    return is_short and schema.whole_floats and schema.is_plain and schema.assertions.keys() <= _SIMPLE


def _is_simply_taken(schema: Schema, value: Any) -> bool:
    """Return whether a schema whose assertions are all in `_SIMPLE` accepts a value."""
    if type_of(value) not in own_types(schema):
        return False
    values = values_of(schema)
    if values is not None and not any(equal(value, other) for other in values):
        return False
    kind = kind_of(value).value
    limits = [row for row in schema.facts if row.kind == kind]
    return all(row.keeps(schema.assertions[row.name], value) for row in limits)


def compiled_check(schema: Schema) -> Check:
    """Compile the check that `build` would write for a schema."""
    from toolgen.compiler.python.package import checks_text

    module: dict[str, Any] = {"__name__": "toolgen_check"}
    exec(compile(checks_text(schema), "<toolgen check>", "exec", dont_inherit=True), module)
    check: Check = module["validate"]
    return check


def without(schema: Schema, keyword: str) -> Schema:
    """Return a copy of a schema that lacks one of its assertions."""
    kept = {word: value for word, value in schema.assertions.items() if word != keyword}
    return replace(schema, assertions=kept)
