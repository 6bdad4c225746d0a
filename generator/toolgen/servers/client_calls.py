"""`ClientCalls`: the requests of one client that are under way, and what becomes of its calls and their answers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolgen.servers.call_checks import CallChecks, described
from toolgen.servers.messages import (
    CANCELLED,
    INVALID_PARAMS,
    LIST_CHANGED,
    PROTOCOL,
    Message,
    Received,
    answer,
    is_request,
    is_response,
    key_of,
    params_of,
    result_of,
    written,
)
from toolgen.servers.tool_list import Ask, ToolList
from toolgen_runtime import ToolOutput

MOST_RUNNING: Final = 1_000
"""Requests whose answers are waited for; a server that never answers must not cost more."""
MAX_RUNNING: Final = 65_536
"""Bytes of a call whose answer is waited for; that of a larger one passes uncounted."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What goes on of a call; if nothing does, the answer to it."""

    goes_on: Received | None
    answer: bytes = b""


class ClientCalls:
    """Ids of requests are the client's: two clients need two of these."""

    def __init__(self, checks: CallChecks, tools: ToolList) -> None:
        self._checks, self._tools = checks, tools
        self._lists: OrderedDict[str, str | None] = OrderedDict()
        """Cursors of the lists that the client asked for, by request."""
        self._running: OrderedDict[str, ToolOutput] = OrderedDict()
        """Calls that were let through, by request."""
        self._waiting: dict[str, asyncio.Future[Decision]] = {}
        """Calls that wait for the list of tools, by request."""

    def must_wait(self, call: Message) -> bool:
        """Return whether a call must wait until the tools are read, for it or for one before."""
        return self._tools.reading.locked() or self._needs_list(call)

    async def judged(
        self, received: Received, ask: Ask, agrees: Callable[[], bool] = lambda: True
    ) -> Decision | None:
        """Return what becomes of a call, once the tools are read; None if it was cancelled meanwhile.

        `agrees` is asked then; a call of which it is not true goes on as it is.
        """
        if not self.must_wait(received.message):
            return self.decide(received) if agrees() else Decision(received)
        key = key_of(received.message["id"])
        task = self._waiting[key] = asyncio.ensure_future(self._after_list(received, ask, agrees))
        try:
            await asyncio.wait({task})
            return None if task.cancelled() else task.result()
        finally:
            task.cancel()
            self._waiting.pop(key, None)

    async def _after_list(self, received: Received, ask: Ask, agrees: Callable[[], bool]) -> Decision:
        async with self._tools.reading:
            if self._needs_list(received.message):
                await self._tools.read(ask)
            return self.decide(received) if agrees() else Decision(received)

    def _needs_list(self, call: Message) -> bool:
        """Return whether the tools must be read before a call is judged: a refusal needs to be certain."""
        if not self._tools.is_known:
            return True
        return self._tools.is_old and (self._tools.failed or not self._checks.accepts(params_of(call)))

    def take_note(self, message: Message) -> None:
        """Take what the client asks for and cancels."""
        if message.get("method") == "tools/list" and is_request(message):
            cursor = params_of(message).get("cursor")
            self._lists[key_of(message["id"])] = cursor if isinstance(cursor, str) else None
            _limit(self._lists)
        elif message.get("method") == CANCELLED:
            key = key_of(params_of(message).get("requestId"))
            self._running.pop(key, None)
            if (waiting := self._waiting.get(key)) is not None:
                waiting.cancel()

    def decide(self, received: Received) -> Decision:
        """Let a call go on if it is right, repaired if that is asked for; answer it if not."""
        call = received.message
        output = self._checks.check(params_of(call))
        if output is None:
            return Decision(received)
        if not output.ok:
            return Decision(None, written(_refusal(call, output)))
        if len(received.data) <= MAX_RUNNING:
            self._running[key_of(call["id"])] = output
            _limit(self._running)
        if output.repairs or isinstance(params_of(call).get("arguments"), str):
            return Decision(
                received.changed({**call, "params": {**params_of(call), "arguments": output.payload}})
            )
        return Decision(received)

    def passed(self, received: Received) -> bytes:
        """Return what goes on of a server's message, once a list or a result is taken."""
        message = received.message
        if message.get("method") == LIST_CHANGED:
            self._lists.clear()  # answers to earlier requests may be of before the change
            self._tools.changed()
        elif is_response(message) and (noted := self._answered(message)) is not None:
            return received.changed(noted).data
        return received.data

    def _answered(self, message: Message) -> Message | None:
        """Take an answer; return it with what the model is to know besides, if there is anything."""
        key, result = key_of(message["id"]), result_of(message)
        if key in self._lists:
            cursor = self._lists.pop(key)
            if result is not None:
                self._tools.add(cursor, result)
            return None
        output = self._running.pop(key, None)
        if output is None or result is None:
            return None
        note, content = self._checks.returned(output, result), result.get("content")
        if not note or not isinstance(content, list):
            return None
        return {**message, "result": {**result, "content": [*content, {"type": "text", "text": note}]}}


def _limit(requests: OrderedDict[str, Any]) -> None:
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
