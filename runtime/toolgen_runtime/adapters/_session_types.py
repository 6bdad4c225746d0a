"""What `checked` returns, for type checkers alone: the session's own class, whose `call_tool` takes texts too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, overload

from mcp import Client, ClientSession
from mcp.types import CallToolResult

from toolgen_runtime.adapters._checks import HostRounds

Arguments = Mapping[str, Any] | str | bytes | None
"""An object; or the text that a model wrote, JSON or not."""


class _Checked(HostRounds):
    async def __aenter__(self) -> Self:
        """Enter the session."""
        raise NotImplementedError

    @overload
    async def call_tool(
        self,
        name: str,
        arguments: Arguments = None,
        *args: Any,
        allow_input_required: Literal[False] = False,
        allow_claimed: Literal[False] = False,
        **options: Any,
    ) -> CallToolResult: ...
    @overload
    async def call_tool(self, name: str, arguments: Arguments = None, *args: Any, **options: Any) -> Any: ...
    async def call_tool(self, name: str, arguments: Arguments = None, *args: Any, **options: Any) -> Any:
        """Check a call, and make it where its arguments are right."""


class CheckedSession(_Checked, ClientSession):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A `ClientSession` that answers wrong arguments itself."""


class CheckedClient(_Checked, Client):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A `Client` of mcp 2 that answers wrong arguments itself."""
