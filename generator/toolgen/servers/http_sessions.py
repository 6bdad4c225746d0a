"""`HttpSessions`: what the proxy knows of each client over HTTP, and how it asks the server for its tools."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.client_calls import ClientCalls
from toolgen.servers.http_client import ACCEPT, Headers, HttpClient, httpx, messages_in
from toolgen.servers.messages import Message, is_response, list_request, params_of, result_of, written
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

    def input_schema(self, call: Message) -> Any:
        """Return the input schema of the tool that a call names, as it is listed."""
        return self.checks.input_schema(str(params_of(call).get("name")))

    def calls(self) -> ClientCalls:
        """Return where a request is kept; ids without a session may be of several clients, so each has its own."""
        return self._calls or ClientCalls(self.checks, self._tools)


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


async def tools_page(
    http: HttpClient, headers: Headers, call: Message, cursor: str | None
) -> dict[str, Any] | None:
    """Ask for a page of the tools as the client of a call; return None if the server does not give it."""
    request_id = f"toolgen-{secrets.token_hex(8)}"
    sent = [
        (name, value)
        for name, value in headers
        if name not in _OF_ONE_REQUEST and not name.startswith((PARAM, "content-"))
    ]
    if METHOD in dict(headers):
        sent.append((METHOD, "tools/list"))
    body = written(list_request(request_id, cursor, call))
    try:
        async with http.send("POST", [*sent, *ACCEPT], body) as response:
            async for _, received in messages_in(response):
                message = received.message
                if is_response(message) and message["id"] == request_id:
                    return result_of(message)
    except httpx.HTTPError:
        pass
    return None
