"""The tools that a server lists: asked for once and then as they change, and never in the way of a right call."""

# pyright: reportMissingImports=false
from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from toolgen_runtime.adapters._checks import Checks, names_of, verdict
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.registry import Registry

with framework("mcp"):
    from anyio import Lock, move_on_after

LIST_SECONDS = 5.0
"""Seconds that a list may take; calls go on without it then."""
RETRY_SECONDS = 30.0
"""Seconds after which a list that failed is asked for again."""


class ToolList:
    """Checks calls against a list that others keep; a tool that is listed and cannot be compiled is not checked.

    A call that is right by the list so far is not held up. Before a call is refused, the list is asked for anew,
    unless its changes are announced and there was none.
    """

    def __init__(self, ask: Callable[[], Awaitable[Any]], checks: Checks) -> None:
        """`ask` returns the tools that there are now, as the framework lists them."""
        self._ask = ask
        self._checks = checks
        self._listed: Any = None
        self._names: set[str] = set()
        self._registry: Registry | None = None
        """The tools that were listed last; None before."""
        self._is_current = False
        self._retry_at = 0.0
        self._lock: Lock | None = None
        self.announced = False
        """Whether `changed` is called when the tools change."""

    def changed(self) -> None:
        """Note that the tools are other ones now."""
        self._is_current = False

    async def check(
        self, conversation: Conversation, name: str, arguments: Any, seconds: float | None = None
    ) -> ToolOutput | None:
        """Return the verdict on a call, counted if it is refused; None if there is nothing to check it with.

        Args:
            conversation: whose call it is.
            name, arguments: the call.
            seconds: how long the list may take, if the caller has less time than `LIST_SECONDS`.
        """
        if self._registry is None or not (self._is_current or self._is_right(name, arguments)):
            await self._refresh(min(LIST_SECONDS, seconds or LIST_SECONDS))
        registry = self._registry
        if registry is None or (name not in registry and name in self._names):
            return None
        if conversation.registry is not registry:
            conversation.update(registry)
        return verdict(conversation, name, arguments)

    def _is_right(self, name: str, arguments: Any) -> bool:
        """Return whether a call is right by the list so far."""
        tool = None if self._registry is None else self._registry.find(name)
        if tool is None:
            return False
        is_text = isinstance(arguments, (str, bytes)) and arguments
        return not (tool.validate_json(arguments) if is_text else tool.validate(arguments or {}))

    async def _refresh(self, seconds: float) -> None:
        if time.monotonic() < self._retry_at:
            return
        self._lock = self._lock or Lock()
        was = self._listed
        with move_on_after(seconds):
            async with self._lock:
                if self._is_current or self._listed is not was:
                    return  # another call has asked meanwhile
                try:
                    self._is_current = True  # a change while it is asked for makes it stale again
                    self._take(await self._ask())
                    self._is_current &= self.announced
                    return
                except Exception:  # the call itself will say what is wrong with the server
                    pass
        self._is_current = False
        self._retry_at = time.monotonic() + RETRY_SECONDS

    def _take(self, listed: Any) -> None:
        if self._registry is None or listed != self._listed:
            self._registry = self._checks.compiled(listed)
            self._names = names_of(listed)
        self._listed = listed
