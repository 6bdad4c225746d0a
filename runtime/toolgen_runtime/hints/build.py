"""Turn issues into a `RetryHint`: diagnose the problems, then group and rank them, and keep the most
important ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolgen_runtime.hints.advice import advice, what_it_takes
from toolgen_runtime.hints.called_tool import CalledTool
from toolgen_runtime.hints.corrected import corrected_arguments
from toolgen_runtime.hints.diagnose import diagnose
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.expected import summary_of
from toolgen_runtime.hints.grouping import field_text, group_alike
from toolgen_runtime.hints.masked_keys import MaskedKeys
from toolgen_runtime.hints.missing_fields import what_is_missing
from toolgen_runtime.hints.names import by_likeness, likeness, value_likeness
from toolgen_runtime.hints.problems import Call
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import MAX_ALLOWED_VALUE, bounded, choice, prose, shown, skeleton
from toolgen_runtime.hints.repeated_failures import fingerprint, with_progress
from toolgen_runtime.hints.retry_hint import FieldHint, Reason, RetryHint
from toolgen_runtime.hints.strategies import called_in
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text
from toolgen_runtime.validation.tool import Tool

MAX_ISSUES = 10_000
"""The most issues that a hint reads: the first ones of the list."""
MAX_PROBLEMS = 64
"""The most problems that a hint records, so that the next hint can compare its own with them."""
MAX_LINES = 5
MAX_LISTED_VALUES = 5
"""The most allowed values, or similar names, that a line lists."""
MAX_UNLIKE = 3
"""The most valid keys that a line lists if none is similar to the unknown key."""
_OF_TEXTS: dict[str, Reason] = {
    "json": "malformed_json",
    "truncated": "truncated",
    "duplicate_key": "malformed_json",
}
"""Constraints of issues about the JSON text of the arguments, and the reason that they give."""
_MALFORMED: Reason = "malformed_response"
_CORRECTED = ("invalid_arguments", "malformed_json")
"""Reasons after which the arguments may be corrected."""
_RETRIED = ("truncated", _MALFORMED)
"""Reasons after which the same call may succeed."""


def build_hint(
    tool: Tool[Any] | SchemaFacts,
    issues: Iterable[ValidationIssue],
    *,
    payload: Any = MISSING,
    previous: RetryHint | None = None,
    name: str | None = None,
    reason: Reason | None = None,
    detail: str = "",
    ran: bool = False,
) -> RetryHint:
    """Return the hint for a call that has these issues in its arguments or in its result.

    Args:
        tool: the tool, or the facts of the schema that the issues are about.
        issues: the issues.
        payload: the checked arguments. Without them, the hint sees only what the issues contain.
        previous: the previous hint, if this is not the model's first attempt.
        name: the tool's name as the model saw it, if it differs from `tool.name`.
        reason: the reason why the call failed, if the issues do not show it.
        detail: one line about the problem, if it concerns no field.
        ran: whether the tool ran and reported the issues.
    """
    if isinstance(tool, SchemaFacts):
        called = CalledTool(name or "", None, tool)
    else:
        called = CalledTool(tool.name if name is None else name, tool, facts_of(tool), tool.secrets)
    concealed = called.concealed([*issues], payload)
    return _hint(called, concealed, payload, previous, reason=reason, detail=detail, ran=ran)


def hint_of(
    called: CalledTool,
    problem: Iterable[ValidationIssue] | BaseException | str,
    *,
    payload: Any = MISSING,
    previous: RetryHint | None = None,
    ran: bool = False,
) -> RetryHint:
    """Return the hint for a failed call of a tool; see `Registry.hint` for the arguments."""
    if not isinstance(problem, (BaseException, str)):
        return _hint(called, called.concealed([*problem], payload), payload, previous, ran=ran)
    from toolgen_runtime.hints.foreign.report import reported

    said = reported(problem, called.facts, called.check, payload, called.secrets)
    if said.is_about_result:
        reason = _MALFORMED
    else:
        reason = None
    return _hint(called, said.issues, said.payload, previous, reason=reason, detail=said.detail, ran=ran)


def _hint(
    called: CalledTool,
    issues: list[ValidationIssue],
    payload: Any,
    previous: RetryHint | None,
    *,
    reason: Reason | None = None,
    detail: str = "",
    ran: bool = False,
) -> RetryHint:
    unread, sent = max(len(issues) - MAX_ISSUES, 0), payload
    issues = issues[:MAX_ISSUES]
    text: tuple[Edit, ...] = ()
    is_read = isinstance(payload, (str, bytes))
    if issues and issues[0].constraint in _OF_TEXTS:
        from toolgen_runtime.hints.malformed.faults import describe

        reason = reason or _OF_TEXTS[issues[0].constraint]
        detail = detail or _other_call(called, payload)
        detail = detail or describe(issues[0], payload, called.facts.root.properties, called.check)
        text, issues = _edits_of_text(called, payload) if is_read else (), []
    elif issues and is_read:
        from toolgen_runtime.hints.malformed.read_text import parsed_text

        payload, text = parsed_text(payload, issues, called.facts.has_secrets)
    if ran and reason != _MALFORMED:
        reason = "tool_failed"
    reason = reason or "invalid_arguments"
    masked = None
    if called.secrets is not None:
        masked = MaskedKeys(called.secrets, payload, issues)
    if masked:
        payload, issues = masked.payload(payload), masked.issues(issues)
    findings = diagnose(_call(called, payload), issues)
    edits, corrected = (*text, *_edits_of(findings)), None
    if masked:
        edits = masked.edits(edits)
    elif reason in _CORRECTED and not unread:
        corrected = corrected_arguments(called, payload, sent, findings, edits)
    if len(findings) > 1:
        lines = _lines(findings)
    else:
        lines = findings
    unlisted = max(len(lines) - MAX_LINES, 0)
    lines = lines[:MAX_PROBLEMS]
    noted = _noted(lines)
    hint = RetryHint(
        tool=called.name,
        reason=reason,
        recovery="retry" if reason in _RETRIED else "correct",
        fields=_fields(lines, noted),
        missing=() if reason == _MALFORMED else what_is_missing(lines, noted),
        omitted=unread + unlisted,
        edits=edits,
        detail=detail and prose(detail, 200),
        problems=noted,
        fingerprint=fingerprint(payload),
        corrected=corrected,
    )
    if previous is None:
        return hint
    return with_progress(previous, hint)


def _call(called: CalledTool, payload: Any) -> Call:
    names, check = called.names or (called.name,), called.check
    return Call(called.facts, payload, check, tool=called.name, omits_null=called.omits_null, tools=names)


def _edits_of(findings: Iterable[Finding]) -> list[Edit]:
    return [edit for finding in findings for edit, _ in finding.corrections()]


def _other_call(called: CalledTool, payload: Any) -> str:
    """Return a sentence if a text is the call of another tool; otherwise an empty string."""
    from toolgen_runtime.hints.malformed.read_text import read_text

    if not isinstance(payload, (str, bytes)):
        return ""
    reading = read_text(payload)
    calls: set[str | None] = {*reading.calls}
    if isinstance(reading.value, dict) and called.facts.declared_names.isdisjoint(reading.value):
        calls.add(called_in(reading.value, called.names))
    others = [name for name in called.names if name in calls and name != called.name]
    if not others:
        return ""
    return f"the arguments are a call of {choice(others[0])}. Call that tool itself."


def _edits_of_text(called: CalledTool, payload: str | bytes) -> tuple[Edit, ...]:
    """Return the edit that parses malformed JSON text, followed by the edits of the parsed value.

    The later edits are certain only if the first one is.
    """
    from toolgen_runtime.hints.malformed.read_text import text_edits

    read = text_edits(payload, called.facts, called.check, called.name)
    if not read or called.check is None or isinstance(value := read[0].value, Secret):
        return read
    inside = _edits_of(diagnose(_call(called, value), called.check(value)[:MAX_ISSUES]))
    is_certain = read[0].certain
    return (*read, *[edit._replace(certain=edit.certain and is_certain) for edit in inside])


def _fields(lines: list[Finding], noted: Sequence[tuple[str, str]]) -> tuple[FieldHint, ...]:
    """Return the lines of a hint, up to the limit.

    A line about JSON in a string does not show the value if other lines describe problems inside it.
    """
    listed: set[int] = set()
    found = []
    for finding, (field, constraint) in zip(lines[:MAX_LINES], noted, strict=False):
        reading = finding.proposal.reading
        shows_inside = reading is not None and reading.op == "set" and isinstance(reading.value, (list, dict))
        if shows_inside and _has_lines_inside(lines, finding.problem.path):
            finding = _without_value(finding)
        found.append(_field_hint(finding, field, constraint, listed))
    return tuple(found)


def _has_lines_inside(lines: Sequence[Finding], path: Path) -> bool:
    longer = (line.problem.path for line in lines if len(line.problem.path) > len(path))
    return any(inner[: len(path)] == path for inner in longer)


def _noted(lines: Sequence[Finding]) -> tuple[tuple[str, str], ...]:
    """Return the field and the constraint of each line."""
    noted = []
    for finding in lines:
        constraint = finding.problem.constraint
        if constraint == "move":
            constraint = "additionalProperties"
        noted.append((field_text(finding), constraint))
    return tuple(noted)


def _lines(findings: list[Finding]) -> list[Finding]:
    """Return the findings in the order of their lines, with similar ones grouped.

    Moves are first already, and unknown keys come last.
    """
    if sum([int in map(type, finding.problem.path) for finding in findings]) > 1:
        findings = group_alike(findings)
    first: list[Finding] = []
    last: list[Finding] = []
    for finding in findings:
        if finding.problem.unknown and finding.proposal.did_you_mean is None:
            last.append(finding)
        else:
            first.append(finding)
    return first + last


def _without_value(finding: Finding) -> Finding:
    """Return a finding about JSON in a string whose line shows only the valid keys and allowed values."""
    reading, node = finding.proposal.reading, finding.problem.node
    order = "send the array itself, not a JSON string"
    if reading is not None and isinstance(reading.value, dict):
        right = {key: value for key, value in reading.value.items() if key in node.properties}
        order = "send the object itself, not a JSON string"
        if right and not finding.problem.secret:
            order = f"{order}: {skeleton(right, node)}"
    return finding._replace(proposal=finding.proposal._replace(order=order))


def _field_hint(finding: Finding, field: str, constraint: str, listed: set[int]) -> FieldHint:
    """Return the line for a finding.

    `listed` contains the ids of objects whose valid keys are already listed by another line.
    """
    problem, proposal = finding.problem, finding.proposal
    got, unknown = problem.got, problem.unknown
    near = _likeliest(finding)
    summary = summary_of(problem.node)
    expects, allowed = summary.expects, _capped(near)
    if unknown and proposal.did_you_mean is None:
        if id(problem.location) in listed:
            near = ()
        listed.add(id(problem.location))
    tags = problem.missing and problem.location.tags(problem.path[-1])
    if tags:
        expects, allowed = what_it_takes(problem), _capped(tags)
    is_hidden = got is MISSING or unknown or problem.secret or isinstance(got, (dict, list))
    return FieldHint(
        field=field,
        constraint=constraint,
        summary=summary,
        expects=expects,
        allowed_values=allowed,
        got=MISSING if is_hidden else bounded(got),
        did_you_mean=proposal.did_you_mean,
        rename_from=proposal.rename_from and bounded(proposal.rename_from),
        count=len(finding.group) or 1,
        choice="" if tags else problem.location.choice,
        sentence=advice(finding, near),
    )


def _likeliest(finding: Finding) -> tuple[Any, ...]:
    """Return the allowed values or, for an unknown key, the valid keys. The most likely ones come first.

    All values are returned. Of the keys, at most `MAX_LISTED_VALUES` are returned, followed by `…` if there are more.
    """
    problem, meant = finding.problem, finding.proposal.did_you_mean
    if problem.unknown:
        if isinstance(problem.location.value, dict):
            sent = problem.location.value
        else:
            sent = {}
        names = [n for n in problem.location.node.properties if n not in sent]
        name = key_text(problem.path[-1])
        keys = by_likeness(name, names, likeness)[:MAX_LISTED_VALUES]
        if keys and likeness(name, keys[0]) is None:
            keys = keys[:MAX_UNLIKE]
        if len(names) > len(keys):
            return (*keys, "…")
        return tuple(keys)
    allowed = problem.allowed_or_null()
    if len(allowed) <= MAX_LISTED_VALUES or not isinstance(problem.got, str) or problem.secret:
        return allowed
    alike = by_likeness(problem.got[:MAX_COMPARED_NAME], allowed, value_likeness)
    return tuple(sorted(alike, key=lambda value: value != meant))


def _capped(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the first `MAX_LISTED_VALUES` values, or None if there are none.

    Long values are shortened, and `…` stands for further values.
    """
    if not values:
        return None
    kept = tuple([bounded(v, MAX_ALLOWED_VALUE) for v in values[:MAX_LISTED_VALUES]])
    if len(values) > MAX_LISTED_VALUES:
        return (*kept, "…")
    return kept


def unknown_tool(name: str, known: Sequence[str], previous: RetryHint | None = None) -> RetryHint:
    """Return the hint for a call to an unknown tool. `known` lists the tool names that the model may use."""
    from toolgen_runtime.hints.tool_names import tools_meant

    names, is_close = tools_meant(name, known)
    listed = ", ".join(map(shown, names))
    detail = "there is no such tool" if name else "it names no tool"
    if is_close and len(names) == 1:
        detail = f"{detail}; did you mean {listed}?"
    elif is_close:
        detail = f"{detail}; near names: {listed}."
    elif names:
        if len(names) == len(known):
            of = "tools"
        else:
            of = f"{len(names)} of {len(known)} tools"
        detail = f"{detail}; {of}: {listed}."
    else:
        detail = f"{detail}."
    hint = RetryHint(
        tool=name,
        reason="unknown_tool",
        recovery="correct" if names else "give_up",
        detail=prose(detail, 400),
        suggestions=tuple(names),
    )
    if previous is None:
        return hint
    return with_progress(previous, hint)
