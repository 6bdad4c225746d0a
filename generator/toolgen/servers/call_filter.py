"""`CallFilter`: what the proxy does with the messages between one client and one server over pipes.

Two threads use it: `from_client`, `learn` and `expire` belong to one, `from_server` to the other. What they share
is the `Exchange`, each entry written by the first before its request goes out, and taken by the second with its answer.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.exchange import Exchange
from toolgen.servers.known_tools import KnownTools
from toolgen.servers.messages import (
    CANCELLED,
    LIST_CHANGED,
    Line,
    is_garbage,
    is_response,
    key_of,
    list_request,
    params_of,
    protocol_meta,
    read_line,
    result_of,
)
from toolgen.servers.tool_pages import ToolPages

LIST_TIMEOUT: Final = 10.0
"""Seconds for a list that the proxy asks for; then calls are checked by what is known, or not at all."""

MAX_HELD: Final = 64 * 1024 * 1024
"""Bytes of calls that wait for a list; beyond that it is not waited for."""

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
        self._tools = KnownTools(checks)
        self._exchange = Exchange(self._tools)
        self._to_server = to_server
        self._to_client = to_client
        self._list_timeout = list_timeout
        self._held: list[Line] = []
        """Lines with calls that wait for a list."""
        self._held_size = 0
        self._own_prefix = f"toolgen-{secrets.token_hex(8)}-"
        self._asked = 0
        self._own_id = ""
        """The request for a list that is under way; empty where there is none."""
        self._own_pages = ToolPages()
        self._meta: dict[str, Any] = {}
        self.deadline: float | None = None
        """When `expire` is due, by the monotonic clock; None where nothing waits."""

    # -- from the client ------------------------------------------------------------------------------------

    def from_client(self, data: bytes) -> None:
        """Take a line of the client: send it on, hold it until the tools are known, or answer it."""
        line = read_line(data)
        has_call = False
        for message in line.messages:
            match message.get("method"):
                case "tools/call":
                    has_call = True
                case "tools/list" if "id" in message:
                    self._exchange.list_asked(message)
                case method if method == CANCELLED:
                    self._cancelled(params_of(message).get("requestId"))
        if not has_call:
            self._to_server(data)
        elif self._tools.are_needed_for(line):
            self._held.append(line)
            self._held_size += len(data)
            if not self._own_id:
                self._begin_list(line)
            elif self._held_size > MAX_HELD:
                self.expire()
        else:
            self._decide(line)

    def _cancelled(self, request_id: object) -> None:
        """Forget a call that is not to be answered any more."""
        self._exchange.cancelled(request_id)
        key = key_of(request_id)
        self._held = [
            line for line in self._held if line.is_batch or key_of(line.messages[0].get("id")) != key
        ]
        self._held_size = sum(len(line.data) for line in self._held)

    def _decide(self, line: Line) -> None:
        decision = self._exchange.decide(line)
        if decision.to_server:
            self._to_server(decision.to_server)
        if decision.to_client:
            self._to_client(decision.to_client)

    # -- the list of tools ----------------------------------------------------------------------------------

    def learn(self, listed: Listed) -> None:
        """Take what the server sent about its tools."""
        message = listed.message
        if message is None:
            self._changed()
        elif self._own_id and message.get("id") == self._own_id:
            self._own_page(message)
        else:
            self._exchange.list_answered(message)

    def _changed(self) -> None:
        self._exchange.lists_changed()
        if self._own_id:
            self._own_pages.clear()
            self._ask(None)

    def _begin_list(self, line: Line) -> None:
        self._meta = protocol_meta(line.messages)
        self._own_pages.clear()
        self.deadline = time.monotonic() + self._list_timeout
        self._ask(None)

    def _ask(self, cursor: str | None) -> None:
        self._asked += 1
        self._own_id = f"{self._own_prefix}{self._asked}"
        self._to_server(list_request(self._own_id, cursor, self._meta))

    def _own_page(self, message: dict[str, Any]) -> None:
        result = result_of(message)
        if result is None:
            self.expire()
            return
        asked = self._own_pages.missing
        self._own_pages.add(asked, result)
        if self._own_pages.tools is None:
            self._ask(self._own_pages.missing)
            return
        pages, self._own_pages = self._own_pages, ToolPages()
        self._tools.learn(pages)
        self.expire()

    def expire(self) -> None:
        """Stop to wait for a list; go on with the calls that waited, with the tools that are known, be it none."""
        self._own_id, self.deadline = "", None
        self._tools.stay()
        held, self._held, self._held_size = self._held, [], 0
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
        changed: dict[int, dict[str, Any] | None] = {}
        for index, message in enumerate(line.messages):
            if not is_response(message):
                if message.get("method") == LIST_CHANGED:
                    learn(Listed())
            elif self._is_own(message):
                learn(Listed(message))
                return None
            elif self._exchange.is_list(message):
                learn(Listed(message))
            elif (noted := self._exchange.with_note(message)) is not None:
                changed[index] = noted
        return line.changed(changed)

    def _is_own(self, message: dict[str, Any]) -> bool:
        return isinstance(message["id"], str) and message["id"].startswith(self._own_prefix)
