"""The proxy's checks: `ToolList` checks calls, and keeps the tools that a server lists."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from toolgen.commands.servers.messages import INVALID_PARAMS, Json, Message, answer
from toolgen.package.compile import compile_tools
from toolgen_runtime import Registry, ToolOutput

LIST_SECONDS: Final = 10.0
"""The seconds to wait for a list that the proxy requests; afterwards calls are checked with the previous tools."""
MAX_AGE: Final = 60.0
"""The seconds after which the list is read again before a call is refused, if the server sends no `ttlMs`."""

Ask = Callable[[str | None], Awaitable[Json | None]]
"""Requests the page of the list at a cursor; None if the server does not send it."""


class ToolList:
    """The tools that a server lists. Those that cannot be compiled, or that are listed twice, are not checked."""

    def __init__(self, log: Callable[[str], None], *, formats: Any = "assert", **options: Any) -> None:
        """Create an empty list; `options` are those of `toolgen_runtime.Registry`. `log` may get a text repeatedly."""
        self._log, self._formats = log, formats
        self._registry = Registry(**options)
        self._is_known, self._due = False, 0.0
        self._reading = asyncio.Lock()

    async def decide(self, message: Message, ask: Ask) -> tuple[Message, str]:
        """Return the call to forward, or the answer in place of it, and a text to add to the server's answer.

        The list is read first if necessary. Cancellations wait meanwhile, so that none overtakes its call.
        """
        async with self._reading:
            output = self.check(message.params) if message.is_call else None
            needs_list = message.is_call and (not self._is_known or (output is not None and not output.ok))
            if needs_list and time.monotonic() > self._due:  # a refusal needs a recent list
                await self.read(ask)
                output = self.check(message.params)
        if output is None:
            return message, ""
        if not output.ok:
            return _refusal(message, output), ""
        if output.repairs or isinstance(message.params.get("arguments"), str):
            message = message.changed(params={**message.params, "arguments": output.payload})
        return message, "\n".join(output.notes)

    def check(self, params: Json) -> ToolOutput | None:
        """Return the result of checking a call; None if its tool is not checked."""
        name, arguments = params["name"], params.get("arguments")
        if name not in self._registry:
            return None
        if isinstance(arguments, str) and not self._registry.policy.repair:
            arguments = json.dumps(arguments)  # so that a text is checked as a string
        return self._registry.check(name, arguments)

    def passed(self, message: Message, note: str = "") -> Message:
        """Return the message for the client: a server's message, with a note if it answers a call that has one."""
        if message.method == "notifications/tools/list_changed":
            self._is_known, self._due = False, 0.0
        content = message.result.get("content") if note and message.result else None
        if not isinstance(content, list):
            return message
        return message.changed(result={**message.value["result"], "content": [*content, _text(note)]})

    async def read(self, ask: Ask) -> None:
        """Request all pages, from the first again if the list changes meanwhile.

        If a page is missing, keep the tools and wait `MAX_AGE` before the next attempt.
        """
        self._due = 0.0
        pages: list[Json] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                while not self._due or cursor not in seen:
                    if not self._due:
                        self._due = time.monotonic() + MAX_AGE
                        pages, cursor, seen = [], None, set()
                    seen.add(cursor)
                    page = await ask(cursor)
                    if page is None:
                        return
                    pages.append(page)
                    cursor = str(page["nextCursor"]) if page.get("nextCursor") else None
                self.take(pages)

    def take(self, pages: Sequence[Json]) -> None:
        """Replace the tools with those of a complete list."""
        lives = pages[-1].get("ttlMs")
        age = min(lives, 1e12) / 1000 if isinstance(lives, (int, float)) else MAX_AGE
        self._is_known, self._due = True, time.monotonic() + age
        tools = [
            {part: tool[part] for part in ("name", "description", "inputSchema") if part in tool}
            for page in pages
            for tool in (page["tools"] if isinstance(page.get("tools"), list) else ())
            if isinstance(tool, dict) and isinstance(tool.get("name"), str)
        ]
        compiled = compile_tools(tools, formats=self._formats, keep_going=True)
        self._registry = self._registry.with_tools(compiled)
        for one in compiled.diagnostics:
            if one.level == "error" and one.tool:
                self._log(f"tool {one.tool[:64]!r} is not checked: {one.message}")


def _refusal(call: Message, output: ToolOutput) -> Message:
    """Return the answer to a refused call: a result with `isError`, or an error if the call asks for a task."""
    request_id, hint, text = call.value["id"], output.retry_hint, output.text()
    edits = [edit.to_dict() for edit in hint.edits] if hint else []
    described = {"toolgen": {**output.facts(), "edits": edits}}
    if "task" in call.params:
        return answer(request_id, error={"code": INVALID_PARAMS, "message": text, "data": described})
    complete = {"resultType": "complete"} if call.protocol else {}
    result = {"content": [_text(text)], "isError": True, "_meta": described, **complete}
    return answer(request_id, result=result)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
