"""An example payload of a tool: what a schema shows as examples, else plain values; one that the tool's check takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.diagnostics import SpecError
from toolgen_runtime.validation.tool import Tool

MOST: Final = 2_000
"""Payloads that are tried."""


def example_of(tool: Tool[Any]) -> Any:
    """Return a valid payload; None where none was found.

    The schema's own `examples`, `example` or `default` come first, then payloads made of the schema, those with
    fewer surprises before others.
    """
    schema = tool.schema
    for value in _given(schema):
        if not tool.validate(value):
            return value
    for value in _made(tool):
        if not tool.validate(value):
            return value
    return None


def _given(schema: Mapping[str, Any] | bool) -> list[Any]:
    if not isinstance(schema, Mapping):
        return []
    examples = schema.get("examples")
    given = list(examples) if isinstance(examples, list) else []
    return [*given, *(schema[word] for word in ("example", "default") if word in schema)]


def _made(tool: Tool[Any]) -> list[Any]:
    from toolgen.diff.samples import payloads
    from toolgen.schema.lower import LowerOptions, lower
    from toolgen.specs.load import read_value

    try:
        loaded = read_value([{"name": tool.name, "description": "", "schema": tool.schema}])
        root = lower(loaded.tools[0], LowerOptions()).root
    except SpecError:  # a reference to a file that is not here
        return []
    return [] if root is None else payloads(root, root, MOST)
