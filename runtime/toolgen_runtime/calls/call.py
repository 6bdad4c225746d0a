"""Where a call enters: decode, check, repair if asked, run, encode. A tool's failure comes out as data.

Nothing is raised for what a model sent or a tool did. What is raised: `CancelledError`, `KeyboardInterrupt`
and `SystemExit` out of the handler, and the mistakes of the program itself (a handler that takes another
tool's model or needs an event loop, a generated package that cannot be imported).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen_runtime.calls import handlers, steps
from toolgen_runtime.calls.attempt import Attempt as Attempt  # for `Registry`: one import a call
from toolgen_runtime.calls.output import ToolOutput

if TYPE_CHECKING:
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.turn_ledger import TurnLedger


def call(attempt: Attempt, handler: Handler) -> ToolOutput:
    """Take one call to its end, in this thread; see `handlers.run` for async handlers and for timeouts."""
    output = None
    try:
        ready = steps.prepare(attempt, handler)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                result = handlers.run(handler, *ready, attempt.timeout)
            except handlers.WrongLoopError:
                raise
            except BaseException as error:
                output = _failed(attempt, error)
            else:
                output = steps.succeeded(attempt, result)
        if attempt.ledger is not None:
            attempt.ledger.record(output)
        return output
    finally:
        attempt.ended(output)


async def acall(attempt: Attempt, handler: Handler) -> ToolOutput:
    """Return `call` in the running event loop; see `handlers.arun` for sync handlers and for timeouts."""
    output = None
    try:
        ready = steps.prepare(attempt, handler)
        if isinstance(ready, ToolOutput):
            output = ready
        else:
            try:
                result = await handlers.arun(handler, *ready, attempt.timeout)
            except BaseException as error:
                output = _failed(attempt, error)
            else:
                output = steps.succeeded(attempt, result)
        if attempt.ledger is not None:
            attempt.ledger.record(output)
        return output
    finally:
        attempt.ended(output)


def _failed(attempt: Attempt, error: BaseException) -> ToolOutput:
    """Return the output of a call whose handler has raised; a cancellation is counted, and goes on."""
    if isinstance(error, Exception):
        return steps.failed(attempt, error)
    if attempt.ledger is not None:
        attempt.ledger.record_abandoned(attempt.identity)
    raise error


def check(attempt: Attempt, problem: Exception | None = None) -> ToolOutput:
    """Return `call` up to where the handler would run: nothing is run or counted.

    Issues are shown to `on_issue`; a refusal is logged, and shown to `on_call`.
    """
    output: ToolOutput | None = None
    try:
        output = steps.check(attempt, problem)
        return output
    finally:
        attempt.ended(output)


def returned(attempt: Attempt, checked: ToolOutput, result: object, ledger: TurnLedger) -> ToolOutput:
    """Return the output of a call that `check` let through and that was run elsewhere; count it.

    `result` is what a handler would have returned, or the exception that it would have raised.
    """
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
        attempt.ended(output)
