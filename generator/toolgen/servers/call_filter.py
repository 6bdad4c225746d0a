"""The proxy's rule: `ToolList` checks calls, `CallFilter` decides on the messages of one client."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from toolgen.compile import compile_tools
from toolgen.servers.messages import INVALID_PARAMS, Json, Message, answer
from toolgen_runtime import Registry, ToolOutput
from toolgen_runtime.calls.kept import Recent

LIST_SECONDS: Final = 10.0
"""Seconds for a list that the proxy requests; afterwards calls are checked with the tools known before."""
MAX_AGE: Final = 60.0
"""Seconds after which the list is read again before a call is refused, if the server gives no `ttlMs`."""
_PARTS: Final = ("name", "description", "inputSchema")

Ask = Callable[[str | None], Awaitable[Json | None]]
"""Asks the server for the page of the list at a cursor; None if the server does not give it."""


class ToolList:
    """The tools that a server lists. Those that cannot be compiled, or that are listed twice, are not checked."""

    def __init__(self, log: Callable[[str], None], *, formats: Any = "assert", **options: Any) -> None:
        """`options` are those of `toolgen_runtime.Registry`."""
        self._log, self._formats = log, formats
        self._registry = Registry(**options)
        self._logged: set[str] = set()
        self._is_known = False
        self._due = 0.0
        self.schemas: dict[Any, Any] = {}
        """The input schemas by name."""
        self.changes = 0
        self.reading = asyncio.Lock()

    def must_be_read(self, output: ToolOutput | None) -> bool:
        """Return whether the list must be read before a call gets this verdict; a refusal needs a recent list."""
        is_refused = output is not None and not output.ok
        return (is_refused or not self._is_known) and time.monotonic() > self._due

    def changed(self) -> None:
        """Regard the list as unknown, as after `list_changed`."""
        self._is_known, self._due = False, 0.0
        self.changes += 1

    def take(self, pages: Sequence[Json]) -> None:
        """Replace the tools by those of a whole list."""
        lives = pages[-1].get("ttlMs")
        age = min(lives, 1e12) / 1000 if isinstance(lives, (int, float)) else MAX_AGE
        self._is_known, self._due = True, time.monotonic() + age
        lists = [page["tools"] for page in pages if isinstance(page.get("tools"), list)]
        tools = [
            {part: tool[part] for part in _PARTS if part in tool}
            for listed in lists
            for tool in listed
            if isinstance(tool, dict) and isinstance(tool.get("name"), str)
        ]
        self.schemas = {tool["name"]: tool.get("inputSchema") for tool in tools}
        compiled = compile_tools(tools, formats=self._formats, keep_going=True)
        self._registry = self._registry.with_tools(compiled)
        refused = {
            f"tool {one.tool[:64]!r} is not checked: {one.message}"
            for one in compiled.diagnostics
            if one.level == "error" and one.tool
        }
        for text in sorted(refused - self._logged):
            self._log(text)
        self._logged = refused

    async def read(self, ask: Ask) -> None:
        """Request the list; if that fails, keep the tools and wait `MAX_AGE` before the next attempt."""
        self._due = time.monotonic() + MAX_AGE
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                if pages := await self._pages(ask):
                    self.take(pages)

    async def _pages(self, ask: Ask) -> list[Json]:
        """Return all pages, from the first again if the list changes meanwhile; none if one is missing."""
        pages: list[Json] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen:
            seen.add(cursor)
            changes = self.changes
            page = await ask(cursor)
            if changes != self.changes:
                pages, cursor, seen = [], None, set()
            elif page is None:
                return []
            else:
                pages.append(page)
                following = page.get("nextCursor")
                cursor = following if isinstance(following, str) and following else None
        return pages

    def check(self, params: Json) -> ToolOutput | None:
        """Return the verdict on a call; None if its tool is not checked."""
        name, arguments = params["name"], params.get("arguments")
        if name not in self._registry:
            return None
        if isinstance(arguments, str) and not self._registry.policy.repair:
            arguments = json.dumps(arguments)  # so that a text counts as a text
        return self._registry.check(name, arguments)


class CallFilter:
    """The requests of one client. Ids belong to a client, so two clients need two filters."""

    def __init__(self, tools: ToolList) -> None:
        self.tools = tools
        self._asked: Recent[str, int | str] = Recent()
        """By id: of a request for the list, the changes before it; of a call, the text to add to its result."""

    def note(self, message: Message) -> None:
        """Take notice of the client's own request for the list."""
        if message.method == "tools/list" and message.asks and "cursor" not in message.params:
            self._asked[message.asks] = self.tools.changes

    async def decide(self, message: Message, ask: Ask) -> Message:
        """Return the call to send on, or the answer in place of it, or a cancellation; read the list if necessary."""
        async with self.tools.reading:  # a cancellation must not overtake its call
            self._asked.pop(message.cancels, None)
            output = self.tools.check(message.params) if message.is_call else None
            if message.is_call and self.tools.must_be_read(output):
                await self.tools.read(ask)
                output = self.tools.check(message.params)
        if output is None:
            return message
        if not output.ok:
            return _refusal(message, output)
        if output.notes:
            self._asked[message.asks] = "\n".join(output.notes)
        if output.repairs or isinstance(message.params.get("arguments"), str):
            return message.changed(params={**message.params, "arguments": output.payload})
        return message

    def passed(self, message: Message) -> Message:
        """Return a server's message as the client gets it, after taking the list or adding a note."""
        if message.method == "notifications/tools/list_changed":
            self.tools.changed()
        asked, result = self._asked.pop(message.answers, None), message.result
        if asked is None or result is None:
            return message
        content = result.get("content")
        if isinstance(asked, str) and isinstance(content, list):
            return message.changed(result={**result, "content": [*content, {"type": "text", "text": asked}]})
        if asked == self.tools.changes and not result.get("nextCursor"):
            self.tools.take([result])
        return message


def _refusal(call: Message, output: ToolOutput) -> Message:
    """Return the answer to a call that is not made: a result with `isError`, or an error if a task was asked for."""
    request_id, hint, text = call.value["id"], output.retry_hint, output.text()
    described = {
        "toolgen": {**output.facts(), "edits": [edit.to_dict() for edit in hint.edits] if hint else []}
    }
    if "task" in call.params:
        return answer(request_id, error={"code": INVALID_PARAMS, "message": text, "data": described})
    result = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": described}
    complete = {"resultType": "complete"} if call.protocol else {}
    return answer(request_id, result={**result, **complete})
