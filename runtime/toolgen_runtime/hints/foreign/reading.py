"""Other validators' exceptions and texts -> issues, with the schema's facts. One reader per library (`READERS`).

Of exceptions, pydantic's `errors()` come before texts. No library is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from toolgen_runtime.hints.foreign import (
    fastjsonschema_errors,
    jsonschema_errors,
    pydantic_errors,
)
from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue, Reader, issues_of
from toolgen_runtime.hints.foreign.wrapped import unwrapped
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.printing import spoken

READERS: tuple[Reader, ...] = (
    pydantic_errors.read,
    jsonschema_errors.read,
    fastjsonschema_errors.read,
)
"""Of the libraries whose texts `generic` alone reads worse; it reads those of all others."""
MAX_ISSUES = 1_000
_MAX_CAUSES = 8


def read_text(text: str, facts: SchemaFacts, payload: Any = MISSING) -> list[ValidationIssue]:
    """Return the issues that a validator's text reports; none where no reader knows it.

    `payload`, where it is known, tells values and places that the text leaves out.
    """
    plain = unwrapped(text)
    for reader in READERS:
        issues = _issues_of(reader(plain), facts, payload)
        if issues:
            return issues
    return []


def read_exception(error: BaseException, facts: SchemaFacts, payload: Any = MISSING) -> list[ValidationIssue]:
    """Return the issues of an exception: of its `errors()`, as pydantic has them, its causes', or its text."""
    for link in _chain(error):
        issues = _issues_of(_listed_errors(link), facts, payload)
        if issues:
            return issues
    for link in _chain(error):
        issues = read_text(spoken(link), facts, payload)
        if issues:
            return issues
    return []


def own_issues(problem: BaseException | str) -> list[ValidationIssue]:
    """Return the `issues()` of an exception or of one of its causes; none where there are no such."""
    for link in _chain(problem) if isinstance(problem, BaseException) else ():
        own = _call(link, "issues")
        if own is not None and all(isinstance(i, ValidationIssue) for i in own):
            return own
    return []


def _chain(error: BaseException | None) -> Iterable[BaseException]:
    for _ in range(_MAX_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _call(error: object, name: str) -> list[Any] | None:
    """Return what a method without arguments lists; None where there is no such method, or it needs arguments."""
    method: Callable[[], Any] | None = getattr(error, name, None)
    if not callable(method):
        return None
    try:
        found = method()
        return list(found) if isinstance(found, Iterable) else None
    except Exception:  # another program's method: whatever it raises, its text is still there to read
        return None


def _listed_errors(error: BaseException) -> list[ForeignIssue]:
    errors = _call(error, "errors")
    if not errors or not all(isinstance(e, dict) and "loc" in e and "type" in e for e in errors):
        return []
    return pydantic_errors.of_errors(errors)


def _issues_of(found: list[ForeignIssue], facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    seen: dict[tuple[Any, ...], ValidationIssue] = {}
    for foreign in found[:MAX_ISSUES]:
        for issue in issues_of(foreign, facts, payload):
            seen.setdefault((issue.path, issue.constraint), issue)
    return list(seen.values())
