"""Schemas, payloads and issues for hints, sound and absurd."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from toolgen_runtime import MISSING, Tool, ValidationIssue
from toolgen_runtime.schema.keywords import CONSTRAINTS

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
hostile = st.text(
    st.sampled_from("ab \n\r\t\x00\x1b[\x7f\x85\u2028\u202e\u2066\u200b\ud800\U000e0001\"'\\,.…é語"),
    max_size=90,
)
scalars = (
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats() | hostile | st.text(max_size=9)
)
values = st.recursive(
    scalars,
    lambda v: st.lists(v, max_size=4) | st.dictionaries(hostile | st.sampled_from("abc"), v, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["a", "b", "c", "kind"]) | hostile


def schemas() -> st.SearchStrategy[Any]:
    """Schemas, sound and absurd."""
    types = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
    plain = st.fixed_dictionaries(
        {},
        optional={
            "type": types | st.lists(types, max_size=3),
            "enum": st.lists(scalars, max_size=12),
            "const": scalars,
            "description": hostile,
            "title": hostile,
            "pattern": hostile,
            "format": st.sampled_from(["date", "uuid"]) | hostile,
            "minimum": st.integers(-5, 5) | scalars,
            "maxLength": st.integers(0, 5),
            "default": values,
            "examples": values,
            "writeOnly": st.booleans(),
        },
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["object", "array", "string"]),
                "properties": st.dictionaries(names, inner, max_size=4),
                "required": st.lists(names, max_size=4),
                "additionalProperties": inner | st.booleans(),
                "items": inner,
                "prefixItems": st.lists(inner, max_size=2),
                "anyOf": st.lists(inner, min_size=1, max_size=3),
                "oneOf": st.lists(inner, min_size=1, max_size=3),
                "allOf": st.lists(inner, min_size=1, max_size=2),
                "$ref": st.sampled_from(["#", "#/properties/a", "#/nowhere", "other.json"]),
                "patternProperties": st.dictionaries(hostile, inner, max_size=1),
                "description": hostile,
            },
        )

    return st.recursive(plain | st.booleans(), grown, max_leaves=10)


paths = st.lists(names | st.integers(0, 40), max_size=5).map(tuple)
issues = st.builds(
    ValidationIssue,
    paths,
    st.sampled_from(sorted(CONSTRAINTS)),
    values | st.sampled_from(["string", ("string", "null")]) | st.lists(scalars, max_size=8).map(tuple),
    values | st.just(MISSING),
)


def bare_tool(schema: Any) -> Tool[Any]:
    def no_type() -> Any:
        raise AssertionError

    return Tool(
        name="tool", description="", schema=json.dumps(schema), validate=lambda _: [], payload_type=no_type
    )
