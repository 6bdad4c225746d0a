"""The few shapes that a JSON Schema's keywords must have (2020-12), for finding what a server would refuse.

This is not metaschema validation, which is done when a package is built. It finds what reaches a provider
from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen_runtime.schema.keywords import KEYWORDS
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.shapes import fits
from toolgen_runtime.schema.subschemas import each_schema, map_schema

_SHAPES = {
    **{row.name: row.shape for row in KEYWORDS.values() if not row.is_annotation},
    **dict.fromkeys(("title", "description", "$id", "$anchor"), "a string"),
}


def _malformed(schema: dict[str, Any]) -> list[str]:
    return [
        word
        for word, value in schema.items()
        if word in _SHAPES
        and (not fits(_SHAPES[word], value) or (word == "required" and len(set(value)) < len(value)))
    ]


def malformed_keywords(schema: Any) -> Iterator[str]:
    """JSON pointers to the keywords whose values no schema may have."""
    for steps, part in each_schema(schema):
        for word in _malformed(part):
            yield join(*steps, word)


def without_malformed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without those keywords: it accepts what it did, and is one that a server takes."""

    def sound(part: dict[str, Any]) -> dict[str, Any]:
        bad = _malformed(part)
        return {k: v for k, v in part.items() if k not in bad}

    return map_schema(schema, sound)
