"""Check calls against the tools that a server lists."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Unpack

from toolgen.commands.proxy.asking import Asking
from toolgen.commands.servers.large_messages import MAX_HELD, MAX_MESSAGE_VALUES, weight_of_value
from toolgen.commands.servers.messages import (
    INVALID_PARAMS,
    Json,
    Message,
    object_of,
    tools_on,
)
from toolgen.commands.servers.param_headers import Path, headers_of_tools, param_headers
from toolgen.commands.servers.threads import in_worker
from toolgen.package.compile import CompiledToolset, compile_tools
from toolgen_runtime import CallRule, Conversation, Tool, ToolOutput
from toolgen_runtime.calls.options import CallOptions
from toolgen_runtime.calls.policy import Policy
from toolgen_runtime.calls.recent import Recent
from toolgen_runtime.calls.rules import objection

if TYPE_CHECKING:
    from toolgen.commands.proxy.tracing import Traced, Tracing

FORGET_AFTER: Final = 900.0
"""The number of seconds without a call after which the next call probably belongs to another user message."""
LIST_SECONDS: Final = 10.0
"""The number of seconds to wait for a requested list; after that, calls are checked with the previous tools."""
MAX_AGE: Final = 60.0
"""The age, in seconds, at which a list is read again before it rejects a call, if the server sends no `ttlMs`."""
MAX_TOOL: Final = 12_000_000
"""The maximum weight of a tool's definition: about 1 MB of JSON, which takes ten seconds to compile."""
MOST_TTL: Final = 10**12
"""The longest `ttlMs` that is respected, in milliseconds."""
ROUND_SECONDS: Final = 1.0
"""The pause, in seconds, after which a call probably comes from another model response."""
_READ: Final = ("name", "description", "inputSchema", "outputSchema")
"""The parts of a listed tool that the proxy reads."""

Ask = Callable[[str | None], Awaitable[Json | None]]
"""A function that requests the page of the list at a cursor; None means that the server does not send it."""


