"""`Keyword`: what one keyword means, as one object. `Vocabulary`: the keywords that checks are written from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.codegen.body import Body, Value
from toolgen.codegen.code import FALSE, Code, negated
from toolgen.codegen.literals import literal
from toolgen.schema.facts import sole_kind
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind
from toolgen_runtime.schema import keywords

Write = Callable[[Any, Schema, Value], None]
"""Writes statements by a `toolgen.codegen.function.Function`, which is written from keywords itself."""
Holds = Callable[[Any, Schema, Value], Code]


@dataclass(frozen=True, slots=True)
class Keyword:
    """What one keyword means: its row, and the code that says it.

    `write` writes the check of a schema that has the keyword; it is None where another keyword's writes it: the one
    that it needs, or `type`, which every check begins with. Keywords with the same `write` are written together, at
    the place of the first of them. `holds` gives the condition that a value is valid; None where one condition
    cannot say that. `collect` writes what a schema evaluates in a valid value; None where that is nothing, or all
    that is left.
    """

    name: str
    write: Write | None = None
    holds: Holds | None = None
    collect: Write | None = None

    @classmethod
    def asserting(
        cls,
        name: str,
        holds: Holds,
        expected: Callable[[Schema], Any] | None = None,
    ) -> Keyword:
        """Return a keyword that is one condition: its issue is written where that does not hold.

        `expected` gives what the issue says; without it, the value under the keyword.
        """

        def write(f: Body, schema: Schema, value: Value) -> None:
            broken = negated(holds(f, schema, value))
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


class Vocabulary:
    """The keywords that checks are written from, in the order of their issues."""

    def __init__(self, rows: Iterable[Keyword]) -> None:
        self.rows = tuple(rows)
        # Arrays are gone through in statements.
        said = [row for row in self.rows if row.holds is not None and row.facts.kind != "array"]
        # In a condition, what asks no other schema comes first.
        self.said = sorted(said, key=lambda row: row.facts.subject is not None)
        self.said_names = frozenset(("type", *(row.name for row in said)))
        self._writers: dict[tuple[tuple[str, ...], Kind | None], Mapping[Kind | None, tuple[Any, ...]]] = {}

    def writers(self, schema: Schema) -> Mapping[Kind | None, tuple[Write, ...]]:
        """Return what writes a schema's keywords where the value is of a kind; under None: whatever the kind is.

        Where `type` leaves a single kind, unions are looked at in that kind's branch: of a value of another kind
        the issue of `type` has said enough.
        """
        sole = sole_kind(schema)
        key = tuple(schema.keywords), sole  # a few combinations of keywords are nearly all schemas
        known = self._writers.get(key)
        if known is None:
            found: dict[Kind | None, list[Any]] = {}
            present = [row for row in self.rows if row.name in key[0] and row.write is not None]
            inside = [row.write for row in present if sole is not None and row.facts.is_union]
            for row in present:
                if row.write not in inside:
                    kind = None if row.facts.kind == "any" else Kind(row.facts.kind)
                    found.setdefault(kind, []).append(row.write)
            if inside:
                found.setdefault(sole, []).extend(inside)
            known = self._writers[key] = {kind: tuple(dict.fromkeys(some)) for kind, some in found.items()}
        return known
