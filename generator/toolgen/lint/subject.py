"""What the rules of the linter look at: one tool, its schemas one by one, and the lowered graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolgen.diagnostics import Diagnostic, Level
from toolgen.lint.codes import LINT_CODES
from toolgen.schema.ir import Schema
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.subschemas import each_schema

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Subject:
    """One tool under the linter; `root` is its lowered schema."""

    spec: ToolSpec
    root: Schema
    providers: Sequence[str] = ()
    """The providers that were named."""

    @cached_property
    def schemas(self) -> list[tuple[Steps, dict[str, Any]]]:
        """Every object schema as it was written, with the steps to it."""
        return list(each_schema(self.spec.schema if isinstance(self.spec.schema, dict) else {}))

    @cached_property
    def graph(self) -> list[Schema]:
        """Every schema of the lowered graph of the tool's own document, each once."""
        found: dict[Schema, None] = {}
        waiting = [self.root]
        while waiting:
            schema = waiting.pop()
            if schema in found:
                continue
            found[schema] = None
            waiting += [below for keyword in schema.keywords for below in schema.below(keyword)]
        return [schema for schema in found if schema.document == ""]

    @cached_property
    def patterns(self) -> list[str]:
        """Every pattern of the tool's schemas."""
        found: list[str] = []
        for schema in self.graph:
            found += schema.pattern_properties
            if isinstance(pattern := schema.assertions.get("pattern"), str):
                found.append(pattern)
        return found

    def finding(
        self,
        code: str,
        message: str,
        *steps: str | int,
        pointer: str | None = None,
        level: Level | None = None,
    ) -> Diagnostic:
        """Return a finding at a schema: by the steps to it, or by its pointer in the schema."""
        entry = LINT_CODES[code]
        place = self.spec.schema_place
        at = place.below(*steps) if pointer is None else type(place)(place.file, place.pointer + pointer)
        return Diagnostic(at, code, message, _hint(entry.fix), self.spec.name, level or entry.levels[0])

    def finding_of_tool(self, code: str, message: str) -> Diagnostic:
        """Return a finding about the tool as a whole."""
        entry = LINT_CODES[code]
        return Diagnostic(self.spec.place, code, message, _hint(entry.fix), self.spec.name, entry.levels[0])


def _hint(fix: str) -> str:
    return (fix[:1].lower() + fix[1:]).rstrip(".")


def properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the properties of a schema that are object schemas."""
    members = schema.get("properties")
    for name, member in members.items() if isinstance(members, dict) else ():
        if isinstance(member, dict):
            yield name, member


def shown(names: Sequence[str], most: int = 5) -> str:
    """Return some names in quotes, the first few of many."""
    text = ", ".join(map(repr, names[:most]))
    return f"{text} and {len(names) - most} more" if len(names) > most else text
