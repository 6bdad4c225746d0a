"""`CallFilter`: what becomes of a client's calls and their answers; `ToolList`: the tools that a server lists."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from toolgen.servers.call_checks import CallChecks, described
from toolgen.servers.messages import (
    CANCELLED,
    INVALID_PARAMS,
    LIST_CHANGED,
    PROTOCOL,
    Message,
    Received,
    answer,
    is_call,
    is_request,
    is_response,
    key_of,
    params_of,
    result_of,
    written,
)
from toolgen_runtime import ToolOutput

LIST_SECONDS: Final = 10.0
"""Seconds for a list that the proxy asks for; then calls are checked by what is known, or not at all."""
MAX_PAGES: Final = 1_000
"""Pages of a list after which a server is taken to repeat itself."""
MAX_AGE: Final = 60.0
"""Seconds after which a list is read again before a call is refused, if the server does not say (`ttlMs`)."""
MOST_RUNNING: Final = 1_000
"""Requests whose answers are waited for; a server that never answers must not cost more."""
MAX_RUNNING: Final = 65_536
"""Bytes of a call whose answer is waited for; that of a larger one passes uncounted."""

Ask = Callable[[str | None], Awaitable[Mapping[str, Any] | None]]
"""Asks the server for the page of the list at a cursor; None if it does not give it."""
Value = TypeVar("Value")


class ToolList:
    """The tools that a server lists, and when the list must be read again."""

    def __init__(self, checks: CallChecks) -> None:
        self.checks = checks
        self._is_known = False
        self._has_failed = False
        self._changes = 0
        self._expires = 0.0
        self._reading = asyncio.Lock()

    def must_be_read(self, call: Message) -> bool:
        """Return whether the tools must be read before a call is judged, for it or for one before."""
        return self._reading.locked() or self._is_needed_for(call)

    def _is_needed_for(self, call: Message) -> bool:
        if not self._is_known:
            return True
        is_old = time.monotonic() > self._expires  # a refusal needs to be certain
        return is_old and (self._has_failed or not self.checks.accepts(params_of(call)))

    def changed(self) -> None:
        """Count the list as unknown, as after `list_changed`."""
        self._is_known = self._has_failed = False
        self._changes += 1

    def take(self, pages: Sequence[Mapping[str, Any]]) -> None:
        """Learn the tools of a whole list."""
        lives = pages[-1].get("ttlMs")
        if not isinstance(lives, (int, float)) or isinstance(lives, bool):
            lives = MAX_AGE * 1000
        self._expires = time.monotonic() + max(0.0, lives / 1000)
        self._is_known, self._has_failed = True, False
        lists = [page.get("tools") for page in pages]
        self.checks.learn(
            [tool for each in lists if isinstance(each, list) for tool in each if isinstance(tool, dict)]
        )

    async def read(self, call: Message, ask: Ask) -> None:
        """Ask for the list if a call needs it; after a failure keep what is known."""
        async with self._reading:
            if not self._is_needed_for(call):
                return
            pages = None
            with suppress(TimeoutError):
                async with asyncio.timeout(LIST_SECONDS):
                    pages = await self._pages(ask)
            if pages is not None:
                self.take(pages)
                return
            self._has_failed, self._is_known = not self._is_known, True
            self._expires = time.monotonic() + MAX_AGE

    async def _pages(self, ask: Ask) -> list[Mapping[str, Any]] | None:
        """Return all pages, from the first again if the list changes meanwhile; None if one is not given."""
        pages: list[Mapping[str, Any]] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(pages) < MAX_PAGES:
            seen.add(cursor)
            changes = self._changes
            page = await ask(cursor)
            if changes != self._changes:
                pages, cursor, seen = [], None, set()
            elif page is None:
                return None
            else:
                pages.append(page)
                following = page.get("nextCursor")
                cursor = following if isinstance(following, str) and following else None
        return pages


class CallFilter:
    """The requests of one client that are under way: ids are the client's, so two clients need two of these."""

    def __init__(self, tools: ToolList) -> None:
        self.tools = tools
        self._lists: OrderedDict[str, None] = OrderedDict()
        """Requests of the client for the list."""
        self._running: OrderedDict[str, ToolOutput] = OrderedDict()
        """Calls that were let through, by request."""
        self._waiting: Counter[str] = Counter()
        """Calls that are not judged yet."""
        self._cancelled: set[str] = set()
        """Those of them that were cancelled."""

    def take_note(self, message: Message) -> None:
        """Take what the client asks for and cancels, when it comes."""
        if is_call(message):
            self._waiting[key_of(message["id"])] += 1
        elif message.get("method") == "tools/list" and is_request(message):
            if "cursor" not in params_of(message):
                _remember(self._lists, key_of(message["id"]), None)
        elif message.get("method") == CANCELLED:
            key = key_of(params_of(message).get("requestId"))
            self._running.pop(key, None)
            if key in self._waiting:
                self._cancelled.add(key)

    async def is_wanted(self, call: Message, ask: Ask) -> bool:
        """Return whether a call is to be judged, once the tools are read that it needs; False if it was cancelled."""
        key = key_of(call["id"])
        try:
            if self.tools.must_be_read(call):
                await self.tools.read(call, ask)
            return key not in self._cancelled
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
                self._cancelled.discard(key)

    def decide(self, received: Received) -> Received | bytes:
        """Return what goes on of a call, repaired if that is asked for; the answer to it if nothing does."""
        call = received.message
        output = self.tools.checks.check(params_of(call))
        if output is None:
            return received
        if not output.ok:
            return written(_refusal(call, output))
        if len(received.data) <= MAX_RUNNING:
            _remember(self._running, key_of(call["id"]), output)
        if output.repairs or isinstance(params_of(call).get("arguments"), str):
            return received.changed({**call, "params": {**params_of(call), "arguments": output.payload}})
        return received

    def passed(self, received: Received) -> bytes:
        """Return what goes on of a server's message, once a list or a result is taken."""
        message = received.message
        if message.get("method") == LIST_CHANGED:
            self._lists.clear()  # answers to earlier requests may be of before the change
            self.tools.changed()
        elif is_response(message) and (noted := self._answered(message)) is not None:
            return received.changed(noted).data
        return received.data

    def _answered(self, message: Message) -> Message | None:
        """Take an answer; return it with what the model is to know besides, if there is anything."""
        key, result = key_of(message["id"]), result_of(message)
        if key in self._lists:
            del self._lists[key]
            if result is not None and not result.get("nextCursor"):
                self.tools.take([result])
            return None
        output = self._running.pop(key, None)
        if output is None or result is None:
            return None
        note, content = self.tools.checks.returned(output, result), result.get("content")
        if not note or not isinstance(content, list):
            return None
        return {**message, "result": {**result, "content": [*content, {"type": "text", "text": note}]}}


def _remember(requests: OrderedDict[str, Value], key: str, value: Value) -> None:
    requests[key] = value
    if len(requests) > MOST_RUNNING:
        requests.popitem(last=False)


def _refusal(message: Message, output: ToolOutput) -> Message:
    """Return the answer to a call that is not made.

    A result with `isError` (MCP 2025-11-25, server/tools, "Error Handling"); to a call that asked for a task, whose
    result would be one, an error.
    """
    params, text, facts = params_of(message), output.text(), {"toolgen": described(output)}
    if "task" in params:
        return answer(message["id"], error={"code": INVALID_PARAMS, "message": text, "data": facts})
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": facts}
    meta = params.get("_meta")
    if isinstance(meta, dict) and f"{PROTOCOL}protocolVersion" in meta:
        result["resultType"] = "complete"
    return answer(message["id"], result=result)
