"""Turn issues into a `RetryHint`: diagnose, group, rank and cap the problems. Pure and deterministic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from toolgen_runtime.hints.advice import advice
from toolgen_runtime.hints.called_tool import CalledTool
from toolgen_runtime.hints.corrected import corrected_arguments
from toolgen_runtime.hints.diagnose import diagnose
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.expected import summary_of
from toolgen_runtime.hints.grouping import field_text, group_alike
from toolgen_runtime.hints.masked_keys import MaskedKeys
from toolgen_runtime.hints.missing_fields import MissingField, what_is_missing
from toolgen_runtime.hints.names import likeness, nearest, value_likeness, worth_comparing
from toolgen_runtime.hints.problems import LISTING, Call, Check
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.retry_hint import FieldHint, Reason, RetryHint, attempts, fingerprint, progress
from toolgen_runtime.hints.text import MAX_VALUE, bounded, choices, prose, shown
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text
from toolgen_runtime.validation.redaction import Secrets
from toolgen_runtime.validation.tool import Tool

MAX_ISSUES = 10_000
"""The most issues that a hint reads: the first ones of the list."""
MAX_PROBLEMS = 64
"""The most problems that a hint records, so that the next hint can compare its own with them."""
MAX_LINES = 5
MAX_TAGS = 12
"""The most tags of a union that a line lists."""
MAX_VALUES = 5
"""The most allowed values, or similar names, that a line lists."""
GIVE_UP_AFTER = 3
"""Identical failures in a row after which the recovery is `give_up`."""
MAX_UNLIKE = 3
"""The most valid keys that a line lists if none is similar to the unknown key."""
_UNLIKE = 9
"""The rank of an allowed value that is not similar to the sent one."""
_OF_TEXTS = ("json", "truncated", "duplicate_key")
"""Constraints of issues about the JSON text of the arguments."""
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
    check: Check | None = None,
    ran: bool = False,
    omits_null: bool = False,
    tools: Collection[str] = (),
    secrets: Secrets | None = None,
) -> RetryHint:
    """Return the hint for a call whose arguments (or result) have these issues.

    Args:
        tool: the tool, or the facts of the schema that the issues are about.
        payload: the checked arguments; without them, only the issues show renames and union branches.
        previous: the previous hint, if this is not the model's first attempt.
        name: the tool's name as the model saw it, if it differs from `tool.name`.
        reason: why the call failed, if the issues do not show it.
        detail: one line about the problem, if it concerns no field.
        check: the check used to try edits; by default that of `tool`.
        ran: whether the tool ran and reported the issues.
        omits_null: whether null for an optional field certainly means that there is no value.
        tools: the names of all the model's tools, because a value may be a call of another tool.
        secrets: the places of secrets in the arguments, if they are not those of `tool`.
    """
    issues = issues if type(issues) is list else list(issues)
    unread = max(len(issues) - MAX_ISSUES, 0)
    issues = issues[:MAX_ISSUES] if unread else issues
    own = ""
    if isinstance(tool, SchemaFacts):
        facts = tool
    else:
        facts, own = facts_of(tool), tool.name
        secrets = secrets or tool.secrets
        if secrets is not None:
            issues = secrets.conceal(issues)
        check = check or tool.validate
    name = own if name is None else name
    text: tuple[Edit, ...] = ()
    sent = payload
    if issues and issues[0].constraint in _OF_TEXTS:
        from toolgen_runtime.hints.malformed.faults import describe
        from toolgen_runtime.hints.malformed.read_text import text_edits

        reason = reason or ("truncated" if issues[0].constraint == "truncated" else "malformed_json")
        detail, issues = detail or describe(issues[0], payload, facts.root.properties, check), []
        if isinstance(payload, (str, bytes)):
            text = text_edits(payload, facts, check, own or name)
    elif issues and isinstance(payload, (str, bytes)):
        from toolgen_runtime.hints.malformed.read_text import parsed_text

        payload, text = parsed_text(payload, issues, facts.has_secrets)
    if ran and reason != "malformed_response":
        reason = "tool_failed"
    masked = None if secrets is None else MaskedKeys(secrets, payload, issues)
    if masked:
        payload, issues = masked.payload(payload), masked.issues(issues)
    call = Call(facts, payload, check, tool=name, omits_null=omits_null, tools=tools or (own or name,))
    if text and not issues:
        text += _edits_inside(call, text[0])
    findings = diagnose(call, issues)
    edits = (*text, *[edit for finding in findings for edit, _ in finding.corrections()])
    detail = prose(detail, 200) if detail else ""
    edits = masked.edits(edits) if masked else edits
    hint = _hint(name, reason or "invalid_arguments", findings, edits, detail, unread, payload)
    is_known = secrets is not None or not facts.has_secrets
    if check is not None and not unread and hint.reason in _CORRECTED and is_known and not masked:
        corrected = corrected_arguments(check, secrets, payload, sent, findings, edits)
        hint = hint._replace(corrected=corrected)
    return hint if previous is None else _after(previous, hint)


def _edits_inside(call: Call, read: Edit) -> tuple[Edit, ...]:
    """Return the edits of the value that was read from a broken text; they are as certain as the reading."""
    if call.check is None or isinstance(read.value, Secret):
        return ()
    findings = diagnose(call.sent_as(read.value), call.check(read.value)[:MAX_ISSUES])
    edits = [edit for finding in findings for edit, _ in finding.corrections()]
    return tuple([edit._replace(certain=edit.certain and read.certain) for edit in edits])


def _hint(
    name: str,
    reason: Reason,
    findings: list[Finding],
    edits: tuple[Edit, ...],
    detail: str,
    unread: int,
    payload: Any,
) -> RetryHint:
    """Return the hint for these findings: one line for each, and the missing fields."""
    lines = _lines(findings) if len(findings) > 1 else findings
    omitted = max(len(lines) - MAX_LINES, 0) + unread
    lines = lines[:MAX_PROBLEMS]
    noted = [(field_text(finding), _constraint(finding)) for finding in lines]
    listed: set[int] = set()
    shown_lines = _without_wrong_values(lines)[:MAX_LINES]
    fields = [_field_hint(finding, *noted[i], listed) for i, finding in enumerate(shown_lines)]
    missing: tuple[MissingField, ...] = ()
    if reason in ("invalid_arguments", "tool_failed") and any(f.problem.missing for f in lines):
        missing = what_is_missing(lines, noted)
    return RetryHint(
        tool=name,
        reason=reason,
        recovery="retry" if reason in _RETRIED else "correct",
        fields=tuple(fields),
        missing=missing,
        omitted=omitted,
        edits=edits,
        detail=detail,
        problems=tuple(noted),
        fingerprint=fingerprint(payload),
    )


def _constraint(finding: Finding) -> str:
    problem = finding.problem
    return "additionalProperties" if problem.constraint == "move" else problem.constraint


def _lines(findings: list[Finding]) -> list[Finding]:
    """Return the findings in the order of their lines, similar ones grouped: moves first, keys to remove last."""
    if sum(any(type(step) is int for step in f.problem.path) for f in findings) > 1:
        findings = group_alike(findings)
    return sorted(findings, key=_rank)


def _rank(finding: Finding) -> int:
    if finding.problem.constraint == "move":
        return 0
    return 2 if finding.problem.unknown and finding.proposal.did_you_mean is None else 1


def _without_wrong_values(findings: list[Finding]) -> list[Finding]:
    """Return the findings; one about a JSON text does not show the text's value if others say what is wrong in it."""
    above = {finding.problem.path[:n] for finding in findings for n in range(len(finding.problem.path))}
    return [_without_value(f) if f.problem.path in above else f for f in findings]


