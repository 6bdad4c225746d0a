"""Convert schemas in Gemini's dialect, a subset of OpenAPI 3.0's (Vertex AI reference, `Schema`), to JSON
Schema.

The dialect has upper-case types, `nullable`, 64-bit counts as strings, enum members that are always strings, `defs`
and `ref`. `to_json_schema` returns the JSON Schema with the same meaning.
"""

from __future__ import annotations

import re
from contextlib import suppress
from json import loads
from typing import Any

from toolgen_runtime.schema.keywords import GRAPH, LIMITS, LISTED, NAMED, SINGLE
from toolgen_runtime.schema.raw import listed, named
from toolgen_transcripts.codec.members import Schema, as_list, at_path

TYPES = {name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")}
NUMBERED = dict(enumerate(TYPES.values(), 1))
"""The types by the enum numbers that Vertex's client writes (google.cloud.aiplatform_v1.Type)."""
UNSPECIFIED = "TYPE_UNSPECIFIED"

SPELLINGS: dict[str, str] = {
    **{re.sub("([A-Z])", lambda capital: f"_{capital[1].lower()}", name): name for name in GRAPH},
    "property_ordering": "propertyOrdering",
    "defs": "$defs",
    "ref": "$ref",
}
"""Keywords by the SDK's spelling in snake case."""


def to_json_schema(schema: Any) -> Any:
    """Convert a schema in Gemini's dialect to JSON Schema. Keywords outside the dialect stay unchanged.

    Keywords that are null are left out, because the SDK writes null for a field that is not set.
    """
    if not isinstance(schema, dict):
        return schema
    given = {SPELLINGS.get(key) or key: v for key, v in schema.items() if v is not None or key == "const"}
    out: Schema = {}
    for key, value in given.items():
        if key not in ("nullable", "propertyOrdering"):
            _rewrite(key, value, out)
    properties, ordering = named(out, "properties"), listed(given, "propertyOrdering")
    if properties and ordering:  # the others follow
        first = [name for name in ordering if isinstance(name, str) and name in properties]
        out["properties"] = {name: properties[name] for name in (*first, *properties)}
    if isinstance(out.get("enum"), list):
        out["enum"] = [_typed(member, out.get("type")) for member in out["enum"]]
    if given.get("nullable") is True:
        return _nullable(out)
    return out


def json_type(value: Any) -> Any:
    """Return the JSON Schema name of a type in the dialect, which may be a name or a number.

    Any other value is returned unchanged.
    """
    if isinstance(value, str):
        return TYPES.get(value, value)
    if type(value) is int:
        return NUMBERED.get(value, value)
    return value


def _rewrite(key: str, value: Any, out: Schema) -> None:
    # The format is redundant with `enum`.
    if (key == "type" and value in (UNSPECIFIED, 0)) or (key == "format" and value == "enum"):
        return
    if key == "type":
        out[key] = json_type(value)
    elif key == "example":
        out["examples"] = [value]
    elif key in LIMITS:
        out[key] = _integral(value)
    elif key == "$ref" and isinstance(value, str):
        out[key] = value.replace("#/defs/", "#/$defs/", 1)
    elif key in NAMED and isinstance(value, dict):
        out[key] = {name: to_json_schema(inner) for name, inner in value.items()}
    elif key in LISTED and isinstance(value, list):
        out[key] = [to_json_schema(inner) for inner in value]
    elif key in SINGLE:
        out[key] = to_json_schema(value)
    else:
        out[key] = value


def _integral(value: Any) -> Any:
    """Return 5 for `"5"`, the form of 64-bit counts, and for `5.0`, the form of doubles."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _typed(member: Any, kind: Any) -> Any:
    """Return an enum member in the type of the schema, because the API stores every member as a string."""
    if isinstance(member, str) and kind in ("integer", "number", "boolean"):
        with suppress(ValueError):
            value = loads(member)
            if isinstance(value, int | float) and isinstance(value, bool) is (kind == "boolean"):
                return value
    return member


def _nullable(schema: Schema) -> Schema:
    """Return the schema, changed so that every keyword allows null."""
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if isinstance(schema.get("type"), str) and schema["type"] != "null":
        schema["type"] = [schema["type"], "null"]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    union = schema.get("anyOf")
    if isinstance(union, list) and not any("null" in as_list(at_path(branch, ("type",))) for branch in union):
        schema["anyOf"] = [*union, {"type": "null"}]
    return schema
