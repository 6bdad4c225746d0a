"""The steps of one call: up to the handler, and back from it.

Each takes an `Attempt` and returns the next one, or the `ToolOutput` that ends the call. The only thing that is not
here is the running itself, which is sync or async (`handlers`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls import handlers
from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.errors import (
    MalformedCallError,
    MalformedResponseError,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.calls.ledger import TurnLedger
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.results import encode
from toolgen_runtime.classify import classify_handler_error
from toolgen_runtime.mcp_result import as_mapping, recognize, without_state
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.validation.tool import Tool


@dataclass(frozen=True, slots=True)
class Ready:
    """A call whose handler may run, with these arguments."""

    attempt: Attempt
    arguments: tuple[Any, ...]


# -- before the handler -------------------------------------------------------------------------------------


def prepare(attempt: Attempt, handler: handlers.Handler, ledger: TurnLedger) -> Ready | ToolOutput:
    """Decode, check and repair; reserve a place in the turn's limit.

    Raises:
        TypeError: the handler cannot take this tool's payload.
    """
    accepted = _accept(attempt)
    if isinstance(accepted, ToolOutput):
        return accepted
    attempt, tool = accepted
    try:
        arguments = handlers.arguments_for(handler, tool, attempt.payload)
    except ValueError as error:  # pydantic's: a valid payload that no model can hold
        message = "the tool's payload model cannot hold these arguments"
        return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error)
    if not ledger.claim(attempt.policy.calls_per_turn, attempt.identity):
        return _over_limit(attempt)
    return Ready(attempt, arguments)


def check(attempt: Attempt, ledger: TurnLedger) -> ToolOutput:
    """Decode, check and repair; return an output with the payload to run, or with what is wrong. Count nothing."""
    accepted = _accept(attempt)
    if isinstance(accepted, ToolOutput):
        return accepted
    attempt, _ = accepted
    if not ledger.has_room(attempt.policy.calls_per_turn, attempt.identity):
        return _over_limit(attempt)
    return attempt.done(executed=False)


def _accept(attempt: Attempt) -> tuple[Attempt, Tool[Any]] | ToolOutput:
    """Return the attempt with a payload that its tool's schema allows, and that tool."""
    tool = _find_tool(attempt)
    if isinstance(tool, ToolOutput):
        return tool
    checked = _check_arguments(attempt, tool)
    return checked if isinstance(checked, ToolOutput) else (checked, tool)


def _find_tool(attempt: Attempt) -> Tool[Any] | ToolOutput:
    """Return the tool that a call names, if the call is whole and the tool may be called."""
    request, name = attempt.request, attempt.request.name
    if not name.strip():
        unnamed = MalformedCallError("name", "the call names no tool", request.tool)
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, str(unnamed), unnamed)
    call_id = request.call_id
    if call_id is not None and not (isinstance(call_id, str) and call_id.strip()):
        error = MalformedCallError("id", "the call has no id", call_id)
        # Other arguments do not help: the model's answer has to be asked for again.
        return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, str(error), error, recovery="retry")
    tool = attempt.registry.find(name)
    if tool is None:
        message = f"there is no tool {name[:64]!r}"
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, message, hint=_unknown_tool_hint(attempt))
    if not attempt.policy.allows(name):
        return attempt.refused(ToolErrorKind.NOT_PERMITTED, "it may not be called here")
    return tool


def _unknown_tool_hint(attempt: Attempt) -> Any:
    from toolgen_runtime.hints import unknown_tool

    known = [name for name in attempt.registry.names() if attempt.policy.allows(name)]
    return unknown_tool(attempt.request.name, known, attempt.request.previous)


def _check_arguments(attempt: Attempt, tool: Tool[Any]) -> Attempt | ToolOutput:
    """Decode the arguments, check them, repair them if the policy says so."""
    attempt = replace(attempt, secrets=attempt.policy.secrets_of(tool))
    if attempt.policy.absent == "refuse" and _is_absent(attempt.request.arguments):
        return _absent(attempt, tool)
    payload, issues = _decode(attempt.request.arguments)
    attempt = replace(attempt, payload=payload)
    if not issues:
        issues = tool.validate(payload)
        if issues and attempt.policy.repair:
            repaired = _repaired(attempt, tool)
            if repaired is not None:
                attempt.observer.issues(attempt.concealed(issues))
                attempt, issues = repaired, ()
    if not issues and attempt.policy.unknown_keys != "schema":
        issues = attempt.registry.unknown_keys(attempt.request.name, attempt.payload)
        if issues and attempt.policy.unknown_keys == "note":
            return attempt.noting(issues)
    if issues:
        issues = attempt.concealed(issues)
        return attempt.invalid(issues, InvalidPayload(tool.name, issues))
    return attempt


