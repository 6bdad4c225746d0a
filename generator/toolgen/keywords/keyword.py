"""`Keyword`: what one keyword means, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolgen.codegen.code import FALSE, Code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.schema.ir import Schema
from toolgen_runtime.schema import keywords

Write = Callable[[Function, Schema, Value], None]
"""Writes the check of a keyword that the schema has."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a keyword of a schema holds for a value: to be answered by one condition."""

    f: Function
    schema: Schema
    value: Value
    condition: Callable[[Schema, Value], Code]
    """Gives the condition that a subschema takes a value."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A function that adds to the set `seen` what a schema evaluates in the valid value `v`, while it is written."""

    f: Function
    schema: Schema
    add: Callable[[Schema], None]
    """Writes that what a subschema evaluates is added."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """What one keyword means: its row, and the code that says them.

    `write` is None where another keyword's writes it: the one that it needs, or `type`, which every check
    begins with. Keywords with the same `write` are written together, at the place of the first of them.
    `holds` is None where the keyword cannot be said in one condition, and `collect` where it evaluates
    nothing, or all that is left.
    """

    name: str
    write: Write | None = None
    holds: Callable[[Question], Code] | None = None
    collect: Callable[[Collection], None] | None = None

    @classmethod
    def asserting(
        cls,
        name: str,
        holds: Callable[[Question], Code],
        expected: Callable[[Schema], Any] | None = None,
    ) -> Keyword:
        """Return a keyword that is one condition: its issue is written where that does not hold.

        `expected` gives what the issue says; without it, the value under the keyword.
        """

        def write(f: Function, schema: Schema, value: Value) -> None:
            broken = negated(holds(Question(f, schema, value, f.accepts)))
            if broken is FALSE:
                return
            with f.when(broken):
                says = schema.assertions[name] if expected is None else expected(schema)
                f.issue(value, name, literal(says))

        return cls(name, write, holds)

    @property
    def facts(self) -> keywords.Keyword:
        """Its row: what is known of it without its check."""
        return keywords.GRAPH[self.name]
