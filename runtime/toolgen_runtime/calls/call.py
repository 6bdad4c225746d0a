"""Where a call enters: decode, check, repair if asked, run, encode. A tool's failure comes out as data.

Nothing is raised for what a model sent or a tool did. What is raised: `CancelledError`, `KeyboardInterrupt`
and `SystemExit` out of the handler, and the mistakes of the program itself (a handler that takes another
tool's model or needs an event loop, a generated package that cannot be imported).
"""

from __future__ import annotations

from dataclasses import replace

from toolgen_runtime.calls import handlers
from toolgen_runtime.calls.handlers import Handler
from toolgen_runtime.calls.hooks import CallStarted, Watch
from toolgen_runtime.calls.ledger import TurnLedger
from toolgen_runtime.calls.limits import Policy
from toolgen_runtime.calls.output import ToolError, ToolOutput
from toolgen_runtime.calls.steps import Catalog, Passage, Request

__all__ = [
    "Catalog",
    "Handler",
    "Policy",
    "Request",
    "ToolError",
    "ToolOutput",
    "acall",
    "call",
    "check",
    "returned",
]


def call(
    catalog: Catalog, policy: Policy, request: Request, handler: Handler, turns: TurnLedger
) -> ToolOutput:
    """One call to its end, in this thread; see `handlers.run` for async handlers and for timeouts."""
    with Watch(policy, CallStarted(request.name, request.call_id, request.arguments)) as watch:
        passage = Passage(catalog, policy, request, turns, watch)
        if passage.enter(handler):
            try:
                result = handlers.run(handler, passage.arguments, passage.timeout)
            except handlers.WrongLoopError:
                raise
            except Exception as error:
                passage.fail(error)
            else:
                passage.leave(result)
        return passage.end()


async def acall(
    catalog: Catalog, policy: Policy, request: Request, handler: Handler, turns: TurnLedger
) -> ToolOutput:
    """`call` in the running event loop; see `handlers.arun` for sync handlers and for timeouts."""
    with Watch(policy, CallStarted(request.name, request.call_id, request.arguments)) as watch:
        passage = Passage(catalog, policy, request, turns, watch)
        if passage.enter(handler):
            try:
                result = await handlers.arun(handler, passage.arguments, passage.timeout)
            except Exception as error:
                passage.fail(error)
            else:
                passage.leave(result)
        return passage.end()


def check(catalog: Catalog, policy: Policy, request: Request, turns: TurnLedger) -> ToolOutput:
    """`call` up to where the handler would run: nothing is run, nothing is counted in `turns`.

    Issues are shown to `on_issue` and a refusal is logged; `on_call` sees calls that are run here.
    """
    with _watch(policy, request) as watch:
        return Passage(catalog, policy, request, turns, watch).check()


def returned(
    catalog: Catalog,
    policy: Policy,
    request: Request,
    checked: ToolOutput,
    result: object,
    turns: TurnLedger,
) -> ToolOutput:
    """The rest of a call that `check` let through and that was run elsewhere; it is counted in `turns`.

    `result` is what a handler would have returned, or the exception that it would have raised.
    """
    with _watch(policy, request) as watch:
        passage = Passage(catalog, policy, request, turns, watch)
        passage.resume(checked)
        if isinstance(result, Exception):
            passage.fail(result)
        else:
            passage.leave(result)
        return passage.end()


def _watch(policy: Policy, request: Request) -> Watch:
    started = CallStarted(request.name, request.call_id, request.arguments)
    return Watch(replace(policy, on_call=None), started)
