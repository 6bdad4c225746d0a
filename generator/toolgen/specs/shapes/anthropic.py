"""Anthropic tools: `input_schema`, with or without `"type": "custom"`."""

from __future__ import annotations

from toolgen.specs.shapes.shape import Shape

SHAPE = Shape(
    name="an Anthropic tool",
    provider="Anthropic",
    schema_keys=("input_schema",),
    requires_schema=True,
)
