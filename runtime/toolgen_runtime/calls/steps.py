"""The steps of one call: up to the handler, and back from it.

Each adds to an `Attempt` what it learns, or returns the `ToolOutput` that ends the call. The only thing that is not
here is the running itself, which is sync or async (`handlers`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedCallError,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.calls.handler_facts import Handler, facts_of
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.results import copied, encode, plain_copy
from toolgen_runtime.classify import classify_handler_error
from toolgen_runtime.mcp_result import (
    RESULT_KEYS,
    McpResult,
    as_mapping,
    read_fields,
    recognize,
    without_state,
)
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue
from toolgen_runtime.validation.json_text import read

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.validation.tool import Tool

Ready = tuple[bool, tuple[Any, ...]]
"""How a handler may be run: whether it is async, and with which arguments."""


# -- before the handler -------------------------------------------------------------------------------------


def prepare(attempt: Attempt, handler: Handler) -> Ready | ToolOutput:
    """Decode, check and repair; reserve a place in the turn's limit.

    Raises:
        TypeError: the handler cannot take this tool's payload.
    """
    tool = _accept(attempt)
    if isinstance(tool, ToolOutput):
        return tool
    is_async, view = facts_of(handler, tool)
    arguments: tuple[Any, ...] = ()
    if view == "plain":
        arguments = (copied(attempt.payload),)
    elif view == "model":
        try:
            arguments = (tool.payload_type.from_checked(attempt.payload),)
        except ValueError as error:  # pydantic's: a valid payload that no model can hold
            message = "the tool's payload model cannot hold these arguments"
            return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error)
    limit, ledger = attempt.policy.calls_per_turn, attempt.ledger
    if ledger is None:
        allowed = limit is None or limit > 0
    else:  # not `attempt.identity`: one call of Python's less for each of a model's
        allowed = ledger.claim(limit, (attempt.called, attempt.call_id, attempt.payload))
    return (is_async, arguments) if allowed else _over_limit(attempt)


def check(attempt: Attempt, problem: Exception | None = None) -> ToolOutput:
    """Decode, check and repair; return an output with the payload to run, or with what is wrong. Count nothing."""
    tool = _accept(attempt, problem)
    if isinstance(tool, ToolOutput):
        return tool
    limit, ledger = attempt.policy.calls_per_turn, attempt.ledger
    if limit is not None:
        allowed = limit > 0 if ledger is None else ledger.has_room(limit, attempt.identity)
        if not allowed:
            return _over_limit(attempt)
    return attempt.done(executed=False, at=time.time())


def _accept(attempt: Attempt, problem: Exception | None = None) -> Tool[Any] | ToolOutput:
    """Find the tool, if the call is whole and the tool may be called, and read its arguments; return the tool.

    `problem` is what is wrong around the arguments.
    """
    name, call_id, allow = attempt.called, attempt.call_id, attempt.policy.allow
    if not isinstance(name, str) or not name.strip():
        unnamed = MalformedCallError("name", "the call names no tool", name)
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, str(unnamed), unnamed)
    if call_id is not None and not (isinstance(call_id, str) and call_id.strip()):
        error = MalformedCallError("id", "the call has no id", call_id)
        # Other arguments do not help: the model's answer has to be asked for again.
        return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, str(error), error, recovery="retry")
    tool = attempt.registry.find(name)
    if tool is None:
        message = f"there is no tool {name[:64]!r}"
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, message, hint=_unknown_tool_hint(attempt))
    if allow is not None and name not in allow:
        return attempt.refused(ToolErrorKind.NOT_PERMITTED, "it may not be called here")
    attempt.tool = tool
    if problem is None:
        return _check_arguments(attempt, tool) or tool
    if isinstance(problem, InvalidPayload) and any(issue.constraint == "json" for issue in problem.issues()):
        refused = _check_arguments(attempt, tool)  # the text says more than its issues
        if refused is not None:
            return refused
        attempt.payload, attempt.repairs, attempt.notes = None, (), ()  # of a repair, which is not to be run
    attempt.secrets = attempt.policy.secrets_of(tool)
    return failed(attempt, problem)


def _unknown_tool_hint(attempt: Attempt) -> Any:
    from toolgen_runtime.hints import unknown_tool

    known = [name for name in attempt.registry.names() if attempt.policy.allows(name)]
    return unknown_tool(attempt.name, known, attempt.previous)


def _check_arguments(attempt: Attempt, tool: Tool[Any]) -> ToolOutput | None:
    """Decode the arguments, check them, repair them if the policy says so; return an output if they are wrong."""
    policy, arguments = attempt.policy, attempt.arguments
    attempt.secrets = tool.secrets if not policy.secrets else policy.secrets_of(tool)
    issues: Sequence[ValidationIssue] = ()
    if type(arguments) is dict:
        attempt.payload = copied(arguments)  # the caller may change its own
    elif attempt.absent == "refuse" and _is_absent(arguments):
        return _absent(attempt, tool)
    else:
        attempt.payload, issues = _decode(arguments)
    issues = issues or tool.validate(attempt.payload)
    if issues and policy.rules and _apply_rules(attempt, tool, issues):
        issues = ()
    if issues and policy.repair and _repair(attempt, tool, issues):
        issues = ()
    if issues and policy.unknown_keys == "drop" and _drop(attempt, tool, issues):
        issues = ()
    if not issues and policy.unknown_keys != "schema":
        issues = attempt.registry.unknown_keys(attempt.name, attempt.payload)
        if issues and policy.unknown_keys == "note":
            attempt.note(issues)
            issues = ()
        elif issues and policy.unknown_keys == "drop" and _drop(attempt, tool, issues):
            issues = ()
    if not issues:
        return None
    issues = attempt.concealed(issues)
    return attempt.invalid(issues, InvalidPayload(tool.name, issues))


def _is_absent(arguments: object) -> bool:
    if isinstance(arguments, (str, bytes, bytearray)):
        return not arguments.strip()
    return arguments is None


def _decode(arguments: Any) -> tuple[Any, Sequence[ValidationIssue]]:
    """Return the payload that the arguments hold, and the issues of their text."""
    if _is_absent(arguments):
        return {}, ()
    if isinstance(arguments, (str, bytes, bytearray)):
        return read(arguments if isinstance(arguments, str) else bytes(arguments))
    return copied(dict(arguments) if isinstance(arguments, Mapping) else arguments), ()


def _absent(attempt: Attempt, tool: Tool[Any]) -> ToolOutput:
    message = "no arguments came with the call; send them as a JSON object, {} if there are none"
    error = MalformedCallError("input", message, attempt.arguments)
    hint = attempt.hint(tool.validate({}) or message)
    return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error, hint=hint)


def _apply_rules(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Make the edits of the conversation's rules; return False where the call is not valid then."""
    from toolgen_runtime.calls.rules import apply_rules

    payload, changes = apply_rules(attempt.policy.rules.get(attempt.name, ()), attempt.payload, issues)
    return bool(changes) and _accept_edited(attempt, tool, issues, payload, changes)


