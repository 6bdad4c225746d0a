"""An example payload of a tool: what a schema shows as examples, else plain values; one that the tool's check takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.diff.samples import payloads
from toolgen.schema.ir import Schema
from toolgen_runtime.validation.tool import Tool

MOST: Final = 2_000
"""Payloads that are tried."""


def example_of(tool: Tool[Any], root: Schema | None) -> Any:
    """Return a valid payload; None where none was found.

    `root` is the graph of the tool's schema. The schema's own `examples`, `example` or `default` come first, then
    payloads made of the schema, those with fewer surprises before others.
    """
    schema = tool.schema
    for value in _given(schema):
        if not tool.validate(value):
            return value
    for value in payloads(root, root, MOST) if root is not None else ():
        if not tool.validate(value):
            return value
    return None


def _given(schema: Mapping[str, Any] | bool) -> list[Any]:
    if not isinstance(schema, Mapping):
        return []
    examples = schema.get("examples")
    given = list(examples) if isinstance(examples, list) else []
    return [*given, *(schema[word] for word in ("example", "default") if word in schema)]
