"""The issues that a hint looks at, where a payload has very many: a line says the same of all items."""

from __future__ import annotations

from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import ValidationIssue

MAX_ISSUES = 10_000
"""Issues that a hint looks at, in their order; of further ones, the first of each kind."""
MAX_KINDS = 64
"""Kinds of these: issues of one constraint in one place of many items."""


def first_issues(issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Return the first `MAX_ISSUES` issues, and the first of each kind that is not among them."""
    if len(issues) <= MAX_ISSUES:
        return issues
    first = issues[:MAX_ISSUES]
    known = {_kind(issue) for issue in first}
    end = len(known) + MAX_KINDS
    for issue in issues[MAX_ISSUES:]:
        kind = _kind(issue)
        if kind not in known:
            known.add(kind)
            first.append(issue)
            if len(known) == end:
                break
    return first


def _kind(issue: ValidationIssue) -> object:
    return issue.constraint, tuple([ANY_ITEM if type(step) is int else step for step in issue.path])
