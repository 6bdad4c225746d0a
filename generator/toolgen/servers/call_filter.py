"""`CallFilter`: what the proxy does with the messages between one client and one server.

Two threads use it: `from_client`, `learn` and `expire` belong to one, `from_server` to the other. What they share
are dictionaries, each entry written by the first before its request goes out, and taken by the second with its answer.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolgen.servers.call_checks import CallChecks, described
from toolgen.servers.messages import (
    INVALID_PARAMS,
    Line,
    is_garbage,
    is_response,
    key_of,
    params_of,
    read_line,
    result_of,
    text_of,
)
from toolgen.servers.tool_pages import ToolPages
from toolgen_runtime import ToolOutput

MOST_RUNNING: Final = 10_000
"""Requests whose answers are waited for; a server that never answers must not cost more."""
LIST_TIMEOUT: Final = 10.0
"""Seconds for a list that the proxy asks for; then calls are checked by what is known, or not at all."""
_LIST_CHANGED: Final = "notifications/tools/list_changed"
_CANCELLED: Final = "notifications/cancelled"
_PROTOCOL: Final = "io.modelcontextprotocol/"
"""How the keys of `_meta` begin that a request without a session carries (MCP 2026-07-28, basic, "_meta")."""

Send = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Listed:
    """What a server sent about its tools: the answer to a request of `tools/list`; no message: they have changed."""

    message: dict[str, Any] | None = None


class CallFilter:
    """Lets every line pass as it is, but for calls whose arguments are wrong; see docs/proxy.md."""

    def __init__(
        self, checks: CallChecks, *, to_server: Send, to_client: Send, list_timeout: float = LIST_TIMEOUT
    ) -> None:
        self._checks = checks
        self._to_server = to_server
        self._to_client = to_client
        self._list_timeout = list_timeout
        self._pages = ToolPages()
        self._failed = False
        """Whether the server did not list its tools when it was asked to."""
        self._held: list[Line] = []
        """Lines with calls that wait for a list."""
        self._own_prefix = f"toolgen-{secrets.token_hex(8)}-"
        self._asked = 0
        self._own_id = ""
        """The request for a list that is under way; empty where there is none."""
        self._own_pages = ToolPages()
        self._meta: dict[str, Any] = {}
        self._lists: OrderedDict[str, str | None] = OrderedDict()
        """Cursors of the lists that the client asked for, by request."""
        self._running: OrderedDict[str, ToolOutput] = OrderedDict()
        """Calls that were let through, by request."""
        self.deadline: float | None = None
        """When `expire` is due, by the monotonic clock; None where nothing waits."""

    # -- from the client ------------------------------------------------------------------------------------

    def from_client(self, data: bytes) -> None:
        """Take a line of the client: send it on, hold it until the tools are known, or answer it."""
        line = read_line(data)
        is_call = False
        for message in line.messages:
            match message.get("method"):
                case "tools/call":
                    is_call = True
                case "tools/list" if "id" in message:
                    cursor = params_of(message).get("cursor")
                    _put(self._lists, key_of(message["id"]), cursor if isinstance(cursor, str) else None)
                case method if method == _CANCELLED:
                    self._cancelled(params_of(message).get("requestId"))
        if is_call:
            self._take(line)
        else:
            self._to_server(data)

    def _cancelled(self, request_id: object) -> None:
        """Forget a call that is not to be answered any more."""
        key = key_of(request_id)
        self._running.pop(key, None)
        self._held = [
            line for line in self._held if line.is_batch or key_of(line.messages[0].get("id")) != key
        ]

    def _take(self, line: Line) -> None:
        if self._needs_list(line):
            self._held.append(line)
            if not self._own_id:
                self._begin_list(line)
        else:
            self._decide(line)

    def _needs_list(self, line: Line) -> bool:
        """Whether the tools must be read before something is made of these calls: a refusal needs to be certain."""
        if self._pages.tools is None and not self._failed:
            return True
        if not self._pages.is_old:
            return False
        return self._failed or not all(map(self._looks_right, line.messages))

    def _looks_right(self, message: dict[str, Any]) -> bool:
        if not _is_call(message):
            return True
        params = params_of(message)
        output = self._checks.looks_right(params["name"], params.get("arguments"))
        return output is None or (output.ok and not _is_changed(message, output))

    def _decide(self, line: Line) -> None:
        """Send on the calls of a line that are right, repaired where that is asked for, and answer the others."""
        answers: list[dict[str, Any]] = []
        left_out: list[int] = []
        for index, message in enumerate(line.messages):
            output = self._checked(message) if _is_call(message) else None
            if output is None or (output.ok and not _is_changed(message, output)):
                continue
            left_out.append(index)
            if not output.ok:
                answers.append(_refusal(message, output))
                continue
            repaired = {**message, "params": {**params_of(message), "arguments": output.payload}}
            self._to_server(text_of([repaired] if line.is_batch else repaired))
        if not left_out:
            self._to_server(line.data)
        elif line.is_batch and (rest := line.without(left_out)):
            self._to_server(rest)
        if answers:
            self._to_client(text_of(answers if line.is_batch else answers[0]))

    def _checked(self, message: dict[str, Any]) -> ToolOutput | None:
        params = params_of(message)
        name = params["name"]
        output = self._checks.check(name, params.get("arguments"))
        if output is not None and output.ok:
            _put(self._running, key_of(message["id"]), output)
        return output

    # -- the list of tools ----------------------------------------------------------------------------------

    def learn(self, listed: Listed) -> None:
        """Take what the server sent about its tools."""
        message = listed.message
        if message is None:
            self._changed()
        elif message.get("id") == self._own_id:
            self._own_page(message)
        else:
            cursor = self._lists.pop(key_of(message.get("id")), _NOT_ASKED)
            if cursor is not _NOT_ASKED and (result := result_of(message)) is not None:
                self._pages.add(cursor if isinstance(cursor, str) else None, result)
                self._learnt()

    def _changed(self) -> None:
        """Forget the tools; answers to earlier requests may be of before the change."""
        self._pages.clear()
        self._lists.clear()
        self._failed = False
        if self._own_id:
            self._own_pages.clear()
            self._ask(None)

    def _begin_list(self, line: Line) -> None:
        meta = next((params_of(m).get("_meta") for m in line.messages if _is_call(m)), None)
        self._meta = {k: v for k, v in meta.items() if k.startswith(_PROTOCOL)} if meta else {}
        self._own_pages.clear()
        self.deadline = time.monotonic() + self._list_timeout
        self._ask(None)

    def _ask(self, cursor: str | None) -> None:
        self._asked += 1
        self._own_id = f"{self._own_prefix}{self._asked}"
        params: dict[str, Any] = {"cursor": cursor} if cursor is not None else {}
        params |= {"_meta": self._meta} if self._meta else {}
        request = {"jsonrpc": "2.0", "id": self._own_id, "method": "tools/list"}
        self._to_server(text_of({**request, "params": params} if params else request))

    def _own_page(self, message: dict[str, Any]) -> None:
        result = result_of(message)
        if result is None:
            self._end_list()
            return
        asked = self._own_pages.missing
        self._own_pages.add(asked, result)
        if self._own_pages.tools is None:
            self._ask(self._own_pages.missing)
            return
        self._pages, self._own_pages = self._own_pages, ToolPages()
        self._learnt()
        self._end_list()

    def _learnt(self) -> None:
        tools = self._pages.tools
        if tools is not None:
            self._failed = False
            self._checks.learn(tools)

    def expire(self) -> None:
        """Stop to wait for a list that has not come."""
        self._end_list()

    def _end_list(self) -> None:
        """Go on with the calls that waited, with the tools that are known, be it none."""
        self._own_id, self.deadline = "", None
        if self._pages.tools is None:
            self._failed = True
        self._pages.keep()
        held, self._held = self._held, []
        for line in held:
            self._decide(line)

    # -- from the server ------------------------------------------------------------------------------------

    def from_server(self, data: bytes, learn: Callable[[Listed], None]) -> bytes | None:
        """Return what of a server's line goes to the client; None where nothing does.

        `learn` is given what the line says of the tools, before the client can see it.

        Raises:
            ValueError: the line is no message.
        """
        line = read_line(data)
        if not line.messages and self._own_prefix.encode() in data:
            line = Line(data, ({"id": self._own_id},))  # an answer that cannot be read: no list
        if is_garbage(line):
            raise ValueError("not a message")
        changed: dict[int, dict[str, Any]] = {}
        for index, message in enumerate(line.messages):
            if not is_response(message):
                if message.get("method") == _LIST_CHANGED:
                    learn(Listed())
            elif self._is_own(message):
                learn(Listed(message))
                return None
            elif key_of(message["id"]) in self._lists:
                learn(Listed(message))
            elif (noted := self._with_note(message)) is not None:
                changed[index] = noted
        if not changed:
            return data
        messages = [changed.get(index, message) for index, message in enumerate(line.messages)]
        return text_of(messages if line.is_batch else messages[0])

    def _is_own(self, message: dict[str, Any]) -> bool:
        return isinstance(message["id"], str) and message["id"].startswith(self._own_prefix)

    def _with_note(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Count a call that is answered; return the answer with what the model is to know besides, if anything."""
        output = self._running.pop(key_of(message["id"]), None)
        result = result_of(message)
        if output is None or result is None:
            return None
        note = self._checks.returned(output, result)
        content = result.get("content")
        if not note or not isinstance(content, list):
            return None
        return {**message, "result": {**result, "content": [*content, {"type": "text", "text": note}]}}


