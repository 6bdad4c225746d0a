"""Hints from the exceptions and texts of other validators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolgen_runtime.calls.errors import MalformedResponseError
from toolgen_runtime.hints.build import build_hint
from toolgen_runtime.hints.foreign.reading import read_exception, read_text
from toolgen_runtime.hints.model import RetryHint
from toolgen_runtime.hints.text import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.redaction import Secrets

MAX_DETAIL = 160


def foreign_hint(
    facts: SchemaFacts,
    check: Callable[[Any], list[ValidationIssue]],
    problem: BaseException | str,
    *,
    payload: Any,
    secrets: Secrets | None = None,
    **options: Any,
) -> RetryHint:
    """What to tell the model about an exception or a text; or its first line, if no reader knows it.

    `check` is the tool's own, `secrets` is what no line may quote; `options` are those of `build_hint`.
    """
    payload = _parsed(payload)
    if isinstance(problem, MalformedResponseError):
        # The tool ran: no other arguments would help.
        detail = _line(problem, payload, secrets)
        return build_hint(facts, [], payload=payload, reason="malformed_response", detail=detail, **options)
    read = (
        read_text(problem, facts, payload)
        if isinstance(problem, str)
        else read_exception(problem, facts, payload)
    )
    issues = _precise(check, read, payload)
    if secrets is not None:
        issues = secrets.conceal(issues)
    detail = "" if issues else _line(problem, payload, secrets) or type(problem).__name__
    return build_hint(facts, issues, payload=payload, detail=detail, **options)


def _line(problem: BaseException | str, payload: Any, secrets: Secrets | None) -> str:
    text = str(problem)
    return prose(text if secrets is None else secrets.scrubbed(text, payload), MAX_DETAIL)


def _precise(
    check: Callable[[Any], list[ValidationIssue]], issues: list[ValidationIssue], payload: Any
) -> list[ValidationIssue]:
    """Where a text says no more than that a union failed, or nothing at all, the tool's own check says what."""
    vague = [i for i in issues if i.constraint in ("anyOf", "oneOf", "not")]
    if payload is MISSING or (issues and len(vague) < len(issues)):
        return issues
    own = check(payload)
    if not issues:
        return own
    below = [i for i in own if any(i.path[: len(v.path)] == v.path for v in vague)]
    return below or issues


def _parsed(payload: Any) -> Any:
    """Arguments are often at hand as text only."""
    if not isinstance(payload, (str, bytes)):
        return payload
    from toolgen_runtime.validation.json_text import read

    value, issues = read(payload)
    return payload if issues else value
