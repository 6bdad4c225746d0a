"""The steps of one call: decode, check, repair if the policy allows it, run, and encode the result.

Errors of the model and of the tool are returned as data. Only two groups of exceptions are raised: `CancelledError`,
`KeyboardInterrupt` and `SystemExit` from the handler; and bugs in the calling program, such as a handler that takes
another tool's model or needs an event loop, or a generated package that cannot be imported.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from toolgen_runtime.calls import handlers
from toolgen_runtime.calls.arguments import check_arguments, find_tool
from toolgen_runtime.calls.attempt import Attempt as Attempt  # `Registry` finds both in this module
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.calls.handler_errors import classify_handler_error
from toolgen_runtime.calls.handler_facts import Handler, how_to_call
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.results import copied, differences, differences_in_words, encode, plain_copy
from toolgen_runtime.mcp_result import (
    RESULT_KEYS,
    McpResult,
    as_mapping,
    read_fields,
    recognize,
    without_state,
)
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue

Ready = tuple[bool, tuple[Any, ...]]
"""A handler that is ready to run: whether it is async, and its arguments."""


def call(attempt: Attempt, handler: Handler) -> ToolOutput:
    """Make one call in this thread. See `handlers.run` for async handlers and timeouts."""
    output = None
    try:
        ready = _ready_to_run(attempt, handler)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                output = _output_of_result(attempt, handlers.run(handler, *ready, attempt.timeout))
            except handlers.WrongLoopError:
                raise
            except BaseException as error:
                output = _output_of_error(attempt, error)
        return output
    finally:
        attempt.ended(output)


async def acall(attempt: Attempt, handler: Handler) -> ToolOutput:
    """Do the same as `call`, in the running event loop. See `handlers.arun` for sync handlers and timeouts."""
    output = None
    try:
        ready = _ready_to_run(attempt, handler)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                output = _output_of_result(attempt, await handlers.arun(handler, *ready, attempt.timeout))
            except BaseException as error:
                output = _output_of_error(attempt, error)
        return output
    finally:
        attempt.ended(output)


def check(attempt: Attempt, problem: Exception | None = None) -> ToolOutput:
    """Do everything that `call` does before the handler runs.

    The handler does not run, and the call is not counted.

    `problem` is another reason to reject the call, for example that it was truncated. `on_issue` sees the issues. A
    rejected call is logged and shown to `on_call`.
    """
    output: ToolOutput | None = None
    try:
        output = verdict(attempt, problem)
        return output
    finally:
        attempt.ended(output)


def returned(attempt: Attempt, checked: ToolOutput, result: object) -> ToolOutput:
    """Count a call that another program ran after `check` had accepted it, and return its output.

    `result` is the tool's result, or the exception that the tool raised.
    """
    output: ToolOutput | None = None
    try:
        # Only the output of an accepting check has `at`; the call then takes a place in the turn's limit.
        if checked.at and attempt.ledger is not None:
            attempt.ledger.claim(None, attempt.identity)
        if isinstance(result, Exception):
            output = _output_of_error(attempt, result)
        else:
            output = _output_of_result(attempt, result)
        return output
    finally:
        attempt.ended(output)


def _ready_to_run(attempt: Attempt, handler: Handler) -> Ready | ToolOutput:
    """Decode, check and repair the arguments. Return an output if the call is rejected.

    The call is then counted against the turn's limit.

    Raises:
        TypeError: the handler cannot take this tool's payload.
    """
    tool = find_tool(attempt)
    if isinstance(tool, ToolOutput):
        return tool
    is_async, view = how_to_call(handler, tool)  # first, so that a wrong call does not hide a wrong handler
    refused = check_arguments(attempt, tool)
    if refused is not None:
        return refused
    arguments: tuple[Any, ...] = ()
    if view == "plain":
        arguments = (copied(attempt.payload),)
    elif view == "model":
        try:
            arguments = (tool.payload_type.from_checked(attempt.payload),)
        except ValueError as error:  # from pydantic: the payload is valid, but the model cannot hold it
            message = "the tool's payload model cannot hold these arguments"
            return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error)
    limit, ledger = attempt.policy.calls_per_turn, attempt.ledger
    if ledger is None:
        allowed = limit is None or limit > 0
    else:  # without `attempt.identity`, which would cost a Python call for each tool call
        allowed = ledger.claim(limit, (attempt.called, attempt.call_id, attempt.payload))
    if allowed:
        return (is_async, arguments)
    return _over_limit(attempt)


def verdict(attempt: Attempt, problem: Exception | None = None) -> ToolOutput:
    """Decode, check and repair the arguments without counting the call.

    The output contains either the payload to run or an error.
    """
    tool = find_tool(attempt)
    if isinstance(tool, ToolOutput):
        return tool
    is_of_text = isinstance(problem, InvalidPayload) and any(i.constraint == "json" for i in problem.issues())
    if problem is None or is_of_text:  # reading the text again gives a better hint than its issues
        refused = check_arguments(attempt, tool)
        if refused is not None:
            return refused
    if problem is not None:
        attempt.payload, attempt.repairs, attempt.notes = None, (), ()  # drop a repair, which does not run
        attempt.secrets = attempt.policy.secrets_of(tool)
        return _output_of_error(attempt, problem)
    limit, ledger = attempt.policy.calls_per_turn, attempt.ledger
    if limit is not None:
        if ledger is None:
            allowed = limit > 0
        else:
            allowed = ledger.claim(limit, attempt.identity, take=False)
        if not allowed:
            return _over_limit(attempt)
    return attempt.output(executed=False, at=time.time())


def _over_limit(attempt: Attempt) -> ToolOutput:
    limit = attempt.policy.calls_per_turn
    return attempt.refused(ToolErrorKind.LIMIT_EXCEEDED, f"no more than {limit} tools may run in one turn")


_WHOLE = frozenset((type(None), bool, int))
"""Types of results that need no conversion to JSON and cannot be MCP results."""


def _output_of_result(attempt: Attempt, result: object) -> ToolOutput:
    """Return the output of a call whose handler returned `result`. An MCP result may itself report an error."""
    kind = type(result)
    if kind in _WHOLE or (kind is str and str.isascii(result)):  # type: ignore[arg-type]  # it is a string
        return attempt.output(executed=True, result=result)
    if isinstance(result, (dict, list)) and kind in (dict, list):
        value = plain_copy(result)
    else:
        value = None
    read = None
    if value is None:
        value, issues = encode(mapping := as_mapping(result))
        if issues:
            first = issues[0]
            message = f"{first.field or 'the result'}: got {first.got}, expected {first.expected}"
            return attempt.malformed(MalformedResponseError(message, value), value)
        if mapping is not result:
            read = read_fields(value)
    if read is None and type(value) is dict and not RESULT_KEYS.isdisjoint(value):
        read = recognize(value)
    if read is not None and read.is_error:
        message = read.text() or "the tool reports an error and does not say which"
        return attempt.refused(ToolErrorKind.EXECUTION_ERROR, message, result=value)
    if read is not None and read.state != "done":
        return attempt.output(
            executed=True,
            result=without_state(value),
            state=read.state,
            input_requests=read.requests,
            request_state=read.request_state,
        )
    if attempt.policy.check_results != "off" and (wrong := _differences(attempt, value, read)):
        if attempt.policy.check_results == "reject":
            return attempt.malformed(MalformedResponseError(differences_in_words(wrong), value), value)
        attempt.note_result(wrong)
    return attempt.output(executed=True, result=value)


def _differences(attempt: Attempt, value: Any, read: McpResult | None) -> Sequence[ValidationIssue]:
    """Return the issues of a result against the tool's output schema; none if the tool has none."""
    registry, name = attempt.registry, attempt.name
    if name in registry.result_checks:
        check = registry.result_checks[name]
    else:
        check = registry.learn_result_check(name)
    if check is None:
        return ()
    return differences(check, value, read)


