"""Short descriptions of a tool's payload fields, for `toolgen list`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolgen.merged_schemas import MergedSchemas

MAX_MEMBERS = 5
"""Values of an enum, or branches of a union, that are listed."""

MAX_DEPTH = 4
"""Levels of arrays and unions that are described."""


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


def type_text(schema: Any, schemas: MergedSchemas, depth: int = MAX_DEPTH) -> str:
    """Return `string`, `array of integer`, `"low" | "high"`, `string | null`; `any` without a type."""
    if not isinstance(schema, Mapping) or not depth:
        return "nothing" if schema is False else "any"
    schema = schemas.merged(schema)
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if isinstance(schema.get("enum"), list):
        return _joined([json.dumps(value, ensure_ascii=False) for value in schema["enum"]])
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return _joined([_array(schema, schemas, depth) if kind == "array" else str(kind) for kind in kinds])
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list):
            return _joined([type_text(branch, schemas, depth - 1) for branch in schema[union]])
    return "any"


def _array(schema: Mapping[str, Any], schemas: MergedSchemas, depth: int) -> str:
    inner = type_text(schema.get("items") or True, schemas, depth - 1)
    return "array" if inner == "any" else f"array of {f'({inner})' if ' | ' in inner else inner}"


def _joined(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    more = [f"… {len(parts) - MAX_MEMBERS} more"] if len(parts) > MAX_MEMBERS else []
    return " | ".join([*parts[:MAX_MEMBERS], *more])