def _is_absent(arguments: object) -> bool:
    if isinstance(arguments, (str, bytes, bytearray)):
        return not arguments.strip()
    return arguments is None


def _decode(arguments: Any) -> tuple[Any, Sequence[ValidationIssue]]:
    """The payload that the arguments hold, and the issues of their text."""
    if _is_absent(arguments):
        return {}, ()
    if isinstance(arguments, (str, bytes, bytearray)):
        from toolgen_runtime.validation.json_text import read

        return read(arguments if isinstance(arguments, str) else bytes(arguments))
    if isinstance(arguments, Mapping) and type(arguments) is not dict:
        return dict(arguments), ()
    return arguments, ()


def _absent(attempt: Attempt, tool: Tool[Any]) -> ToolOutput:
    message = "no arguments came with the call; send them as a JSON object, {} if there are none"
    error = MalformedCallError("input", message, attempt.request.arguments)
    hint = attempt.hint(tool.validate({}) or message)
    return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error, hint=hint)


def _repaired(attempt: Attempt, tool: Tool[Any]) -> Attempt | None:
    """The attempt with a payload that is valid; None where there is no certain repair."""
    from toolgen_runtime.hints.repair import concealed, repair

    repaired = repair(tool, attempt.payload)
    if not repaired.changes:
        return None
    return replace(attempt, payload=repaired.payload, repairs=concealed(repaired.changes, attempt.secrets))


def _over_limit(attempt: Attempt) -> ToolOutput:
    limit = attempt.policy.calls_per_turn
    return attempt.refused(ToolErrorKind.LIMIT_EXCEEDED, f"no more than {limit} tools may run in one turn")


# -- after the handler --------------------------------------------------------------------------------------


def succeeded(attempt: Attempt, result: object) -> ToolOutput:
    """Return the output of a call whose handler has returned `result`, which may report an error all the same."""
    encoded = encode(as_mapping(result))
    reported = recognize(encoded.value)
    if encoded.issues:
        first = encoded.issues[0]
        message = f"{first.field or 'the result'}: got {first.got}, expected {first.expected}"
        return attempt.malformed(message, encoded.value, encoded.issues)
    if reported is not None and reported.is_error:
        message = reported.text() or "the tool reports an error and does not say which"
        return attempt.refused(ToolErrorKind.EXECUTION_ERROR, message, result=encoded.value)
    if reported is not None and reported.unfinished is not None:
        return attempt.unfinished(reported, without_state(encoded.value))
    return attempt.done(executed=True, result=encoded.value)


def failed(attempt: Attempt, error: Exception) -> ToolOutput:
    """Return the output of a call whose handler has raised `error`."""
    if isinstance(error, MalformedResponseError):
        encoded = encode(error.result)
        return attempt.malformed(error.message, encoded.value, encoded.issues, error)
    if isinstance(error, InvalidPayload) and _is_about_arguments(attempt, error):
        known = error if attempt.secrets is None else attempt.secrets.conceal_error(error)
        return attempt.invalid(known.issues(), known)  # what no schema says: the handler's own checks
    recovery = None
    if isinstance(error, ToolExecutionError):
        kind, message = error.kind, error.message
        if error.recovery != error.meaning.recovery:
            recovery = error.recovery
    else:
        kind = classify_handler_error(error).kind
        message = _own_words(kind, error)
    correctable = kind is ToolErrorKind.INVALID_PARAMETERS and recovery is None
    hint = attempt.hint(error) if correctable else None
    return attempt.refused(kind, message, error, hint=hint, recovery=recovery)


def _is_about_arguments(attempt: Attempt, error: InvalidPayload) -> bool:
    """Whether a handler's `InvalidPayload` is of the tool that was called, and not of one that it called itself.

    `spread` knows no tool, and leaves the name empty.
    """
    tool = attempt.registry.find(attempt.request.name)
    return tool is not None and error.tool in ("", tool.name)


def _own_words(kind: ToolErrorKind, error: Exception) -> str:
    """An exception's own words, but not those of a bug: they are about the code, and quote values."""
    text = "" if kind is ToolErrorKind.INTERNAL_ERROR else str(error)
    return text or f"the tool failed with {type(error).__name__}"
