"""What `checked` returns, for type checkers alone: the session's own class, whose `call_tool` takes texts too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, overload

from mcp import Client, ClientSession
from mcp.types import CallToolResult

from toolgen_runtime.adapters._checks import HostRounds

Arguments = Mapping[str, Any] | str | bytes | None
"""An object; or the text that a model wrote, JSON or not."""


class CheckedSession(HostRounds, ClientSession):
    """A `ClientSession` that answers wrong arguments itself."""

    async def __aenter__(self) -> Self:
        """Enter the session."""
        raise NotImplementedError

    @overload
    async def call_tool(
        self,
        name: str,
        arguments: Arguments = None,
        read_timeout_seconds: Any = None,
        progress_callback: Any = None,
        *,
        allow_input_required: Literal[False] = False,
        allow_claimed: Literal[False] = False,
        meta: Any = None,
        **options: Any,
    ) -> CallToolResult: ...
    @overload
    async def call_tool(
        self,
        name: str,
        arguments: Arguments = None,
        read_timeout_seconds: Any = None,
        progress_callback: Any = None,
        *,
        allow_input_required: bool = False,
        allow_claimed: bool = False,
        meta: Any = None,
        **options: Any,
    ) -> Any: ...
    async def call_tool(  # pyright: ignore[reportIncompatibleMethodOverride]  # two overloads do for the four
        self, name: str, arguments: Arguments = None, *args: Any, **options: Any
    ) -> Any:
        """Check a call, and make it where its arguments are right."""


class CheckedClient(HostRounds, Client):
    """A `Client` of mcp 2 that answers wrong arguments itself."""

    async def __aenter__(self) -> Self:
        """Enter the client."""
        raise NotImplementedError

    async def call_tool(
        self,
        name: str,
        arguments: Arguments = None,
        read_timeout_seconds: Any = None,
        progress_callback: Any = None,
        *,
        meta: Any = None,
        **options: Any,
    ) -> CallToolResult:
        """Check a call, and make it where its arguments are right."""
        raise NotImplementedError
