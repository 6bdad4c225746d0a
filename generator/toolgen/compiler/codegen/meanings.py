"""How a keyword is checked in generated code (`Keyword`), and all such keywords together (`Vocabulary`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from toolgen.compiler.codegen.body import Body, Value
from toolgen.compiler.codegen.code import FALSE, Code, negated
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.schema.facts import sole_kind
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen_runtime.schema import keywords

Write = Callable[[Any, Schema, Value], None]
"""A function that writes statements with a `toolgen.compiler.codegen.function.Function`, which cannot be imported here.
"""
Holds = Callable[[Any, Schema, Value], Code]


class Keyword(NamedTuple):
    """How one keyword is checked in generated code.

    It has the keyword's entry in the table of keywords, and the code that checks the keyword.

    `write` writes the check of a schema with the keyword. It is None if the keyword is part of another check: that of a
    keyword that it needs, or the beginning of every check (`type`). Keywords with the same `write` are written
    together, at the place of the first one. `holds` returns the condition that a value is valid; it is None if one
    condition cannot express this. `collect` writes the code that collects the names or indexes which the keyword
    evaluates in a valid value; it is None if the keyword evaluates none or all of them.
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
        """Create a keyword that is checked by one condition. If the condition is false, there is an issue.

        `expected` returns the issue's `expected` value, which by default is the value of the keyword.
        """

        def write(f: Body, schema: Schema, value: Value) -> None:
            broken = negated(holds(f, schema, value))
            if broken is FALSE:
                return
            with f.when(broken):
                if expected is None:
                    says = schema.assertions[name]
                else:
                    says = expected(schema)
                f.issue(value, name, literal(says))

        return cls(name, write, holds)

    @property
    def facts(self) -> keywords.Keyword:
        """The keyword's entry in the table of all keywords, which says everything except how to check it."""
        return keywords.GRAPH[self.name]


class Vocabulary:
    """All keywords that can be checked, in the order of their issues."""

    def __init__(self, rows: Iterable[Keyword]) -> None:
        self.rows = tuple(rows)
        # Arrays are checked by statements.
        said = [row for row in self.rows if row.holds is not None and row.facts.kind != "array"]
        # In a condition, keywords without subschemas come first.
        self.said = sorted(said, key=lambda row: row.facts.subject is not None)
        self.said_names = frozenset(("type", *(row.name for row in said)))
        self._writers: dict[tuple[tuple[str, ...], Kind | None], Mapping[Kind | None, tuple[Any, ...]]] = {}

    def writers(self, schema: Schema) -> Mapping[Kind | None, tuple[Write, ...]]:
        """Return the functions that write the checks of a schema's keywords, for each kind of value.

        The functions under None are for any kind.

        If `type` allows only one kind, unions are written in the branch for this kind, because a value of another kind
        already has the issue of `type`.
        """
        sole = sole_kind(schema)
        key = tuple(schema.keywords), sole  # most schemas have one of a few combinations of keywords
        known = self._writers.get(key)
        if known is None:
            found: dict[Kind | None, list[Any]] = {}
            present = [row for row in self.rows if row.name in key[0] and row.write is not None]
            inside = [row.write for row in present if sole is not None and row.facts.is_union]
            for row in present:
                if row.write not in inside:
                    if row.facts.kind == "any":
                        kind = None
                    else:
                        kind = Kind(row.facts.kind)
                    found.setdefault(kind, []).append(row.write)
            if inside:
                found.setdefault(sole, []).extend(inside)
            known = self._writers[key] = {kind: tuple(dict.fromkeys(some)) for kind, some in found.items()}
        return known
