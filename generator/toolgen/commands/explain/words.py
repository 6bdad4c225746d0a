"""Describe an issue in words, together with the keyword that is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.compiler.short_text import short_json
from toolgen_runtime.hints.expected import with_article
from toolgen_runtime.schema.keywords import GRAPH, UNKNOWN_KEYS

_SAID: Final = {
    "required": "missing",
    "uniqueItems": "two items are equal",
    "anyOf": "has none of the allowed forms",
    "oneOf": "does not have exactly one of the allowed forms",
    "not": "is not allowed here",
    "json": "the text is not JSON",
    "truncated": "the text is cut off",
    "duplicate_key": "the key is sent twice",
}


def issue_in_words(issue: Mapping[str, Any]) -> str:
    """Return a line about an issue: `field: words (keyword)`."""
    constraint = issue["constraint"]
    return f"{issue['field'] or '(payload)'}: {_words(issue, constraint)} ({constraint})"


def _words(issue: Mapping[str, Any], constraint: str) -> str:
    got = f", not {short_json(issue['got'])}" if "got" in issue else ""
    expected = issue["expected"]
    if constraint in UNKNOWN_KEYS:
        return "not a field of this tool" if "." not in issue["field"] else "not a field of this object"
    if constraint in _SAID:
        return _SAID[constraint]
    if constraint == "type":
        kinds = expected if isinstance(expected, list) else [expected]
        return f"must be {' or '.join(with_article(str(kind)) for kind in kinds)}{got}"
    if constraint == "enum" and isinstance(expected, list):
        return f"must be one of {short_json(expected, 200)[1:-1]}{got}"
    if constraint == "format":
        return f"must be a valid {expected}{got}"
    if constraint == "pattern":
        return f"must match {expected}{got}"
    row = GRAPH.get(constraint)
    if row is not None and row.is_limit:
        return f"must be {row.said(expected)}{got}"
    if expected is not None:
        return f"must be {short_json(expected)}{got}"
    return f"breaks {constraint}{got}"
