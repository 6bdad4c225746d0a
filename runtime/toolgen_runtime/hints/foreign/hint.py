"""Hints from the exceptions and texts of other validators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from toolgen_runtime.calls.errors import MalformedResponseError
from toolgen_runtime.hints.build import build_hint
from toolgen_runtime.hints.foreign import libraries
from toolgen_runtime.hints.foreign.reading import REPORTED, read_mentions, read_text
from toolgen_runtime.hints.foreign.wrapped import MAX_TEXT, unwrapped
from toolgen_runtime.hints.retry_hint import RetryHint
from toolgen_runtime.hints.text import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.printing import spoken
from toolgen_runtime.validation.redaction import Secrets

MAX_DETAIL = 160
_MAX_CAUSES = 8
_OUTPUT_ERROR = re.compile(
    r"Output validation error\b|Structured content does not match the tool's output schema"
    r"|\d{1,6} validation errors? for \w{1,100}Output\b"
)
"""How the MCP SDKs begin the text about a result that does not fit its schema: the tool ran."""


def foreign_hint(
    facts: SchemaFacts,
    check: Callable[[Any], list[ValidationIssue]],
    problem: BaseException | str,
    *,
    payload: Any,
    secrets: Secrets | None = None,
    **options: Any,
) -> RetryHint:
    """Return what to tell the model about an exception or a text; its first line, if no reader knows it.

    `check` is the tool's own, `secrets` is what no line may quote; `options` are those of `build_hint`.
    """
    payload = _parsed(payload)
    text = spoken(problem)[:MAX_TEXT]
    if isinstance(problem, MalformedResponseError) or _OUTPUT_ERROR.match(unwrapped(text)):
        # The tool ran: no other arguments would help.
        detail = _line(text, payload, secrets)
        return build_hint(facts, [], payload=payload, reason="malformed_response", detail=detail, **options)
    issues = next(filter(None, map(libraries.own_issues, _chain(problem))), [])
    if not issues and payload is not MISSING:
        issues = check(payload)
        said = [issue.path for issue in _of_libraries(problem, facts)] if issues else []
        issues = [i for i in issues if any(path and i.path[: len(path)] == path for path in said)] or issues
    issues = issues or read_problem(problem, facts, payload)
    if secrets is not None:
        issues = secrets.conceal([_without_secrets(issue, payload, secrets) for issue in issues])
    detail = "" if issues else _line(text, payload, secrets) or type(problem).__name__
    return build_hint(facts, issues, payload=payload, detail=detail, check=check, **options)


def read_problem(
    problem: BaseException | str, facts: SchemaFacts, payload: Any = MISSING
) -> list[ValidationIssue]:
    """Return the issues of a text, or of an exception: of its `errors()`, its causes', or its text."""
    return _of_libraries(problem, facts, payload) or read_text(spoken(problem), facts, payload)


def _of_libraries(
    problem: BaseException | str, facts: SchemaFacts, payload: Any = MISSING
) -> list[ValidationIssue]:
    """Return the issues of the first `errors()` or text, from the outermost exception on, that is a library's."""
    links = [*_chain(problem)]
    told: list[object] = [*links] or [problem]
    texts = (libraries.mentions(unwrapped(spoken(each))) for each in told)
    found = (read_mentions(each, facts, payload) for each in (*map(libraries.listed_errors, links), *texts))
    return next(filter(None, found), [])


def _chain(problem: BaseException | str) -> Iterator[BaseException]:
    """Yield an exception and those that it was raised from; nothing for a text."""
    link = problem if isinstance(problem, BaseException) else None
    for _ in range(_MAX_CAUSES):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _line(text: str, payload: Any, secrets: Secrets | None) -> str:
    return prose(text if secrets is None else secrets.scrubbed(text, payload), MAX_DETAIL)


def _without_secrets(issue: ValidationIssue, payload: Any, secrets: Secrets) -> ValidationIssue:
    """Return an issue whose sentence, if it has one, quotes no secret of the payload."""
    if issue.constraint != REPORTED or not isinstance(issue.expected, str):
        return issue
    return ValidationIssue(issue.path, REPORTED, secrets.scrubbed(issue.expected, payload), issue.got)


def _parsed(payload: Any) -> Any:
    """Return the arguments, parsed where they are at hand as text only."""
    if not isinstance(payload, (str, bytes)):
        return payload
    value, issues = read(payload)
    return payload if issues else value
