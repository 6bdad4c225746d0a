"""Tools of no provider: `{name, description, schema}`."""

from __future__ import annotations

from toolgen.specs.shapes.shape import Shape

SHAPE = Shape(name="a plain tool", schema_keys=("schema",))
