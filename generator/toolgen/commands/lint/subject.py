"""What lint rules examine: one tool, each of its schemas, and the schema as a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from toolgen.commands.tokens import tokens_of
from toolgen.compiler.compiled_check import CompiledChecks
from toolgen.compiler.diagnostics import Diagnostic, Place
from toolgen.compiler.lint_codes import LINT_CODES
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.raw import each_schema, named

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Subject:
    """One tool to be examined. `root` is its schema as a graph."""

    spec: ToolSpec
    root: Schema
    providers: Sequence[str] = ()
    """The providers named in the command."""
    directories: Sequence[str] = ()
    """The directories of servers named in the command."""
    checks: CompiledChecks = field(default_factory=CompiledChecks)

    @cached_property
    def schemas(self) -> list[tuple[Steps, dict[str, Any]]]:
        """Every object schema of the tool, as it is written, with the steps that lead to it."""
        return list(each_schema(self.spec.schema if isinstance(self.spec.schema, dict) else {}))

    @cached_property
    def graph(self) -> list[Schema]:
        """Every schema of the graph that comes from the tool's own document, once each."""
        return [schema for schema in everything(self.root) if schema.document == ""]

    @cached_property
    def tokens(self) -> int:
        """How many tokens the definition takes in every request, approximately."""
        return tokens_of(self.spec)

    def finding(self, code: str, message: str, *steps: str | int, pointer: str = "") -> Diagnostic:
        """Create a finding at a place in the schema. The steps start at the root or at `pointer`."""
        place = self.spec.schema_place
        at = Place(place.file, place.pointer + pointer).below(*steps)
        return replace(self.finding_of_tool(code, message), place=at)

    def finding_of_tool(self, code: str, message: str) -> Diagnostic:
        """Create a finding about the tool as a whole."""
        entry = LINT_CODES[code]
        hint = (entry.fix[:1].lower() + entry.fix[1:]).rstrip(".")
        return Diagnostic(self.spec.place, code, message, hint, self.spec.name, entry.levels[0])


def properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the properties of a schema whose schemas are objects."""
    return ((name, each) for name, each in named(schema, "properties").items() if isinstance(each, dict))


def shown(names: Sequence[str], most: int = 5) -> str:
    """Return names in quotes, but only the first few if there are many."""
    text = ", ".join(map(repr, names[:most]))
    if len(names) > most:
        return f"{text} and {len(names) - most} more"
    return text
