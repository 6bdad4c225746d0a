"""Where a call enters: decode, check, repair if asked, run, encode. A tool's failure comes out as data.

Nothing is raised for what a model sent or a tool did. What is raised: `CancelledError`, `KeyboardInterrupt`
and `SystemExit` out of the handler, and the mistakes of the program itself (a handler that takes another
tool's model or needs an event loop, a generated package that cannot be imported).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen_runtime.calls import handlers, steps
from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.attempt import CallRequest as CallRequest  # for `Registry`: one import a call
from toolgen_runtime.calls.output import ToolOutput

if TYPE_CHECKING:
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.policy import Policy
    from toolgen_runtime.calls.turn_ledger import TurnLedger
    from toolgen_runtime.registry import Registry


def call(
    registry: Registry, policy: Policy, request: CallRequest, handler: Handler, ledger: TurnLedger | None
) -> ToolOutput:
    """Take one call to its end, in this thread; see `handlers.run` for async handlers and for timeouts.

    Without a ledger nothing is counted.
    """
    attempt, output = Attempt(registry, policy, request), None
    try:
        ready = steps.prepare(attempt, handler, ledger)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                result = handlers.run(handler, *ready, attempt.timeout)
            except handlers.WrongLoopError:
                raise
            except BaseException as error:
                output = _failed(attempt, error, ledger)
            else:
                output = steps.succeeded(attempt, result)
        if ledger is not None:
            ledger.record(output)
        return output
    finally:
        attempt.observer.ended(output)


async def acall(
    registry: Registry, policy: Policy, request: CallRequest, handler: Handler, ledger: TurnLedger | None
) -> ToolOutput:
    """Return `call` in the running event loop; see `handlers.arun` for sync handlers and for timeouts."""
    attempt, output = Attempt(registry, policy, request), None
    try:
        ready = steps.prepare(attempt, handler, ledger)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                result = await handlers.arun(handler, *ready, attempt.timeout)
            except BaseException as error:
                output = _failed(attempt, error, ledger)
            else:
                output = steps.succeeded(attempt, result)
        if ledger is not None:
            ledger.record(output)
        return output
    finally:
        attempt.observer.ended(output)


def _failed(attempt: Attempt, error: BaseException, ledger: TurnLedger | None) -> ToolOutput:
    """Return the output of a call whose handler has raised; a cancellation is counted, and goes on."""
    if isinstance(error, Exception):
        return steps.failed(attempt, error)
    if ledger is not None:
        ledger.record_abandoned(attempt.identity)
    raise error


def check(registry: Registry, policy: Policy, request: CallRequest, ledger: TurnLedger | None) -> ToolOutput:
    """Return `call` up to where the handler would run: nothing is run, nothing is counted in `ledger`.

    Issues are shown to `on_issue`; a refusal is logged, and shown to `on_call`.
    """
    attempt = Attempt(registry, policy, request, checking=True)
    output: ToolOutput | None = None
    try:
        output = steps.check(attempt, ledger)
        return output
    finally:
        attempt.observer.ended(output)


def accepts(registry: Registry, policy: Policy, request: CallRequest, ledger: TurnLedger | None) -> bool:
    """Return whether `check` would let a call run; nothing is counted, logged or shown to a hook."""
    return steps.check(Attempt(registry, policy, request, checking=True), ledger).ok


def returned(
    registry: Registry,
    policy: Policy,
    request: CallRequest,
    checked: ToolOutput,
    result: object,
    ledger: TurnLedger,
) -> ToolOutput:
    """Return the output of a call that `check` let through and that was run elsewhere; count it in `ledger`.

    `result` is what a handler would have returned, or the exception that it would have raised.
    """
    attempt = _resumed(registry, policy, request, checked)
    output: ToolOutput | None = None
    try:
        if checked.at:  # it was let through; one that was refused takes no place in the turn's limit
            ledger.claim(None, attempt.identity)
        output = (
            steps.failed(attempt, result)
            if isinstance(result, Exception)
            else steps.succeeded(attempt, result)
        )
        ledger.record(output)
        return output
    finally:
        attempt.observer.ended(output)


def abandoned(
    registry: Registry, policy: Policy, request: CallRequest, checked: ToolOutput, ledger: TurnLedger
) -> None:
    """Count a call that `check` let through and that was canceled while it ran elsewhere."""
    attempt = _resumed(registry, policy, request, checked)
    ledger.claim(None, attempt.identity)
    ledger.record_abandoned(attempt.identity)
    attempt.observer.ended(None)


def _resumed(registry: Registry, policy: Policy, request: CallRequest, checked: ToolOutput) -> Attempt:
    attempt = Attempt(registry, policy, request, checked_at=checked.at)
    attempt.tool = registry.find(attempt.name)
    attempt.payload, attempt.secrets = checked.payload, checked.secrets
    attempt.repairs, attempt.notes = checked.repairs, checked.notes
    return attempt
