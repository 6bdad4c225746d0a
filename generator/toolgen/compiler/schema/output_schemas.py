"""Check the output schemas of tools.

An invalid one does no harm here, but because of it clients may reject the whole list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.tool_spec import ToolSpec


def check_output_schema(spec: ToolSpec, options: LowerOptions) -> Iterator[Diagnostic]:
    """Yield a warning for each error in the output schema of a tool."""
    if spec.output_schema is None:
        return
    place = spec.place.below("outputSchema")
    output = replace(spec, schema=spec.output_schema, schema_place=place, output_schema=None)
    for problem in lower(output, replace(options, slow_patterns="allow")).diagnostics:
        if problem.level == "error":
            message = f"the output schema is broken: {problem.message}"
            yield replace(problem, code="broken-output-schema", message=message, level="warning")


def check_output_root(spec: ToolSpec) -> Iterator[Diagnostic]:
    """Yield a note if the root of an output schema is not `type: object`. MCP before 2026-07-28 requires it."""
    output = spec.output_schema
    if output is not None and not (isinstance(output, Mapping) and output.get("type") == "object"):
        message = "the output schema has no 'type': 'object' at its root, so older MCP clients reject the list of tools"
        hint = "add it, or wrap the result in an object"
        place = spec.place.below("outputSchema")
        yield Diagnostic(place, "broken-output-schema", message, hint, spec.name, "note")