def _without_value(finding: Finding) -> Finding:
    problem, reading = finding.problem, finding.proposal.reading
    if not isinstance(problem.got, str) or reading is None or not isinstance(reading.value, list | dict):
        return finding
    kind = "array" if isinstance(reading.value, list) else "object"
    order = f"send the {kind} itself, not a JSON string"
    return finding._replace(proposal=finding.proposal._replace(order=order))


def _field_hint(finding: Finding, field: str, constraint: str, listed: set[int]) -> FieldHint:
    """Return the line of a finding; `listed` are the ids of objects whose valid keys another line lists."""
    problem, proposal = finding.problem, finding.proposal
    node, got, unknown = problem.node, problem.got, problem.unknown
    summary = summary_of(node)
    allowed_values = summary.allowed_values
    near: tuple[Any, ...] = ()
    if unknown or allowed_values or constraint in LISTING:
        near = _likeliest(finding)
        if near is not node.allowed or len(near) > MAX_VALUES:
            allowed_values = (near if unknown else _capped(near)) or None
    if unknown and proposal.did_you_mean is None and not proposal.candidates:
        if id(problem.location) in listed:
            near = ()
        listed.add(id(problem.location))
    tags = problem.location.tags(problem.path[-1]) if problem.missing else ()
    is_hidden = got is MISSING or unknown or problem.secret or isinstance(got, (dict, list))
    description, type_name, expects = summary.kind
    pattern, minimum, maximum, format_name = summary.limits
    return FieldHint(
        field=field,
        constraint=constraint,
        description=description,
        type=type_name,
        expects=f"one of: {choices(tags[:MAX_TAGS])}" if tags else expects,
        allowed_values=_capped(tags) if tags else allowed_values,
        pattern=pattern,
        minimum=minimum,
        maximum=maximum,
        format=format_name,
        got=MISSING if is_hidden else bounded(got),
        did_you_mean=proposal.did_you_mean,
        rename_from=proposal.rename_from and bounded(proposal.rename_from),
        count=len(finding.group) or 1,
        choice="" if tags else problem.location.choice,
        sentence=advice(finding, near),
    )


