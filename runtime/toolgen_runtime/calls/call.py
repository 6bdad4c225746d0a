"""Where a call enters: decode, check, repair if asked, run, encode. A tool's failure comes out as data.

Nothing is raised for what a model sent or a tool did. What is raised: `CancelledError`, `KeyboardInterrupt`
and `SystemExit` out of the handler, and the mistakes of the program itself (a handler that takes another
tool's model or needs an event loop, a generated package that cannot be imported).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgen_runtime.calls import handlers, steps
from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.handlers import Handler
from toolgen_runtime.calls.hooks import CallStarted, Observer
from toolgen_runtime.calls.ledger import TurnLedger
from toolgen_runtime.calls.limits import Policy
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.request import CallRequest

if TYPE_CHECKING:
    from toolgen_runtime.registry import Registry


def call(
    registry: Registry, policy: Policy, request: CallRequest, handler: Handler, ledger: TurnLedger
) -> ToolOutput:
    """Take one call to its end, in this thread; see `handlers.run` for async handlers and for timeouts."""
    with _observer(policy, request) as observer:
        ready = steps.prepare(Attempt(registry, policy, request, observer), handler, ledger)
        if isinstance(ready, ToolOutput):
            return _counted(ready, observer, ledger)
        try:
            result = handlers.run(handler, ready.arguments, _timeout(policy, request))
        except handlers.WrongLoopError:
            raise
        except Exception as error:
            output = steps.failed(ready.attempt, error)
        else:
            output = steps.succeeded(ready.attempt, result)
        return _counted(output, observer, ledger)


async def acall(
    registry: Registry, policy: Policy, request: CallRequest, handler: Handler, ledger: TurnLedger
) -> ToolOutput:
    """`call` in the running event loop; see `handlers.arun` for sync handlers and for timeouts."""
    with _observer(policy, request) as observer:
        ready = steps.prepare(Attempt(registry, policy, request, observer), handler, ledger)
        if isinstance(ready, ToolOutput):
            return _counted(ready, observer, ledger)
        try:
            result = await handlers.arun(handler, ready.arguments, _timeout(policy, request))
        except Exception as error:
            output = steps.failed(ready.attempt, error)
        else:
            output = steps.succeeded(ready.attempt, result)
        return _counted(output, observer, ledger)


def check(registry: Registry, policy: Policy, request: CallRequest, ledger: TurnLedger) -> ToolOutput:
    """`call` up to where the handler would run: nothing is run, nothing is counted in `ledger`.

    Issues are shown to `on_issue` and a refusal is logged; `on_call` sees calls that are run here.
    """
    with _observer(replace(policy, on_call=None), request) as observer:
        observer.output = output = steps.check(Attempt(registry, policy, request, observer), ledger)
        return output


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
    with _observer(replace(policy, on_call=None), request) as observer:
        attempt = Attempt(
            registry,
            policy,
            request,
            observer,
            payload=checked.payload,
            secrets=checked.secrets,
            repairs=checked.repairs,
            notes=checked.notes,
        )
        ledger.claim(None, attempt.identity)
        if isinstance(result, Exception):
            return _counted(steps.failed(attempt, result), observer, ledger)
        return _counted(steps.succeeded(attempt, result), observer, ledger)


def _observer(policy: Policy, request: CallRequest) -> Observer:
    return Observer(policy, CallStarted(request.name, request.call_id, request.arguments))


def _timeout(policy: Policy, request: CallRequest) -> float | None:
    return policy.timeout if request.timeout is None else request.timeout


def _counted(output: ToolOutput, observer: Observer, ledger: TurnLedger) -> ToolOutput:
    """The output of a call that is over, shown to the observer and counted."""
    observer.output = output
    ledger.record(output)
    return output