class Failures:
    """Counts for each tool how many calls have failed since its last valid call.

    A proxy does not see model responses. Calls that follow each other without a pause probably come from one response,
    and count as one failure of their tool.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._round, self._used = 0, -FORGET_AFTER
        self._counts: Recent[str, tuple[int, int]] = Recent()
        """The failures of each tool, and the round of the last one."""

    def counted(self, output: ToolOutput) -> ToolOutput:
        """Count a rejected call, and return its output.

        If too many calls have failed, the output has a hint that says to give up.
        """
        pause, self._used = time.monotonic() - self._used, time.monotonic()
        self._round += pause > ROUND_SECONDS
        if pause > FORGET_AFTER:
            self._counts.clear()
        count, last = self._counts.get(output.tool, (0, -1))
        count += last != self._round
        self._counts[output.tool] = count, self._round
        if output.retry_hint is None or count < self._most:
            return output
        hint = output.retry_hint._replace(failures=count).limited(self._most)
        return replace(output, retry_hint=hint, recovery=hint.recovery)

    def forget(self, tool: str) -> None:
        """Forget the failures of a tool after a valid call."""
        self._counts.pop(tool, None)


class ToolList:
    """The tools that a server lists, with the checks of their calls.

    Tools that cannot be compiled, and tools that are listed twice, are not checked.
    """

    def __init__(
        self,
        log: Callable[[str], None],
        *,
        formats: Any = "assert",
        rules: Sequence[CallRule] = (),
        tracing: Tracing | None = None,
        log_call: Callable[[ToolOutput], object] = lambda _: None,
        **options: Unpack[CallOptions],
    ) -> None:
        """Create an empty list.

        Args:
            log: a function that gets lines for people; it may get the same line several times.
            formats: whether `format` is enforced.
            rules: repair rules that the user has defined. Rules that do not fit the listed tools are logged and
                ignored.
            tracing: writes a span for each call.
            log_call: a function that gets the output of each call that is rejected or repaired.
            options: the options of a `Conversation`.
        """
        self._tracing, self._log_call = tracing, log_call
        self._log, self._formats, self._rules = log, formats, rules
        self._is_text_read = options.get("repair", False)
        self._conversation = Conversation({}, forget_after=FORGET_AFTER, **options)
        self._conversation.begin_round()  # the client does not say which calls come from one answer of the model
        self.asking = Asking()
        self._failures = Failures(options.get("max_failures", Policy.max_failures))
        self.is_shared = False
        """Whether clients that cannot be told apart use this list, so that failures are not counted."""
        self._is_known, self._due = False, 0.0
        self._headers: dict[str, dict[Path, str]] = {}
        """The headers that tools declare for their parameters."""
        self._reading = asyncio.Lock()
        self._compiled: set[str] = set()
        """The names of the listed tools that were called, so that their checks are compiled."""
        self._deciding: dict[str, asyncio.Event] = {}
        """Set once the call with this key has been decided."""

    async def decide(self, message: Message, ask: Ask) -> tuple[Message, ToolOutput | None]:
        """Decide what to do with a message from the client.

        It is the call to forward, or a response or question instead of it. A forwarded call gets the headers that
        repeat its arguments.
        """
        if self._tracing is not None and message.is_call and not message.is_too_large:
            message = self._tracing.began(message)
        decided, checked = await self._decide(message, ask)
        if decided.answers and message.span is not None:
            message.span.end_with(decided)
        return self.with_headers(decided), checked

    def with_headers(self, message: Message) -> Message:
        """If a message is a call, add the headers that its tool declares. Other messages are returned
        unchanged.
        """
        if message.is_call:
            declared = self._headers.get(message.params["name"], {})
            message.param_headers = param_headers(declared, message.params.get("arguments"))
        return message

    async def renew(self, ask: Ask) -> None:
        """Request the list of tools again, because a response of the server has shown that it is out of date."""
        async with self._reading:
            await self.read(ask)

    async def _decide(self, message: Message, ask: Ask) -> tuple[Message, ToolOutput | None]:
        """Return the call to forward, or a response or question instead of it.

        Also return the output of an accepted check.

        The message is a call, a cancellation, or the client's response to a question. A response to a question about a
        canceled call leads to an empty message.

        If necessary, the list is read first. In the meantime a cancellation waits for its call, so that it cannot
        overtake it.
        """
        if message.is_call and message.is_too_large:
            return message.fail(f"the call has more than {MAX_MESSAGE_VALUES:,} values"), None
        answered = self.asking.taken(message)
        if answered is not None:
            if answered.call is None:
                return Message(b""), None
            output = self._conversation.answered(answered.question, answered.action, answered.content)
            return self._decision(answered.call, output, is_completed=True)
        if message.cancels:
            self.asking.canceled(message.cancels)
            if message.cancels in self._deciding:
                await self._deciding[message.cancels].wait()
        if not message.is_call:
            return message, None
        decided = self._deciding[message.asks] = asyncio.Event()
        try:
            checked = await self._checked(message.params, ask)
        finally:
            decided.set()
            if self._deciding.get(message.asks) is decided:
                del self._deciding[message.asks]
        if checked is None:
            return (message, None)
        return self._decision(message, checked)

    async def _checked(self, params: Json, ask: Ask) -> ToolOutput | None:
        """Do the same as `check` with a recent list, because only a recent list may reject a call."""
        checked = await self._check_in_time(params)
        if self._is_known and (checked is None or checked.ok):
            return checked
        registry = self._conversation.registry
        async with self._reading:  # one call reads the list for all that wait
            if time.monotonic() > self._due:
                await self.read(ask)
        if self._conversation.registry is registry:
            return checked
        return await self._check_in_time(params)

    async def _check_in_time(self, params: Json) -> ToolOutput | None:
        """Do the same as `check`, and serve other clients while a tool is compiled for its first call."""
        name, compiled = params["name"], self._compiled
        if name in compiled or name not in self._conversation.registry:
            return self.check(params)
        checked = await in_worker(self._check_first, params)
        compiled.add(name)
        return checked

    def _check_first(self, params: Json) -> ToolOutput | None:
        registry, name = self._conversation.registry, params["name"]
        if name in registry and name not in registry.result_checks:
            registry.learn_result_check(name)
        return self.check(params)

    def _decision(
        self, message: Message, output: ToolOutput, *, is_completed: bool = False
    ) -> tuple[Message, ToolOutput | None]:
        """Return the call to forward, or a response or question instead of it.

        Also return the output of an accepted check.
        """
        if output.ok:
            self._failures.forget(output.tool)
            if output.repairs:
                self._log_call(output)
            is_text = isinstance(message.params.get("arguments"), str)
            if output.repairs or is_text or is_completed:
                message = message.changed(params={**message.params, "arguments": output.payload})
            return message, output
        if self.asking.can_ask(message) and (question := self._conversation.question(output)) is not None:
            return self.asking.ask(message, question), None
        if not self.is_shared:
            output = self._failures.counted(output)
            self._conversation.returned(output)
        if message.span is not None:
            message.span.end(output)
        self._log_call(output)
        return _refusal(message, output), None

    def check(self, params: Json) -> ToolOutput | None:
        """Check a call. Return None if its tool is not checked."""
        name, arguments = params["name"], params.get("arguments")
        if name not in self._conversation.registry:
            return None
        if isinstance(arguments, str) and not self._is_text_read:
            arguments = json.dumps(arguments)  # so that a text is checked as a string
        return self._conversation.check(name, arguments)

    def passed(
        self, message: Message, checked: ToolOutput | None = None, span: Traced | None = None
    ) -> Message:
        """Return a server's message as the client gets it, with notes about the call that it responds to.

        Args:
            message: the server's message.
            checked: the output of checking the call to which the message responds.
            span: the span of this call.
        """
        if message.method == "notifications/tools/list_changed":
            self._is_known, self._due = False, 0.0
        result = message.result
        if checked is None or result is None:
            if span is not None:
                span.end_with(message)
            return message
        output = self._conversation.returned(checked, result)
        if span is not None:
            span.end(output)
        if output.kind is not None and not result.get("isError"):
            self._log_call(output)
            kept = {key: value for key, value in result.items() if key == "resultType"}
            return message.changed(result={**_error_result(output), **kept})
        changes: Json = {}
        content = result.get("content")
        if output.notes and isinstance(content, list):
            changes["content"] = [*content, _text("\n".join(output.notes))]
        if output.repairs:
            repairs = [{**change, "path": [*change["path"]]} for change in output.repairs]
            changes["_meta"] = {**object_of(result.get("_meta")), "toolgen": {"repairs": repairs}}
        if changes:
            return message.changed(result={**result, **changes})
        return message

    async def read(self, ask: Ask) -> None:
        """Request all pages of the list. If the list changes in the meantime, start over.

        If a page is missing, keep the present tools and wait `MAX_AGE` before trying again.
        """
        self._due = 0.0
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                pages = await self._pages(ask)
            if pages:
                # Reading the schemas of a large list takes seconds: other clients of a URL are served meanwhile.
                compiled = await in_worker(self.compile, pages)
                has_changed = not self._due
                self.take(pages, compiled)
                if has_changed:
                    self._is_known, self._due = False, 0.0

    async def _pages(self, ask: Ask) -> list[Json]:
        """Return all pages. Return none if one is missing or all together are too large."""
        pages: list[Json] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        weight = 0
        while not self._due or cursor not in seen:
            if not self._due:
                self._due = time.monotonic() + MAX_AGE
                pages, cursor, seen, weight = [], None, set(), 0
            seen.add(cursor)
            page = await ask(cursor)
            if page is None:
                return []
            weight += weight_of_value(page)
            if weight > MAX_HELD:
                self._log("the server's list of tools is too large: no call is checked")
                return []
            pages.append(page)
            cursor = str(page["nextCursor"]) if page.get("nextCursor") else None
        return pages

    def take(self, pages: Sequence[Json], compiled: CompiledToolset | None = None) -> None:
        """Replace the tools with those of a complete list."""
        lives = pages[-1].get("ttlMs")
        age = MAX_AGE
        if isinstance(lives, (int, float)):
            age = max(0, min(lives, MOST_TTL)) / 1000  # a number of any size or sign may come
        self._is_known, self._due = True, time.monotonic() + age
        if compiled is None:
            compiled = self.compile(pages)
        self._conversation.update(compiled, rules=self._rules_for(compiled))
        self._compiled = set()
        self._headers = headers_of_tools(pages)

    def compile(self, pages: Sequence[Json]) -> CompiledToolset:
        """Compile the tools of a complete list.

        Tools that cannot be checked are logged and left out.
        """
        usual = []
        for listed in tools_on(pages):
            tool = {part: listed[part] for part in _READ if part in listed}
            if not isinstance(tool.get("name"), str):
                continue
            if weight_of_value(tool) > MAX_TOOL:
                self._log(f"tool {tool['name'][:64]!r} is not checked: its definition is too large")
            else:
                usual.append(tool)
        compiled = compile_tools(usual, formats=self._formats, keep_going=True)
        for one in compiled.diagnostics:
            if one.level == "error" and one.tool:
                self._log(f"tool {one.tool[:64]!r} is not checked: {one.message}")
        return compiled

    def _rules_for(self, tools: Mapping[str, Tool[Any]]) -> list[CallRule]:
        """Return the rules that fit the listed tools."""
        fitting = []
        for rule in self._rules:
            if rule.tool not in tools:
                self._log(f"rules: the server lists no tool {rule.tool[:64]!r}")
            elif why := objection(rule, tools[rule.tool]):
                self._log(f"rules: {rule.tool[:64]}: {why}")
            else:
                fitting.append(rule)
        return fitting


def _error_result(output: ToolOutput) -> Json:
    """Return the result of a rejected call, or of a call whose result breaks the tool's output schema."""
    hint = output.retry_hint
    edits = [edit.to_dict() for edit in hint.edits] if hint else []
    described = {"toolgen": {**output.facts(), "edits": edits}}
    return {"content": [_text(output.text())], "isError": True, "_meta": described}


def _refusal(call: Message, output: ToolOutput) -> Message:
    """Return the response to a rejected call: a result with `isError`, or an error if the call asks for a task."""
    result = _error_result(output)
    if "task" in call.params:
        error = {"code": INVALID_PARAMS, "message": output.text(), "data": result["_meta"]}
        return call.respond(error=error)
    if call.protocol:
        result["resultType"] = "complete"
    return call.respond(result=result)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
