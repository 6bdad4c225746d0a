"""pydantic 1, and FastAPI on it: `errors()` of a ValidationError, and its text. Its kinds have dots."""

from __future__ import annotations

import re
from itertools import pairwise

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import literal
from toolgen_runtime.hints.foreign.value_claims import REPORTED

LIMITS = ("limit_value", "multiple_of", "pattern")
"""Where a kind's context holds what the schema asks for."""
_KINDS = [
    ("value_error.missing", "required"),
    ("value_error.extra", "additionalProperties"),
    ("value_error.const", "const"),
    ("type_error.enum", "enum"),
    ("value_error.any_str.min_length", "minLength"),
    ("value_error.any_str.max_length", "maxLength"),
    ("value_error.str.regex", "pattern"),
    ("value_error.number.not_gt", "exclusiveMinimum"),
    ("value_error.number.not_ge", "minimum"),
    ("value_error.number.not_lt", "exclusiveMaximum"),
    ("value_error.number.not_le", "maximum"),
    ("value_error.number.not_multiple", "multipleOf"),
    ("value_error.list.min_items", "minItems"),
    ("value_error.list.max_items", "maxItems"),
    ("value_error.list.unique_items", "uniqueItems"),
    ("value_error.jsondecode", "json"),
    ("value_error", "format"),
    ("type_error", "type"),
]
_OF_SECOND_MAJOR = {"missing": "required", "extra_forbidden": "additionalProperties"}
"""What FastAPI prints in this form, too."""
"""The longest name of a kind that begins so comes first: `not_ge` and `not_gt` begin alike."""
_BODY = re.compile(
    r"(?P<msg>.{1,1000}) \(type=(?P<kind>[a-z_]{2,60}(?:\.[\w.]{0,100})?)(?P<context>(?:; .*)?)\)"
)
_HEAD = re.compile(r"(?<!\d)\d{1,6} validation errors? for ([^\n]{0,200})[^\n]*")
_OUTPUT = re.compile(r"(?:Output|Response|Result|Reply)\b")
_LIMIT = re.compile(rf"; (?:{'|'.join(LIMITS)})=(?P<limit>[^;\n]{{0,100}})")


def constraint_of(kind: str) -> str | None:
    """Return the JSON Schema keyword that a kind comes down to; None where it is not one of pydantic 1."""
    if kind in ("value_error", "assertion_error"):
        return REPORTED  # what a validator function raised
    for name, constraint in _KINDS:
        if kind == name or kind.startswith(name + "."):
            return constraint
    return None


def headline(text: str) -> re.Match[str] | None:
    """Return the line that begins a ValidationError's text, in either major version; None where it is of a result."""
    head = _HEAD.search(text)
    return None if head is None or _OUTPUT.search(head[1]) else head


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of a ValidationError's text."""
    head = headline(text)
    if head is None and " -> " not in text:
        return []
    lines = text[head.end() if head else 0 :].split("\n")
    found = ((above, _BODY.fullmatch(line[2:2_000])) for above, line in pairwise(lines) if line[:2] == "  ")
    return [_issue(above, match) for above, match in found if match is not None and above[:1].strip()]


def _issue(place: str, match: re.Match[str]) -> ForeignIssue:
    steps = tuple(int(s) if s.isdecimal() and len(s) < 10 else s for s in place.split(" -> "))
    steps = () if steps == ("__root__",) else steps
    kind = match["kind"]
    constraint = constraint_of(kind) or _OF_SECOND_MAJOR.get(kind, REPORTED)
    if constraint == "additionalProperties":
        names = (str(steps[-1]),) if steps else ()
        return ForeignIssue(constraint, steps[:-1], names=names, message=match["msg"])
    limit = _LIMIT.search(match["context"])
    expected = literal(limit["limit"]) if limit else None
    return ForeignIssue(constraint, steps, expected=expected, message=match["msg"])
