"""pydantic: `errors()` of a ValidationError, and its text, also inside FastMCP's and the MCP SDK's messages.

pydantic 1 has the same shapes, with dots in its kinds and arrows in its places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import literal
from toolgen_runtime.hints.foreign.value_claims import REPORTED
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
    # The last parts of pydantic 1's.
    "extra": "additionalProperties",
    "const": "const",
    "min_length": "minLength",
    "max_length": "maxLength",
    "regex": "pattern",
    "not_gt": "exclusiveMinimum",
    "not_ge": "minimum",
    "not_lt": "exclusiveMaximum",
    "not_le": "maximum",
    "not_multiple": "multipleOf",
    "min_items": "minItems",
    "max_items": "maxItems",
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
_LIMITS = ("min_length", "max_length", "ge", "gt", "le", "lt", "multiple_of", "pattern", "limit_value")
_BODY = re.compile(r"  (?P<msg>[^\n]*?) \[type=(?P<type>\w{1,60}), input_value=")
_FIRST_BODY = re.compile(r"  (?P<msg>.{1,1000}) \(type=(?P<type>[a-z_]{2,60}(?:\.[\w.]{0,100})?)(?:; .*)?\)")
_END = re.compile(r", input_type=\w{1,80}\]$")
_TAG = re.compile(r"discriminator '([^']+)'")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: (?:characters?|items?|after)\b[^\n]*)?$")


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of a ValidationError's text."""
    head = _HEAD.search(text)
    if head is None and " -> " not in text:
        return []
    out: list[ForeignIssue] = []
    above = ""
    for line in text[head.end() if head else 0 :].split("\n"):
        body, end = _BODY.match(line), _END.search(line[-100:])
        if body is not None and end is not None:
            got = line[body.end() : len(line) - len(end[0])]
            out.append(_issue(body["type"], above, body["msg"], literal(got, MISSING), None))
            above = ""
        elif above and (first := _FIRST_BODY.fullmatch(line[:2_000])):
            place = "" if above == "__root__" else above.replace(" -> ", ".")
            out.append(_issue(first["type"], place, first["msg"], MISSING, None))
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
    first, _, last = kind.rpartition(".")
    otherwise = REPORTED if first == "value_error" else "format" if kind.startswith(_FORMATS) else "type"
    constraint = _KINDS.get(last, otherwise)
    path: tuple[str | int, ...] | str = f".{loc}" if isinstance(loc, str) and loc else loc
    if kind.startswith("union_tag") and (tag := _TAG.search(message)):
        if constraint == "required":
            return ForeignIssue(constraint, path, names=(tag[1],), message=message)
        path = f"{path}.{tag[1]}" if isinstance(path, str) else (*path, tag[1])
        return ForeignIssue("enum", path, message=message)
    if constraint in ("minItems", "maxItems") and message.startswith(("Dictionary", "Dict")):
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
