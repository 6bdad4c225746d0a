"""Model Context Protocol: checked calls of a client session and of a low-level server, with mcp 1 and 2.

    session = checked(session)                                       # list_tools and call_tool as before
    Server("name", on_list_tools=..., on_call_tool=guard(on_call_tool, tools))            # mcp 2
    server.call_tool(validate_input=False)(guard(call_tool, tools))                       # mcp 1

A call that is refused is a result with `isError` (MCP 2026-07-28, server/tools, "Error Handling"), whose text is
the hint; under `toolgen` its `_meta` has what a host may want to know. All else comes and goes as it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from toolgen_runtime.adapters._checks import Checks, client_of, ended, facts, names_of
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.adapters._mcp import noted, refusal
from toolgen_runtime.adapters._session import Session
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("mcp"):
    from mcp import ClientSession

if TYPE_CHECKING:
    from mcp import Client

    from toolgen_runtime.adapters._session_types import CheckedClient, CheckedSession
else:
    CheckedClient = CheckedSession = Session

__all__ = ["CheckedClient", "CheckedSession", "checked", "guard", "to_output"]

SessionT = TypeVar("SessionT")
HandlerT = TypeVar("HandlerT", bound=Callable[..., Awaitable[Any]])
_INVALID_PARAMS = -32602
"""The error of JSON-RPC for a tool that does not exist (MCP 2026-07-28, server/tools, "Error Handling")."""


@overload
def checked(session: ClientSession, **options: Any) -> CheckedSession: ...
@overload
def checked(session: Client, **options: Any) -> CheckedClient: ...
@overload
def checked(session: SessionT, **options: Any) -> SessionT: ...
def checked(session: Any, **options: Any) -> Any:
    """Return a session of the same type whose `call_tool` answers wrong arguments itself.

    `arguments` may also be the text that the model wrote. The tools are listed at the first call, where they
    were not before, and anew before a call is refused, since a server's tools may change.

    Args:
        session: a `ClientSession`; a `Client` of mcp 2; anything with their `list_tools` and `call_tool`.
        options: those of `toolgen_runtime.Registry`.
    """
    return Session(session, Checks(**options))


def guard(on_call_tool: HandlerT, tools: Any, **options: Any) -> HandlerT:
    """Return a handler of `tools/call` that refuses wrong arguments and leaves the rest to `on_call_tool`.

    Args:
        on_call_tool: of mcp 2, taking the context and the parameters; or of mcp 1, taking name and arguments.
        tools: what the server lists, a toolset, a registry; or a function, sync or async, that returns
            the list as it is now.
        options: those of `toolgen_runtime.Registry`.
    """
    listed: Callable[[], Any] | None = tools if inspect.isroutine(tools) else None
    checks = Checks(None if listed else tools, **options)

    async def guarded(first: Any, second: Any) -> Any:
        of_mcp_1 = isinstance(first, str)
        name, arguments = (first, second) if of_mcp_1 else (second.name, second.arguments)
        conversation = checks.conversation(client_of(_context_of_mcp_1() if of_mcp_1 else first))
        shown = tools if listed is None else await _awaited(listed())
        if listed is not None:
            conversation.update(checks.compiled(shown))
        if name not in conversation.registry and name in names_of(shown):
            return await on_call_tool(first, second)
        output = conversation.check(name, arguments)
        if not output.ok:
            refused = conversation.returned(output)
            if refused.kind is ToolErrorKind.UNKNOWN_TOOL and not of_mcp_1:
                raise _unknown(refused)
            return refusal(refused)
        if output.repairs:
            arguments = output.payload
            second = arguments if of_mcp_1 else second.model_copy(update={"arguments": arguments})
        return noted(*await ended(conversation, output, on_call_tool(first, second)))

    return cast(HandlerT, guarded)


def to_output(result: Any, *, tool: str = "") -> ToolOutput:
    """Return how a call ended, from its `CallToolResult` or from the exception that it raised."""
    return Conversation({}).returned(ToolOutput(tool), result)


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _unknown(output: ToolOutput) -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(_INVALID_PARAMS, output.text(), {"toolgen": facts(output)})


def _context_of_mcp_1() -> Any:
    server: Any = import_module("mcp.server.lowlevel.server")
    return server.request_ctx.get(None)
