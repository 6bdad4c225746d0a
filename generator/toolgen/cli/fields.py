"""Short descriptions of a tool's payload fields, for `toolgen list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.merged_schemas import MergedSchemas
from toolgen.type_text import type_text


def fields(schema: Mapping[str, Any] | bool) -> list[dict[str, Any]]:
    """Return name, type and whether it is required for each property that the root of a schema names."""
    if not isinstance(schema, Mapping):
        return []
    schemas = MergedSchemas(schema)
    root = schemas.merged(schema)
    return [
        {"name": name, "type": type_text(inner, schemas), "required": name in root["required"]}
        for name, inner in root["properties"].items()
    ]
