"""Where a call enters: decode, check, repair if asked, run, encode. A tool's failure comes out as data.

Nothing is raised for what a model sent or a tool did. What is raised: `CancelledError`, `KeyboardInterrupt`
and `SystemExit` out of the handler, and the mistakes of the program itself (a handler that takes another
tool's model or needs an event loop, a generated package that cannot be imported).
"""

from __future__ import annotations

from toolgen_runtime import handlers
from toolgen_runtime.handlers import Handler
from toolgen_runtime.observe import CallStarted, Watch
from toolgen_runtime.output import ToolError, ToolOutput
from toolgen_runtime.passage import Catalog, Passage, Request
from toolgen_runtime.policy import Policy
from toolgen_runtime.turns import TurnLedger

__all__ = ["Catalog", "Handler", "Policy", "Request", "ToolError", "ToolOutput", "acall", "call"]


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
