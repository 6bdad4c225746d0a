"""Whether an object is closed: payload models, tags of unions and containment ask it."""

from __future__ import annotations

from typing import Any

from helpers.support import for_each, lowered

from toolgen.compiler.schema.facts import is_closed


@for_each(
    [
        ({"properties": {"a": {}}}, False),
        ({"properties": {"a": {}}, "additionalProperties": False}, True),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, False),
        ({"properties": {"a": {}}, "patternProperties": {}, "additionalProperties": False}, True),
        ({"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": False}, False),
    ]
)
def test_an_object_is_closed_if_no_other_key_is_allowed(schema: dict[str, Any], closed: bool) -> None:
    assert is_closed(lowered(schema)) is closed
