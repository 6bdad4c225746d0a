"""From issues to a `RetryHint`: gather problems, match renames, group, rank, cap. Pure and deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolgen_runtime.calls.errors import Recovery
from toolgen_runtime.hints.advice import advice
from toolgen_runtime.hints.example import example_input
from toolgen_runtime.hints.expected import summary_of
from toolgen_runtime.hints.grouping import field_text, group_alike
from toolgen_runtime.hints.model import Caps, FieldHint, Reason, RetryHint
from toolgen_runtime.hints.problems import Locator, Problem, gather
from toolgen_runtime.hints.progress import attempts, compare, fingerprint
from toolgen_runtime.hints.question import question
from toolgen_runtime.hints.renames import match_renames
from toolgen_runtime.hints.similar_names import best_value, likeness, nearest
from toolgen_runtime.hints.text import bounded, prose, shown, small
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text
from toolgen_runtime.validation.tool import Tool

MAX_UNLIKE = 3
"""Valid keys that are named where none is like the unknown one."""
MAX_PROBLEMS = 64
"""Problems that a hint remembers for its successor."""
_LISTING = ("enum", "const")
_CAPS = Caps()
_TEXT_REASONS: dict[str, Reason] = {
    "json": "malformed_json",
    "duplicate_key": "malformed_json",
    "truncated": "truncated",
}
_RECOVERIES: dict[Reason, Recovery] = {
    "invalid_arguments": "correct",
    "malformed_json": "correct",
    "unknown_tool": "correct",
    "truncated": "retry",
    "malformed_response": "retry",
    "tool_failed": "give_up",
}


def build_hint(
    tool: Tool[Any] | SchemaFacts,
    issues: Iterable[ValidationIssue],
    *,
    payload: Any = MISSING,
    previous: RetryHint | None = None,
    name: str | None = None,
    reason: Reason | None = None,
    recovery: Recovery | None = None,
    detail: str = "",
    caps: Caps = _CAPS,
    ran: bool = False,
) -> RetryHint:
    """Return what to tell the model about a call whose arguments (or result) have these issues.

    Args:
        tool: the tool, or the facts of the schema that the issues are about.
        payload: what was checked; without it renames and union branches are found from the issues alone.
        previous: the hint of the call before, if the model has tried already; nothing else is remembered.
        name: the tool's name as the model saw it, where that is not its own.
        reason, recovery: where the issues and the count of attempts do not say.
        detail: one line to say what went wrong, where no field does.
        caps: how much the hint holds.
        ran: whether the tool ran, and the issues are what it or its service reported then.
    """
    facts = tool if isinstance(tool, SchemaFacts) else facts_of(tool)
    issues = issues if type(issues) is list else list(issues)
    if isinstance(tool, Tool) and tool.secrets is not None:
        issues = tool.secrets.conceal(issues)
    if issues and issues[0].constraint in _TEXT_REASONS:
        reason = reason or _TEXT_REASONS[issues[0].constraint]
        detail, issues = detail or _text_detail(issues[0]), []
    if ran and reason != "malformed_response":
        reason, recovery = "tool_failed", recovery or "correct"
    reason = reason or "invalid_arguments"
    lines = _lines(facts, issues, payload, caps)
    fields: list[FieldHint] = []
    noted: list[tuple[str, str]] = []
    missing: list[Problem] = []
    names: list[str] = []
    for problem in lines[:MAX_PROBLEMS]:
        field = field_text(problem)
        noted.append((field, problem.constraint))
        if len(fields) < caps.fields:
            fields.append(_field_hint(problem, field, caps))
        if problem.missing and reason in ("invalid_arguments", "tool_failed"):
            missing += problem.siblings or (problem,)
            names += map(field_text, problem.siblings[: caps.missing]) if problem.siblings else (field,)
    hint = RetryHint(
        tool=name if name is not None else getattr(tool, "name", ""),
        reason=reason,
        recovery=recovery or _RECOVERIES[reason],
        missing_fields=(*names[: caps.missing],),
        fields=(*fields,),
        clarifying_question=question(missing, caps.question) if missing else None,
        example_input=example_input(missing[: 2 * caps.fields])
        if missing and recovery != "give_up"
        else None,
        omitted=len(lines) - caps.fields if len(lines) > caps.fields else 0,
        detail=prose(detail, 200) if detail else "",
        problems=(*noted,),
        fingerprint=fingerprint(payload),
    )
    given = recovery is not None and not ran
    return hint if previous is None else _after(previous, hint, caps, given=given)


def _lines(facts: SchemaFacts, issues: Sequence[ValidationIssue], payload: Any, caps: Caps) -> list[Problem]:
    """Return the problems in the order of their lines: renames matched, alike ones grouped."""
    problems = gather(Locator(facts, payload), issues)
    by_key = False
    for problem in problems:
        if problem.unknown or problem.missing:
            by_key = by_key or problem.unknown or problem.location.has_strays()
        elif problem.constraint in _LISTING or problem.node.allowed:
            _guess(problem)
    if by_key:
        problems = match_renames(problems)
    if len(problems) > 1:
        problems = group_alike(problems, caps.missing)
        problems.sort(key=lambda f: 0 if f.tag else 2 if f.unknown and f.did_you_mean is None else 1)
        _name_keys_once(problems)
    return problems


def _name_keys_once(problems: Sequence[Problem]) -> None:
    """Several unknown keys of one object: only the first line names the valid ones."""
    named: set[int] = set()
    for problem in problems:
        if problem.unknown:
            problem.keys_named = id(problem.location) in named
            named.add(id(problem.location))


def _guess(problem: Problem) -> None:
    """The allowed value that was meant, if one clearly was; never for a secret."""
    allowed = _allowed(problem)
    if allowed and not problem.secret:
        problem.did_you_mean = best_value(problem.got, allowed)


def _allowed(problem: Problem) -> tuple[Any, ...]:
    issue = problem.issues[0]
    if issue.constraint == "type" and len(problem.issues) > 1:
        issue = problem.issues[1]
    known = problem.node.allowed
    if issue.constraint == "enum" and isinstance(issue.expected, (list, tuple)):
        # The place's own tuple, if it is the same: what is derived from it is kept there.
        return known if issue.expected == known else tuple(issue.expected)
    if issue.constraint != "const" or (issue.expected is None and issue.got is MISSING):
        return known  # of a text that does not say which value
    return (issue.expected,)


def _near(problem: Problem, caps: Caps) -> tuple[Any, ...]:
    """The allowed values, or for an unknown key the valid keys, that deserve a place under the cap."""
    if problem.unknown:
        sent = problem.location.value if isinstance(problem.location.value, dict) else {}
        names = [n for n in problem.location.node.properties if n not in sent]
        name = key_text(problem.path[-1])
        keys = nearest(name, names, caps.values)
        if keys and likeness(name, keys[0]) is None:
            keys = keys[:MAX_UNLIKE]
        return (*keys, "…") if len(names) > len(keys) else tuple(keys)
    allowed = _allowed(problem)
    if len(allowed) <= caps.values:
        return allowed
    got = problem.got if isinstance(problem.got, str) and not problem.secret else ""
    ranked = sorted(
        range(len(allowed)),
        key=lambda i: (allowed[i] != problem.did_you_mean, _rank(got, allowed[i]), i),
    )
    return (*[allowed[i] for i in ranked[: caps.values]], "…")


def _rank(got: str, value: Any) -> int:
    score = likeness(got[:MAX_NAME], value) if got and isinstance(value, str) else None
    return 9 if score is None else score


def _field_hint(problem: Problem, field: str, caps: Caps) -> FieldHint:
    node, constraint, got = problem.node, problem.constraint, problem.got
    summary = summary_of(node)
    allowed_values = summary.allowed_values
    near: tuple[Any, ...] = ()
    if problem.unknown or allowed_values or constraint in _LISTING:
        near = _near(problem, caps)
        if near is not node.allowed:
            allowed_values = tuple([small(v) for v in near]) or None
    hidden = got is MISSING or problem.unknown or problem.secret or isinstance(got, (dict, list))
    return FieldHint(
        field=field,
        constraint=constraint,
        advice=advice(problem, () if problem.keys_named else near),
        description=summary.description,
        type=summary.type,
        expects="" if problem.siblings else summary.expects,
        allowed_values=allowed_values,
        pattern=summary.pattern,
        minimum=summary.minimum,
        maximum=summary.maximum,
        format=summary.format,
        got=MISSING if hidden else bounded(got),
        did_you_mean=problem.did_you_mean,
        rename_from=problem.rename_from and bounded(problem.rename_from),
        count=len(problem.group) or 1,
        choice=problem.choice,
    )


def _text_detail(issue: ValidationIssue) -> str:
    if issue.constraint == "truncated":
        return "the arguments were cut off before their end."
    if issue.constraint == "duplicate_key":
        return f"the arguments name {shown(issue.got if issue.got is not MISSING else issue.expected)} twice."
    if issue.got is MISSING and issue.expected:
        return "the arguments are missing."
    expected = f" (expected {issue.expected})" if isinstance(issue.expected, str) else ""
    return f"the arguments are no valid JSON{expected}."


def _after(previous: RetryHint, hint: RetryHint, caps: Caps, *, given: bool) -> RetryHint:
    """The hint with what changed since the previous one; identical failures end in `ask_user`, then `give_up`."""
    count = attempts(previous, hint)
    progress = compare(previous, hint.problems, hint.fingerprint) if previous.tool == hint.tool else None
    recovery = hint.recovery
    if not given:
        if count >= caps.give_up_after:
            recovery = "give_up"
        elif count > 1 and hint.clarifying_question is not None:
            recovery = "ask_user"
    example = None if recovery == "give_up" else hint.example_input
    return hint._replace(attempts=count, progress=progress, recovery=recovery, example_input=example)


def unknown_tool(
    name: str, known: Sequence[str], previous: RetryHint | None = None, caps: Caps = _CAPS
) -> RetryHint:
    """Return the hint for an unknown tool; `known` are the names that the model may use."""
    alike = [n for n in nearest(name, known, caps.values) if likeness(name, n) is not None]
    names = alike or nearest(name, known, caps.values)
    guess = (
        f"did you mean {shown(alike[0])}?"
        if len(alike) == 1
        else "tools: " + ", ".join(shown(n) for n in names)
    )
    detail = f"there is no such tool{'; ' + guess if names else ''}" + (
        "" if names and len(alike) == 1 else "."
    )
    hint = RetryHint(
        tool=name,
        reason="unknown_tool",
        recovery="correct" if names else "give_up",
        detail=prose(detail, 400),
        suggestions=tuple(names),
    )
    return hint if previous is None else _after(previous, hint, caps, given=False)