def _likeliest(finding: Finding) -> tuple[Any, ...]:
    """Return the allowed values, or for an unknown key the valid keys, the likeliest first.

    All values are returned, but at most `MAX_VALUES` keys, followed by `…` if there are more.
    """
    problem, meant = finding.problem, finding.proposal.did_you_mean
    if problem.unknown:
        sent = problem.location.value if isinstance(problem.location.value, dict) else {}
        names = [n for n in problem.location.node.properties if n not in sent]
        name = key_text(problem.path[-1])
        keys = nearest(name, names, MAX_VALUES)
        if keys and likeness(name, keys[0]) is None:
            keys = keys[:MAX_UNLIKE]
        return (*keys, "…") if len(names) > len(keys) else tuple(keys)
    allowed, got = problem.allowed(), problem.got
    if len(allowed) <= MAX_VALUES:
        return allowed
    near = worth_comparing(got, allowed) if isinstance(got, str) and got and not problem.secret else ()
    alike = {v: s for v in near if (s := value_likeness(got[:MAX_NAME], v)) is not None}

    def rank(value: Any) -> tuple[bool, int]:
        likeness_of = alike.get(value, _UNLIKE) if type(value) is str else _UNLIKE
        return value != meant, likeness_of

    return tuple(sorted(allowed, key=rank))


def _capped(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the first `MAX_VALUES` values, long ones shortened, and `…` if there are more."""
    kept = tuple([bounded(v, MAX_VALUE) for v in values[:MAX_VALUES]])
    return (*kept, "…") if len(values) > MAX_VALUES else kept


def _after(previous: RetryHint, hint: RetryHint) -> RetryHint:
    """Return the hint with the progress since `previous`; repeated failures lead to `ask_user`, then `give_up`."""
    count, recovery = attempts(previous, hint), hint.recovery
    if count >= GIVE_UP_AFTER:
        recovery = "give_up"
    elif count > 1 and hint.clarifying_question is not None:
        recovery = "ask_user"
    changed = progress(previous, hint) if previous.tool == hint.tool else ""
    corrected = None if recovery == "give_up" else hint.corrected
    return hint._replace(
        attempts=count,
        failures=previous.failures + 1,
        progress=changed,
        recovery=recovery,
        corrected=corrected,
    )


def unknown_tool(name: str, known: Sequence[str], previous: RetryHint | None = None) -> RetryHint:
    """Return the hint for an unknown tool; `known` are the names that the model may use."""
    from toolgen_runtime.hints.tool_names import tools_meant

    names, is_close = tools_meant(name, known)
    listed = ", ".join(map(shown, names))
    of = "tools" if len(names) == len(known) else f"{len(names)} of {len(known)} tools"
    if is_close and len(names) == 1:
        more = f"; did you mean {listed}?"
    elif names:
        more = f"; {'near names' if is_close else of}: {listed}."
    else:
        more = "."
    detail = f"there is no such tool{more}"
    hint = RetryHint(
        tool=name,
        reason="unknown_tool",
        recovery="correct" if names else "give_up",
        detail=prose(detail, 400),
        suggestions=tuple(names),
    )
    return hint if previous is None else _after(previous, hint)


def hint_of(
    called: CalledTool,
    problem: Iterable[ValidationIssue] | BaseException | str,
    *,
    payload: Any = MISSING,
    previous: RetryHint | None = None,
    ran: bool = False,
) -> RetryHint:
    """Return the hint for a failed call of a tool; see `Registry.hint` for the arguments."""
    facts = called.facts
    detail, reason = "", None
    if isinstance(problem, (BaseException, str)):
        from toolgen_runtime.hints.foreign.report import reported

        said = reported(problem, facts, called.check, payload, called.secrets)
        issues, payload, detail = said.issues, said.payload, said.detail
        reason = _MALFORMED if said.is_about_result else None
    else:
        issues = called.concealed(list(problem))
    return build_hint(
        facts,
        issues,
        payload=payload,
        previous=previous,
        name=called.name,
        reason=reason,
        detail=detail,
        check=called.check,
        ran=ran,
        omits_null=called.omits_null,
        tools=called.names,
        secrets=called.secrets,
    )