_NOT_ASKED: Final = object()


def _put(entries: OrderedDict[str, Any], key: str, value: Any) -> None:
    entries[key] = value
    if len(entries) > MOST_RUNNING:
        entries.popitem(last=False)


def _is_call(message: dict[str, Any]) -> bool:
    """Return whether a message is a call that can be answered; what is not one is for the server to refuse."""
    return (
        message.get("method") == "tools/call"
        and "id" in message
        and isinstance(params_of(message).get("name"), str)
    )


def _is_changed(message: dict[str, Any], output: ToolOutput) -> bool:
    """Return whether a call is to be made with other arguments than it came with: repaired, or read from a text."""
    return bool(output.repairs) or isinstance(params_of(message).get("arguments"), str)


def _refusal(message: dict[str, Any], output: ToolOutput) -> dict[str, Any]:
    """Return the answer to a call that is not made.

    A result with `isError` (MCP 2025-11-25, server/tools, "Error Handling"); to a call that asked for a task, whose
    result would be one, an error.
    """
    params, text, facts = params_of(message), output.text(), {"toolgen": described(output)}
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if "task" in params:
        return {**answer, "error": {"code": INVALID_PARAMS, "message": text, "data": facts}}
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": facts}
    meta = params.get("_meta")
    if isinstance(meta, dict) and f"{_PROTOCOL}protocolVersion" in meta:
        result["resultType"] = "complete"
    return {**answer, "result": result}
