"""Model Context Protocol: checked calls of a client session and of a low-level server, with mcp 1 and 2.

    session = checked(session)                                       # list_tools and call_tool as before
    Server("name", on_list_tools=..., on_call_tool=guard(on_call_tool, tools))            # mcp 2
    server.call_tool(validate_input=False)(guard(call_tool, tools))                       # mcp 1

A refused call gets a result with `isError` (MCP 2026-07-28, server/tools, "Error Handling") and the hint as its text;
its `_meta` has data for the host under `toolgen`. All other calls and results are unchanged.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from toolgen_runtime.adapters._checks import Checks, client_of, facts, names_of, verdict
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.adapters._session import Session, answer, refusal
from toolgen_runtime.adapters._tool_list import ToolList
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("mcp"):
    from mcp import ClientSession

if TYPE_CHECKING:
    from mcp import Client

    from toolgen_runtime.adapters._session_types import CheckedClient, CheckedSession
else:
    CheckedClient = CheckedSession = Session

__all__ = ["CheckedClient", "CheckedSession", "Guard", "checked", "guard", "to_output"]

SessionT = TypeVar("SessionT")
_INVALID_PARAMS = -32602
"""The error of JSON-RPC for a tool that does not exist (MCP 2026-07-28, server/tools, "Error Handling")."""


@overload
def checked(session: ClientSession, **options: Unpack[Options]) -> CheckedSession: ...
@overload
def checked(session: Client, **options: Unpack[Options]) -> CheckedClient: ...
@overload
def checked(session: SessionT, **options: Unpack[Options]) -> SessionT: ...
def checked(session: Any, **options: Unpack[Options]) -> Any:
    """Return a session of the same type whose `call_tool` refuses wrong arguments with a hint.

    `arguments` may also be the JSON string that the model wrote. The tools are listed at the first call and when the
    server announces a change. If the server does not announce changes, they are also listed before a call is refused.
    If listing fails or takes too long, the call is made without a check.

    A session does not see the model's answers or the user's questions, so each call is checked without regard to
    earlier calls. To compare calls, call `begin_round()` of the returned session at each answer of the model, and
    `begin_turn()` at each question of the user.

    Args:
        session: a `ClientSession`; a `Client` of mcp 2; anything with their `list_tools` and `call_tool`.
        options: the options of `toolgen_runtime.Registry`.
    """
    return Session(session, Checks("checked()", **options))


class Guard:
    """A handler of `tools/call` that checks calls; a connection is a conversation.

    A server does not see the model's answers or the user's questions. Without `begin_round` and `begin_turn` each
    call is checked without regard to earlier calls.
    """

    def __init__(self, on_call_tool: Callable[..., Awaitable[Any]], tools: Any, checks: Checks) -> None:
        self._on_call_tool = on_call_tool
        self._checks = checks
        self._list: ToolList | None = None
        self._names: set[str] = set()
        if inspect.isroutine(tools):

            async def ask() -> Any:
                listed = tools()
                return await listed if inspect.isawaitable(listed) else listed

            self._list = ToolList(ask, checks)
        else:
            self._names = names_of(tools)

    def begin_turn(self, context: Any = None) -> None:
        """Begin a turn of the client with this request context; with mcp 1, of the request that is being handled."""
        self._conversation(context).begin_turn()

    def begin_round(self, context: Any = None) -> None:
        """Begin a round, an answer of the client's model; see `begin_turn`."""
        self._conversation(context).begin_round()

    async def __call__(self, first: Any, second: Any) -> Any:
        """Refuse wrong arguments; leave all else to the handler."""
        of_mcp_1 = isinstance(first, str)
        name, arguments = (first, second) if of_mcp_1 else (second.name, second.arguments)
        conversation = self._conversation(None if of_mcp_1 else first)
        output = await self._check(conversation, name, arguments)
        if output is None:
            return await self._on_call_tool(first, second)
        if not output.ok:
            if output.kind is ToolErrorKind.UNKNOWN_TOOL and not of_mcp_1:
                raise _unknown(output)
            return refusal(output)
        if output.repairs:
            arguments = output.payload
            second = arguments if of_mcp_1 else second.model_copy(update={"arguments": arguments})
        return await answer(conversation, output, self._on_call_tool(first, second))

    async def _check(self, conversation: Conversation, name: str, arguments: Any) -> ToolOutput | None:
        if self._list is not None:
            return await self._list.check(conversation, name, arguments)
        if name in self._names and name not in conversation.registry:
            return None
        return verdict(conversation, name, arguments)

    def _conversation(self, context: Any) -> Conversation:
        return self._checks.conversation(client_of(_context_of_mcp_1() if context is None else context))


def guard(on_call_tool: Callable[..., Awaitable[Any]], tools: Any, **options: Unpack[Options]) -> Guard:
    """Return a handler of `tools/call` that refuses wrong arguments and passes other calls to `on_call_tool`.

    Args:
        on_call_tool: the handler; with mcp 2 it takes the context and the parameters, with mcp 1 the name and the
            arguments.
        tools: the server's list of tools, a toolset or a registry; or a function, sync or async, that returns the
            current list. It is called at the first call, and before a call is refused.
        options: the options of `toolgen_runtime.Registry`.
    """
    listed = inspect.isroutine(tools)
    return Guard(on_call_tool, tools, Checks("guard()", None if listed else tools, **options))


def to_output(result: Any, *, tool: str = "") -> ToolOutput:
    """Return the `ToolOutput` of a call, from its `CallToolResult` or from the exception that it raised."""
    return Conversation({}).returned(ToolOutput(tool), result)


def _unknown(output: ToolOutput) -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(_INVALID_PARAMS, output.text(), {"toolgen": facts(output)})


def _context_of_mcp_1() -> Any:
    server: Any = import_module("mcp.server.lowlevel.server")
    return server.request_ctx.get(None)
