"""The base class of generated clients.

A client has one method for each tool, and checks each call before sending it.

The generated `client.py` names the toolset and the methods, and `client.pyi` contains their types. A method returns
structured content if the tool declares an output schema, and otherwise the text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from toolgen_runtime.calls.functions import Method, Send, call_tool, method
from toolgen_runtime.calls.options import CallOptions
from toolgen_runtime.calls.policy import reject_unsupported
from toolgen_runtime.conversation import Conversation

if TYPE_CHECKING:
    from toolgen_runtime.validation.toolset import Toolset

__all__ = ["ToolClient"]

_DEFAULTS: CallOptions = {
    "max_chars": 300,
    "unknown_keys": "schema",
    "check_results": "off",
    "repairs": "silent",
}
"""The defaults that differ from those of `Conversation`. Here a person reads the errors in tracebacks, not a model."""
_NO_NOTES = "a method returns the tool's value, so that there is no text for a note"
_UNSUPPORTED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "unknown_keys": (("note",), _NO_NOTES),
    "check_results": (("note",), _NO_NOTES),
    "repairs": (("tell",), _NO_NOTES),
    "ask": ((True,), "a client has no way to ask the user"),
}


class ToolClient:
    """A client for the tools of one toolset. `client.sync` has the same methods, but they block."""

    _toolset: ClassVar[Toolset]
    _methods: ClassVar[Mapping[str, str]]
    """The tool name for each method name."""

    def __init__(
        self, session: Any = None, *, call: Send | None = None, **options: Unpack[CallOptions]
    ) -> None:
        """Create a client from a session, or from a function that makes the calls.

        Args:
            session: an object with `call_tool(name, arguments)`, such as a session of mcp 1 or 2 or FastMCP's client.
            call: a sync or async function that takes a tool's name and its arguments, and makes the call.
            options: the options of `Conversation`, such as `repair=True`. `max_chars` is 300 by default here. A method
                returns a value, not text for a model, so it cannot add notes. The defaults are therefore
                `unknown_keys="schema"`, `check_results="off"` and `repairs="silent"`. With `check_results="reject"`,
                which needs `toolgen[dynamic]`, a structured result that breaks the tool's output schema raises
                `MalformedResponseError`.

        Raises:
            TypeError: neither or both of `session` and `call` are given, or an option does not exist or cannot be
                used here.
        """
        if (session is None) is (call is None):
            raise TypeError("pass either a session with call_tool(name, arguments), or call=function")
        reject_unsupported("the client", options, _UNSUPPORTED)
        given: CallOptions = {**_DEFAULTS, **options}
        self._conversation = Conversation(type(self)._toolset, **given)
        send: Send = session.call_tool if call is None else call
        self._call = partial(call_tool, self._conversation, send=send)
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    if not TYPE_CHECKING:  # type checkers see only the methods in the client's stub and report misspelt ones

        def __getattr__(self, name: str) -> Method:
            tool = type(self)._methods.get(name)
            if tool is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return method(tool, self._call)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *type(self)._methods})

    @property
    def sync(self) -> Any:
        """The methods of this client as blocking functions.

        If the client was created in a running event loop, its session is called in that loop. In this case, use the
        blocking methods only in other threads.
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
    """The methods of a client as blocking functions."""

    def __init__(self, client: ToolClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in type(self._client)._methods:
            raise AttributeError(f"the client has no method {name!r}")
        method = getattr(self._client, name)
        return lambda *payload, **arguments: self._client._run(method(*payload, **arguments))