def _output_of_error(attempt: Attempt, error: BaseException) -> ToolOutput:
    """Return the output of a call whose handler raised `error`. Count a cancellation, then raise it again."""
    if not isinstance(error, Exception):
        if attempt.ledger is not None:
            attempt.ledger.record_abandoned(attempt.identity)
        raise error
    if isinstance(error, MalformedResponseError):
        return attempt.malformed(error, encode(error.result)[0])
    tool = attempt.tool
    # `spread` does not know the tool and leaves the name empty. Another name is that of a tool the handler called.
    if isinstance(error, InvalidPayload) and tool is not None and error.tool in ("", tool.name):
        issues = attempt.concealed(error.issues())  # from checks in the handler
        return attempt.invalid(
            issues, error if attempt.secrets is None else InvalidPayload(error.tool, issues)
        )
    stated: Recovery | None = None
    if isinstance(error, ToolExecutionError):
        kind, message, stated = error.kind, error.message, error.stated_recovery
    else:
        kind = classify_handler_error(error).kind
        # The message of a bug is about the code and may quote values.
        if kind is ToolErrorKind.INTERNAL_ERROR:
            own = ""
        else:
            own = str(error)
        message = own or f"the tool failed with {type(error).__name__}"
    hint = None
    if stated is None and kind is ToolErrorKind.INVALID_PARAMETERS:
        hint = attempt.hint(error)
    elif stated is None and TOOL_ERROR_KIND_MEANINGS[kind].recovery == "check_first":
        trusted = attempt.policy.trust_annotations and tool is not None and tool.repeatable
        stated = "retry" if trusted else None
    return attempt.refused(kind, message, error, hint=hint, recovery=stated)