def _repair(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Replace the payload by a valid one; return False where there is no certain repair."""
    from toolgen_runtime.hints.repair import concealed, repair

    arguments = attempt.payload if attempt.text is None else attempt.text
    repaired = repair(tool, arguments, trust_annotations=attempt.policy.trust_annotations)
    if not repaired.changes:
        return False
    attempt.show_issues(attempt.concealed(issues))
    attempt.payload, attempt.repairs = repaired.payload, concealed(repaired.changes, attempt.secrets)
    return True


def _drop(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Leave unknown keys out, if the call does the same without them; return False where it is not valid then."""
    from toolgen_runtime.hints.repair import without

    found = without(attempt.registry.facts_of(attempt.name), attempt.payload, issues)
    if found is None or not _accept_edited(attempt, tool, issues, found.payload, found.changes):
        return False
    attempt.notes += found.notes
    return True


def _accept_edited(
    attempt: Attempt,
    tool: Tool[Any],
    issues: Sequence[ValidationIssue],
    payload: Any,
    changes: tuple[Change, ...],
) -> bool:
    """Replace the payload by an edited one, repaired if the policy says so; return False where it is not valid then."""
    from toolgen_runtime.hints.repair import concealed, repair

    if tool.validate(payload):
        trusted = attempt.policy.trust_annotations
        repaired = repair(tool, payload, trust_annotations=trusted) if attempt.policy.repair else None
        if repaired is None or not repaired.changes:
            return False
        payload, changes = repaired.payload, (*changes, *repaired.changes)
    attempt.show_issues(attempt.concealed(issues))
    attempt.payload = payload
    attempt.repairs += concealed(changes, attempt.secrets)
    return True


def _over_limit(attempt: Attempt) -> ToolOutput:
    limit = attempt.policy.calls_per_turn
    return attempt.refused(ToolErrorKind.LIMIT_EXCEEDED, f"no more than {limit} tools may run in one turn")


# -- after the handler --------------------------------------------------------------------------------------


_WHOLE = frozenset((type(None), bool, int))
"""Types of results that are JSON as they are, and certainly nothing else."""


def succeeded(attempt: Attempt, result: object) -> ToolOutput:
    """Return the output of a call whose handler has returned `result`, which may report an error all the same."""
    kind = type(result)
    if kind in _WHOLE or (kind is str and str.isascii(result)):  # type: ignore[arg-type]  # it is a string
        return attempt.done(executed=True, result=result)
    value = plain_copy(result) if isinstance(result, (dict, list)) and kind in (dict, list) else None
    read = None
    if value is None:
        encoded = encode(mapping := as_mapping(result))
        value = encoded.value
        if encoded.issues:
            first = encoded.issues[0]
            message = f"{first.field or 'the result'}: got {first.got}, expected {first.expected}"
            return attempt.malformed(message, value, encoded.issues)
        if mapping is not result:
            read = read_fields(value)
    if read is None and type(value) is dict and not RESULT_KEYS.isdisjoint(value):
        read = recognize(value)
    if read is not None and read.is_error:
        message = read.text() or "the tool reports an error and does not say which"
        return attempt.refused(ToolErrorKind.EXECUTION_ERROR, message, result=value)
    if read is not None and read.unfinished is not None:
        return attempt.unfinished(read, without_state(value))
    if attempt.policy.check_results == "note":
        _compare(attempt, value, read)
    return attempt.done(executed=True, result=value)


def _compare(attempt: Attempt, value: Any, read: McpResult | None) -> None:
    """Note what the tool declares otherwise of its results."""
    if attempt.tool is not None:
        from toolgen_runtime.calls.result_check import differences, notes

        issues = differences(attempt.tool, value, read)
        if issues:
            attempt.show_issues(issues, in_result=True)
            attempt.notes += tuple(notes(issues))


def failed(attempt: Attempt, error: Exception) -> ToolOutput:
    """Return the output of a call whose handler has raised `error`."""
    if isinstance(error, MalformedResponseError):
        encoded = encode(error.result)
        return attempt.malformed(error.message, encoded.value, encoded.issues, error)
    if isinstance(error, InvalidPayload) and _is_about_arguments(attempt, error):
        known = error if attempt.secrets is None else attempt.secrets.conceal_error(error)
        return attempt.invalid(known.issues(), known)  # what no schema says: the handler's own checks
    stated: Recovery | None = None
    if isinstance(error, ToolExecutionError):
        kind, message, stated = error.kind, error.message, error.stated_recovery
    else:
        kind = classify_handler_error(error).kind
        message = _own_words(kind, error)
    correctable = kind is ToolErrorKind.INVALID_PARAMETERS and stated is None
    hint = attempt.hint(error) if correctable else None
    recovery = _recovery(attempt, kind) if stated is None else stated
    return attempt.refused(kind, message, error, hint=hint, recovery=recovery)


def _recovery(attempt: Attempt, kind: ToolErrorKind) -> Recovery | None:
    """Return `retry` for a call that may have run and may run again; None leaves it to the kind."""
    if TOOL_ERROR_KIND_MEANINGS[kind].recovery != "check_first":
        return None
    trusted = attempt.policy.trust_annotations and attempt.tool is not None and attempt.tool.repeatable
    return "retry" if trusted else None


def _is_about_arguments(attempt: Attempt, error: InvalidPayload) -> bool:
    """Return whether a handler's `InvalidPayload` is of the tool that was called, and not of one that it called itself.

    `spread` knows no tool, and leaves the name empty.
    """
    return attempt.tool is not None and error.tool in ("", attempt.tool.name)


def _own_words(kind: ToolErrorKind, error: Exception) -> str:
    """Return an exception's own words, but not those of a bug: they are about the code, and quote values."""
    text = "" if kind is ToolErrorKind.INTERNAL_ERROR else str(error)
    return text or f"the tool failed with {type(error).__name__}"
