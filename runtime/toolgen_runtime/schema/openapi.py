"""Gemini's dialect of schemas, which is a part of OpenAPI 3.0's (Vertex AI reference, `Schema`), as JSON Schema.

It has upper-case types, `nullable`, 64-bit counts as strings, enums as strings whatever their type, `defs` and
`ref`. `to_json_schema` returns the JSON Schema with the same meaning.
"""

from __future__ import annotations

import re
from json import loads
from typing import Any

from toolgen_runtime.schema.keywords import GRAPH, LIMITS, LISTED, NAMED, SINGLE

TYPES = {name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")}
NUMBERED = dict(enumerate(TYPES.values(), 1))
"""The types as Vertex's client writes them, by the numbers of its enum (google.cloud.aiplatform_v1.Type)."""
UNSPECIFIED = "TYPE_UNSPECIFIED"

SPELLINGS: dict[str, str] = {
    **{re.sub("([A-Z])", lambda capital: f"_{capital[1].lower()}", name): name for name in GRAPH},
    "property_ordering": "propertyOrdering",
    "defs": "$defs",
    "ref": "$ref",
}
"""Keywords by how the SDK writes them, in snake case."""


def to_json_schema(schema: Any) -> Any:
    """Return a schema of Gemini's dialect as JSON Schema; keywords beyond the dialect stay as they are.

    A null is how the SDK writes a field that is not set; it is left out.
    """
    if not isinstance(schema, dict):
        return schema
    given = {SPELLINGS.get(key) or key: v for key, v in schema.items() if v is not None or key == "const"}
    out: dict[str, Any] = {}
    for key, value in given.items():
        if key not in ("nullable", "propertyOrdering"):
            _rewrite(key, value, out)
    _order(out, given.get("propertyOrdering"))
    if isinstance(out.get("enum"), list):
        out["enum"] = [_typed(member, out.get("type")) for member in out["enum"]]
    return _nullable(out) if given.get("nullable") is True else out


def json_type(value: Any) -> Any:
    """Return a type of the dialect, a name or a number, as JSON Schema has it; any other value as it is."""
    if isinstance(value, str):
        return TYPES.get(value, value)
    return NUMBERED.get(value, value) if type(value) is int else value


def _rewrite(key: str, value: Any, out: dict[str, Any]) -> None:
    if key == "type":
        if value not in (UNSPECIFIED, 0):
            out["type"] = json_type(value)
    elif key == "format" and value == "enum":
        pass  # says what `enum` says
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
    else:
        out[key] = to_json_schema(value) if key in SINGLE else value


def _integral(value: Any) -> Any:
    """Return 5 for `"5"`, as 64-bit counts are written, and for `5.0`, as doubles are."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _order(out: dict[str, Any], ordering: Any) -> None:
    """Put properties in the order of `propertyOrdering`, the others after them."""
    properties = out.get("properties")
    if isinstance(properties, dict) and isinstance(ordering, list):
        first = [name for name in ordering if isinstance(name, str) and name in properties]
        out["properties"] = {name: properties[name] for name in (*first, *properties)}


def _typed(member: Any, kind: Any) -> Any:
    """Return a member of an enum in the type of the schema: the API keeps every member as a string."""
    if not isinstance(member, str) or kind not in ("integer", "number", "boolean"):
        return member
    try:
        value = loads(member)
    except ValueError:
        return member
    fits = isinstance(value, int | float) and isinstance(value, bool) is (kind == "boolean")
    return value if fits else member


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with null allowed by every keyword that would forbid it."""
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if isinstance(schema.get("type"), str) and schema["type"] != "null":
        schema["type"] = [schema["type"], "null"]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    union = schema.get("anyOf")
    if isinstance(union, list) and not any(_takes_null(branch) for branch in union):
        schema["anyOf"] = [*union, {"type": "null"}]
    return schema


def _takes_null(branch: Any) -> bool:
    kind = branch.get("type") if isinstance(branch, dict) else None
    return kind == "null" or (isinstance(kind, list) and "null" in kind)
