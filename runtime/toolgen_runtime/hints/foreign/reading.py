"""Other validators' exceptions and texts -> issues, with the schema's facts. One reader per library (`READERS`).

An exception that carries issues is used as it is; one of a library that is known by its attributes next; then
texts. No library is imported.
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
    """Return the issues of an exception: its own `issues()`, its library's attributes, its causes', or its text's."""
    for link in _chain(error):
        own = _call(link, "issues")
        if own is not None and all(isinstance(i, ValidationIssue) for i in own):
            return list(own)
        issues = _issues_of(_by_attributes(link), facts, payload)
        if issues:
            return issues
    for link in _chain(error):
        issues = read_text(spoken(link), facts, payload)
        if issues:
            return issues
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


def _by_attributes(error: BaseException) -> list[ForeignIssue]:
    if all(hasattr(error, name) for name in ("absolute_path", "validator", "validator_value", "instance")):
        return jsonschema_errors.of_exception(error)
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
