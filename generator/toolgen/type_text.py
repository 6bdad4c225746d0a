"""A schema's type in a few words, for lists and pages: `array of integer`, `"low" | "high"`, `string | null`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolgen.merged_schemas import MergedSchemas
from toolgen_runtime.schema.raw import json_type

MAX_MEMBERS: Final = 5
"""Values of an enum, or branches of a union, that are listed."""
MAX_DEPTH: Final = 4
"""Levels of arrays and unions that are described."""


def type_text(schema: Any, schemas: MergedSchemas, depth: int = MAX_DEPTH, *, values: bool = True) -> str:
    """Return the type of what a schema takes; `any` without one, `nothing` where it is false.

    What `enum` and `const` list is named, or with `values=False` its types, where the values stand beside.
    """
    if not isinstance(schema, Mapping) or not depth:
        return "nothing" if schema is False else "any"
    schema = schemas.merged(schema)
    if (listed := _listed(schema)) is not None:
        return _joined(
            [json.dumps(each, ensure_ascii=False) if values else json_type(each) for each in listed]
        )
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return _joined(
            [_array(schema, schemas, depth, values) if kind == "array" else str(kind) for kind in kinds]
        )
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list):
            return _joined([type_text(branch, schemas, depth - 1, values=values) for branch in schema[union]])
    return "object" if schema["properties"] else "any"


def _listed(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return schema["enum"] if isinstance(schema.get("enum"), list) else None


def _array(schema: Mapping[str, Any], schemas: MergedSchemas, depth: int, values: bool) -> str:
    inner = type_text(schema.get("items") or True, schemas, depth - 1, values=values)
    return "array" if inner == "any" else f"array of {f'({inner})' if ' | ' in inner else inner}"


def _joined(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    more = [f"… {len(parts) - MAX_MEMBERS} more"] if len(parts) > MAX_MEMBERS else []
    return " | ".join([*parts[:MAX_MEMBERS], *more])
