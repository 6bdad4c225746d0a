"""pydantic 1, and FastAPI on it: `errors()` of a ValidationError, and its text. Its kinds have dots."""

from __future__ import annotations

import re

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import literal

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
"""The longest name of a kind that begins so comes first: `not_ge` and `not_gt` begin alike."""
_HEAD = re.compile(r"^.{0,300}?\d+ validation errors? for [^\n]*$", re.MULTILINE)
_ERROR = re.compile(
    r"^(?P<loc>\S[^\n]*)\n  [^\n]*? \(type=(?P<kind>(?:value|type)_error[\w.]*)(?P<context>(?:; [^\n]*)?)\)$",
    re.MULTILINE,
)
_LIMIT = re.compile(rf"; (?:{'|'.join(LIMITS)})=(?P<limit>[^;\n]*)")


def constraint_of(kind: str) -> str | None:
    """The JSON Schema keyword that a kind comes down to; None where it is not one of pydantic 1."""
    for name, constraint in _KINDS:
        if kind == name or kind.startswith(name + "."):
            return constraint
    return None


def read(text: str) -> list[ForeignIssue]:
    """The problems of a ValidationError's text."""
    head = _HEAD.search(text)
    return [] if head is None else [_issue(m) for m in _ERROR.finditer(text, head.end())]


def _issue(match: re.Match[str]) -> ForeignIssue:
    steps = tuple(int(s) if s.isdecimal() and len(s) < 10 else s for s in match["loc"].split(" -> "))
    steps = () if steps == ("__root__",) else steps
    constraint = constraint_of(match["kind"]) or "type"
    if constraint == "additionalProperties":
        return ForeignIssue(constraint, steps[:-1], names=(str(steps[-1]),) if steps else ())
    limit = _LIMIT.search(match["context"])
    return ForeignIssue(constraint, steps, expected=literal(limit["limit"]) if limit else None)
