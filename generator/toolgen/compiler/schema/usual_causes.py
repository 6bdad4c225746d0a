"""Give advice about a keyword's wrong value, based on what usually causes the mistake."""

from __future__ import annotations

from typing import Any, Final

_LIMITS: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_MISPLACED: Final = ("required", "additionalProperties")
_DRAFT_04: Final = '"$schema": "http://json-schema.org/draft-04/schema#"'
_DRAFT_07: Final = '"$schema": "http://json-schema.org/draft-07/schema#"'


def advise(keyword: str, value: Any) -> str:
    """Return what to do about a value that a keyword does not accept.

    If there is no usual cause, return an empty string.
    """
    if keyword in _LIMITS and isinstance(value, bool):
        limit = _LIMITS[keyword]
        return f"a flag is draft-04 or OpenAPI 3.0: write the number here instead of under {limit!r}, or {_DRAFT_04}"
    are_schemas = isinstance(value, list) and all(isinstance(each, dict | bool) for each in value)
    if keyword == "items" and are_schemas:
        return f"a list of schemas is draft-07 or earlier: write 'prefixItems', or {_DRAFT_07}"
    return ""


def field_advice(keyword: str, value: Any) -> tuple[str, str]:
    """Return a keyword that was probably written into `properties` by mistake, and what to do about it.

    Return two empty strings if there is no such keyword.
    """
    if keyword == "properties" and isinstance(value, dict):
        for name in _MISPLACED:
            if name in value and not isinstance(value[name], dict | bool):
                return name, "move it out, next to 'properties'"
    return "", ""
