"""The base of generated clients: one method a tool, checked before anything is sent.

A generated `client.py` names the toolset and the methods; their types are in `client.pyi`. Results are values: the
structured content of a tool that declares its output, the text of any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from toolgen_runtime.calls.functions import Method, Send, call_tool, method
from toolgen_runtime.conversation import Conversation

if TYPE_CHECKING:
    from toolgen_runtime.validation.toolset import Toolset

MAX_ERROR_CHARS = 300
"""How long the text of `InvalidPayload` may be, unless `max_chars` is given: people read it, in tracebacks."""


class ToolClient:
    """Calls the tools of one toolset. `client.sync` has the same methods, which block."""

    _toolset: ClassVar[Toolset]
    _methods: ClassVar[Mapping[str, str]]
    """The tool of each method."""

    def __init__(
        self, session: Any = None, *, call: Send | None = None, check_results: bool = False, **options: Any
    ) -> None:
        """Make a client of a session, or of a function that makes the calls.

        Args:
            session: has `call_tool(name, arguments)`: a session of mcp 1 or 2, or FastMCP's client.
            call: called with a tool's name and its arguments instead; may be an async function.
            check_results: raise if structured content is not what the tool's output schema says; needs
                `toolgen[dynamic]`.
            options: the options of `Conversation`, such as `repair=True`; `max_chars` is 300 by default here.

        Raises:
            TypeError: neither or both of `session` and `call` are given, or an option does not exist.
        """
        if (session is None) is (call is None):
            raise TypeError("pass either a session with call_tool(name, arguments), or call=function")
        options = {"max_chars": MAX_ERROR_CHARS, **options}
        self._conversation = Conversation(type(self)._toolset, **options)
        send: Send = session.call_tool if call is None else call
        self._call = partial(call_tool, self._conversation, send=send, check_results=check_results)
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    if not TYPE_CHECKING:  # the methods are in the client's stub; a misspelt one is a type error

        def __getattr__(self, name: str) -> Method:
            tool = type(self)._methods.get(name)
            if tool is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return method(tool, self._call)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *type(self)._methods})

    @property
    def sync(self) -> Any:
        """The same methods, which block until the result is there.

        A client that was made in a running event loop calls its session in that loop, so these methods are for
        other threads then.
        """
        return _Sync(self)

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is not None:
            coroutine.close()
            raise RuntimeError("client.sync would block the running event loop; await the method instead")
        if self._loop is None or self._loop.is_closed():
            return asyncio.run(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


class _Sync:
    """The methods of a client, which block."""

    def __init__(self, client: ToolClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in type(self._client)._methods:
            raise AttributeError(f"the client has no method {name!r}")
        method = getattr(self._client, name)
        return lambda *payload, **arguments: self._client._run(method(*payload, **arguments))
