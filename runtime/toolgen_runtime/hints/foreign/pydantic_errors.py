"""pydantic 2: `errors()` of a ValidationError, and its text, also inside FastMCP's and the MCP SDK's messages.

`errors()` of pydantic 1 has the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import literal
from toolgen_runtime.hints.foreign.pydantic1_errors import constraint_of
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
}
_FORMATS = (
    "url_",
    "uuid_",
    "date_",
    "datetime_",
    "time_",
    "ip_",
    "timezone_",
    "value_error",
    "assertion_error",
)
_LIMITS = ("min_length", "max_length", "ge", "gt", "le", "lt", "multiple_of", "pattern", "limit_value")
_HEAD = re.compile(r"^.*?\d+ validation errors? for .*$", re.MULTILINE)
_ERROR = re.compile(
    r"^(?P<loc>\S[^\n]*)?\n?  (?P<msg>[^\n]*?) "
    r"\[type=(?P<type>\w+), input_value=(?P<got>[^\n]*), input_type=\w+\]",
    re.MULTILINE,
)
_TAG = re.compile(r"discriminator '([^']+)'")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: (?:characters?|items?|after)\b[^\n]*)?$")


def read(text: str) -> list[ForeignIssue]:
    """The problems of a ValidationError's text."""
    head = _HEAD.search(text)
    if head is None:
        return []
    return [
        _issue(m["type"], m["loc"] or "", m["msg"], literal(m["got"], MISSING), None)
        for m in _ERROR.finditer(text, head.end())
    ]


def of_errors(errors: Iterable[Mapping[str, Any]]) -> list[ForeignIssue]:
    """The problems of `ValidationError.errors()`, or of the same list as JSON."""
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
    of_first_major = constraint_of(kind) if "." in kind else None
    constraint = of_first_major or _KINDS.get(kind, "format" if kind.startswith(_FORMATS) else "type")
    path: tuple[str | int, ...] | str = f".{loc}" if isinstance(loc, str) and loc else loc
    if kind.startswith("union_tag") and (tag := _TAG.search(message)):
        if constraint == "required":
            return ForeignIssue(constraint, path, names=(tag[1],))
        path = f"{path}.{tag[1]}" if isinstance(path, str) else (*path, tag[1])
        return ForeignIssue("enum", path)
    if constraint in ("minItems", "maxItems") and message.startswith(("Dictionary", "Dict")):
        constraint = constraint.replace("Items", "Properties")
    if limit is None and (number := _NUMBER.search(message)):
        limit = literal(number[1])
    if constraint == "additionalProperties":
        return _unknown(path, got)
    return ForeignIssue(constraint, path, expected=limit, got=got)


def _unknown(path: tuple[str | int, ...] | str, got: Any) -> ForeignIssue:
    if isinstance(path, str):
        above, _, name = path.rpartition(".")
        return ForeignIssue("additionalProperties", above, names=(name,), got=got)
    return ForeignIssue("additionalProperties", path[:-1], names=(str(path[-1]),) if path else (), got=got)
