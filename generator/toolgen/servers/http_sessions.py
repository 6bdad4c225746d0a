"""`HttpSessions`: what the proxy knows of each client over HTTP, and how it asks the server for its tools."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import anyio

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.client_calls import ClientCalls
from toolgen.servers.event_stream import MAX_EVENT, EventSplitter
from toolgen.servers.http_client import Headers, HttpClient, httpx, is_event_stream
from toolgen.servers.messages import Received, is_response, key_of, list_request, read, result_of, written
from toolgen.servers.mirrored_headers import METHOD, NAME, PARAM
from toolgen.servers.tool_list import ToolList

MOST_SESSIONS: Final = 1_000
"""Sessions that are remembered; of one that is forgotten, the tools are read again."""
SESSION_ID: Final = "mcp-session-id"
_CREDENTIALS: Final = re.compile(r"authorization|cookie|.*(?:key|token|secret|auth|tenant).*")
"""Headers that a server may list its tools by (MCP 2026-07-28, server/tools, "Listing Tools")."""
_OF_ONE_REQUEST: Final = ("accept", "content-type", "last-event-id", METHOD, NAME)


class HttpSession:
    """One session of MCP; or all requests without one that have the same credentials."""

    def __init__(self, checks: CallChecks, *, has_id: bool) -> None:
        self.checks, self._tools = checks, ToolList(checks.learn)
        self._calls = ClientCalls(checks, self._tools) if has_id else None
        self._reading = anyio.Lock()
        self._waiting: dict[str, anyio.CancelScope] = {}

    def calls(self) -> ClientCalls:
        """Return where a request is kept; ids without a session may be of several clients, so each has its own."""
        return self._calls or ClientCalls(self.checks, self._tools)

    def cancel(self, request_id: object) -> None:
        """Forget a call that waits for the tools."""
        if (waiting := self._waiting.get(key_of(request_id))) is not None:
            waiting.cancel()

    async def read_tools(self, call: Received, http: HttpClient, headers: Headers) -> bool:
        """Read the tools for a call; return False if it was cancelled meanwhile."""
        key = key_of(call.messages[0].get("id"))
        with anyio.CancelScope() as scope:
            self._waiting[key] = scope
            try:
                async with self._reading:
                    if self._calls is None or self._calls.need_list(call):
                        await self._tools.read(partial(_page, http, _headers_of_list(headers), call))
            finally:
                self._waiting.pop(key, None)
        return not scope.cancelled_caught


class HttpSessions:
    """The sessions of one server's clients."""

    def __init__(self, make_checks: Callable[[], CallChecks]) -> None:
        self._make_checks = make_checks
        self._sessions: OrderedDict[tuple[str, ...], HttpSession] = OrderedDict()

    def of(self, headers: Headers) -> HttpSession:
        """Return the session that a request belongs to."""
        key = _key(headers)
        session = self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = HttpSession(self._make_checks(), has_id=bool(key[0]))
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(key)
        return session

    def forget(self, headers: Headers) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(_key(headers), None)

    def __len__(self) -> int:
        return len(self._sessions)


def _key(headers: Headers) -> tuple[str, ...]:
    found = dict(headers)
    credentials = sorted(
        f"{name}:{value}" for name, value in headers if name != SESSION_ID and _CREDENTIALS.fullmatch(name)
    )
    return (found.get(SESSION_ID, ""), *credentials)


def _headers_of_list(headers: Headers) -> Headers:
    """Return the headers for a request of the tools, beside a call with these."""
    kept = [
        (name, value)
        for name, value in headers
        if name not in _OF_ONE_REQUEST and not name.startswith((PARAM, "content-"))
    ]
    if any(name == METHOD for name, _ in headers):
        kept.append((METHOD, "tools/list"))
    return [
        *kept,
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ]


async def _page(
    http: HttpClient, headers: Headers, call: Received, cursor: str | None
) -> dict[str, Any] | None:
    """Ask for a page of the tools; return None where the server does not give it."""
    request_id = f"toolgen-{secrets.token_hex(8)}"
    try:
        async with http.send("POST", headers, written(list_request(request_id, cursor, call))) as response:
            return await _result(response, request_id)
    except httpx.HTTPError:
        return None


async def _result(response: httpx.Response, request_id: str) -> dict[str, Any] | None:
    """Return the result of a request, from a body of JSON or the first event that has it."""
    events = EventSplitter() if is_event_stream(response) else None
    body = bytearray()
    async for chunk in response.aiter_raw():
        if events is None:
            body += chunk
            if len(body) > MAX_EVENT:
                return None
            continue
        for event in events.feed(chunk):
            for message in read(event.data).messages:
                if is_response(message) and message["id"] == request_id:
                    return result_of(message)
    return next((result_of(m) for m in read(bytes(body)).messages if is_response(m)), None)
