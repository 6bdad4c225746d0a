"""The proxy's rule: `ToolList` checks calls, `CallFilter` decides on the messages of one client."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from toolgen.compile import compile_tools
from toolgen.servers.messages import INVALID_PARAMS, Json, Message, failure, written
from toolgen_runtime import Registry, Tool, ToolOutput
from toolgen_runtime.adapters._checks import Recent, facts

LIST_SECONDS: Final = 10.0
"""Seconds for a list that the proxy requests; afterwards calls are checked with the tools known before."""
MAX_AGE: Final = 60.0
"""Seconds after which the list is read again before a call is refused, if the server gives no `ttlMs`."""
_PARTS: Final = ("name", "description", "inputSchema")
_MAX_REASON: Final = 300

Ask = Callable[[str | None], Awaitable[Json | None]]
"""Asks the server for the page of the list at a cursor; None if the server does not give it."""


class ToolList:
    """The tools that a server lists; each is compiled at its first call.

    Tools that cannot be compiled, or that are listed twice, are not checked.
    """

    def __init__(self, log: Callable[[str], None], *, formats: Any = "assert", **options: Any) -> None:
        """`options` are those of `toolgen_runtime.Registry`."""
        self._log, self._formats = log, formats
        self._registry = Registry(**options)
        self._specs: dict[str, Json] = {}
        self._tools: dict[str, Tool[Any] | None] = {}
        self._is_known = False
        self._due = 0.0
        self.changes = 0
        self.reading = asyncio.Lock()

    def input_schema(self, name: object) -> Any:
        """Return the input schema of a tool; None if it is not listed."""
        return self._specs.get(str(name), {}).get("inputSchema")

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
        if not isinstance(lives, (int, float)) or isinstance(lives, bool):
            lives = MAX_AGE * 1000
        self._is_known, self._due = True, time.monotonic() + max(0.0, lives / 1000)
        lists = [page.get("tools") for page in pages]
        tools = [tool for each in lists if isinstance(each, list) for tool in each if isinstance(tool, dict)]
        times = Counter(str(tool.get("name")) for tool in tools)
        specs = {
            name: {part: tool[part] for part in _PARTS if part in tool}
            for tool in tools
            if isinstance(name := tool.get("name"), str) and times[name] == 1
        }
        self._tools = {
            name: tool for name, tool in self._tools.items() if specs.get(name) == self._specs[name]
        }
        self._specs = specs
        self._publish()

    async def read(self, ask: Ask) -> None:
        """Request the list; if that fails, keep the tools and wait `MAX_AGE` before the next attempt."""
        pages = None
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                pages = await self._pages(ask)
        if pages:
            self.take(pages)
        else:
            self._due = time.monotonic() + MAX_AGE

    async def _pages(self, ask: Ask) -> list[Json] | None:
        """Return all pages, from the first again if the list changes meanwhile; None if one is missing."""
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
                return None
            else:
                pages.append(page)
                following = page.get("nextCursor")
                cursor = following if isinstance(following, str) and following else None
        return pages

    def check(self, params: Json) -> ToolOutput | None:
        """Return the verdict on a call; None if its tool is not checked."""
        name, arguments = params["name"], params.get("arguments")
        if name in self._specs and name not in self._tools:
            self._tools[name] = self._compiled(name)
            self._publish()
        if self._tools.get(name) is None:
            return None
        if isinstance(arguments, str) and not self._registry.policy.repair:
            arguments = json.dumps(arguments)  # so that a text counts as a text
        return self._registry.check(name, arguments)

    def _compiled(self, name: str) -> Tool[Any] | None:
        try:
            return compile_tools([self._specs[name]], formats=self._formats)[name]
        except Exception as error:  # a server may list any schema; the calls pass without a check
            self._log(f"tool {name[:64]!r} is not checked: {' '.join(str(error).split())[:_MAX_REASON]}")
            return None

    def _publish(self) -> None:
        tools = {name: tool for name, tool in self._tools.items() if tool is not None}
        self._registry = self._registry.with_tools(tools)


class CallFilter:
    """The requests of one client. Ids belong to a client, so two clients need two filters."""

    def __init__(self, tools: ToolList) -> None:
        self.tools = tools
        self._asked: Recent[str, int | str] = Recent()
        """By id: of a request for the list, the changes before it; of a call, the text to add to its result."""

    def note(self, message: Message) -> None:
        """Take notice of the client's own request for the list, and of cancellations."""
        if message.method == "tools/list" and message.asks and "cursor" not in message.params:
            self._asked[message.asks] = self.tools.changes
        elif message.cancels:
            self._asked.pop(message.cancels, None)

    async def decide(self, call: Message, ask: Ask) -> Message | bytes:
        """Return the call to send on, or the answer in place of it; read the list first if that is necessary."""
        async with self.tools.reading:
            output = self.tools.check(call.params)
            if self.tools.must_be_read(output):
                await self.tools.read(ask)
                output = self.tools.check(call.params)
        if output is None:
            return call
        if not output.ok:
            return _refusal(call, output)
        if output.notes:
            self._asked[call.asks] = "\n".join(output.notes)
        if output.repairs or isinstance(call.params.get("arguments"), str):
            return call.changed({**call.value, "params": {**call.params, "arguments": output.payload}})
        return call

    def passed(self, message: Message) -> Message:
        """Return a server's message as the client gets it, after taking the list or adding a note."""
        if message.method == "notifications/tools/list_changed":
            self.tools.changed()
        asked, result = self._asked.pop(message.answers, None), message.result
        if asked is None or result is None:
            return message
        content = result.get("content")
        if isinstance(asked, str) and isinstance(content, list):
            noted = {**result, "content": [*content, {"type": "text", "text": asked}]}
            return message.changed({**message.value, "result": noted})
        if asked == self.tools.changes and not result.get("nextCursor"):
            self.tools.take([result])
        return message


def _refusal(call: Message, output: ToolOutput) -> bytes:
    """Return the answer to a call that is not made: a result with `isError`, or an error if a task was asked for."""
    hint, text = output.retry_hint, output.text()
    edits = [] if hint is None else [edit.to_dict() for edit in hint.edits]
    described = {"toolgen": {**facts(output), "edits": edits}}
    if "task" in call.params:
        return failure(call.value["id"], text, INVALID_PARAMS, data=described)
    result = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": described}
    complete = {"resultType": "complete"} if call.protocol else {}
    return written({"jsonrpc": "2.0", "id": call.value["id"], "result": {**result, **complete}})
