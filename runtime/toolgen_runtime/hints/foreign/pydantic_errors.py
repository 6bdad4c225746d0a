"""pydantic: `errors()` of a ValidationError, and its text, also inside FastMCP's and the MCP SDK's messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import REPORTED, ForeignIssue
from toolgen_runtime.hints.foreign.phrases import literal
from toolgen_runtime.validation.issues import MISSING

_KINDS = {
    "missing": "required",
    "extra_forbidden": "additionalProperties",
    "unexpected_keyword_argument": "additionalProperties",
    "missing_argument": "required",
    "missing_keyword_only_argument": "required",
    "literal_error": "enum",
    "enum": "enum",
    "string_too_short": "minLength",
    "string_too_long": "maxLength",
    "string_pattern_mismatch": "pattern",
    "too_short": "minItems",
    "too_long": "maxItems",
    "greater_than": "exclusiveMinimum",
    "greater_than_equal": "minimum",
    "less_than": "exclusiveMaximum",
    "less_than_equal": "maximum",
    "multiple_of": "multipleOf",
    "union_tag_invalid": "enum",
    "union_tag_not_found": "required",
    "json_invalid": "json",
    "value_error": REPORTED,
    "assertion_error": REPORTED,
}
_HEAD = re.compile(
    r"(?<!\d)\d{1,6} validation errors? for (?![^\n]{0,200}(?:Output|Response|Result|Reply)\b)[^\n]*"
)
"""The line that begins a ValidationError's text, but that of a result."""
_FORMATS = (
    "url_",
    "uuid_",
    "date_",
    "datetime_",
    "time_",
    "ip_",
    "timezone_",
)
_LIMITS = ("min_length", "max_length", "ge", "gt", "le", "lt", "multiple_of", "pattern")
_BODY = re.compile(r"  (?P<msg>[^\n]*?) \[type=(?P<type>\w{1,60}), input_value=")
_END = re.compile(r", input_type=\w{1,80}\]$")
_TAG = re.compile(r"discriminator '([^']+)'")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: (?:characters?|items?|after)\b[^\n]*)?$")


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of a ValidationError's text."""
    head = _HEAD.search(text)
    if head is None:
        return []
    out: list[ForeignIssue] = []
    above = ""
    for line in text[head.end() :].split("\n"):
        body, end = _BODY.match(line), _END.search(line[-100:])
        if body is not None and end is not None:
            got = line[body.end() : len(line) - len(end[0])]
            out.append(_issue(body["type"], above, body["msg"], literal(got, MISSING), None))
            above = ""
        elif line[:1].strip():
            above = line
    return out


def of_errors(errors: Iterable[Mapping[str, Any]]) -> list[ForeignIssue]:
    """Return the problems of `ValidationError.errors()`, or of the same list as JSON."""
    out = []
    for error in errors:
        context, loc = error.get("ctx"), error.get("loc")
        limit = (
            next((context[k] for k in _LIMITS if k in context), None)
            if isinstance(context, Mapping)
            else None
        )
        path = tuple(s for s in loc if isinstance(s, str | int)) if isinstance(loc, list | tuple) else ()
        out.append(
            _issue(
                str(error.get("type")), path, str(error.get("msg", "")), error.get("input", MISSING), limit
            )
        )
    return out


def _issue(kind: str, loc: tuple[str | int, ...] | str, message: str, got: Any, limit: Any) -> ForeignIssue:
    constraint = _KINDS.get(kind, "format" if kind.startswith(_FORMATS) else "type")
    path: tuple[str | int, ...] | str = f".{loc}" if isinstance(loc, str) and loc else loc
    if kind.startswith("union_tag") and (tag := _TAG.search(message)):
        if constraint == "required":
            return ForeignIssue(constraint, path, names=(tag[1],), message=message)
        path = f"{path}.{tag[1]}" if isinstance(path, str) else (*path, tag[1])
        return ForeignIssue("enum", path, message=message)
    if constraint in ("minItems", "maxItems") and message.startswith("Dict"):
        constraint = constraint.replace("Items", "Properties")
    if limit is None and (number := _NUMBER.search(message)):
        limit = literal(number[1])
    if constraint == "additionalProperties":
        return _unknown(path, got, message)
    return ForeignIssue(constraint, path, expected=limit, got=got, message=message)


def _unknown(path: tuple[str | int, ...] | str, got: Any, message: str) -> ForeignIssue:
    if isinstance(path, str):
        above, _, name = path.rpartition(".")
        return ForeignIssue("additionalProperties", above, names=(name,), got=got, message=message)
    names = (str(path[-1]),) if path else ()
    return ForeignIssue("additionalProperties", path[:-1], names=names, got=got, message=message)
