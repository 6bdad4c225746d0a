"""`HttpSessions`: what the proxy knows of each client over HTTP, and how it asks the server for its tools."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.call_filter import CallFilter, ToolList
from toolgen.servers.http_client import ACCEPT, Headers, HttpClient, httpx, messages_in
from toolgen.servers.messages import Message, is_response, list_request, result_of, written
from toolgen.servers.mirrored_headers import METHOD, NAME, PARAM

MOST_SESSIONS: Final = 1_000
"""Sessions that are remembered; of one that is forgotten, the tools are read again."""
SESSION_ID: Final = "mcp-session-id"
_CREDENTIALS: Final = re.compile(r"authorization|cookie|.*(?:key|token|secret|auth|tenant).*")
"""Headers that a server may list its tools by (MCP 2026-07-28, server/tools, "Listing Tools")."""
_OF_ONE_REQUEST: Final = ("accept", "content-type", "last-event-id", METHOD, NAME)


class HttpSessions:
    """The sessions of one server's clients. Requests without one that have the same credentials share their tools."""

    def __init__(self, make_checks: Callable[[], CallChecks]) -> None:
        self._make_checks = make_checks
        self._filters: OrderedDict[tuple[str, ...], CallFilter] = OrderedDict()

    def calls_of(self, headers: Headers) -> CallFilter:
        """Return where a request is kept; ids without a session may be of several clients, so each has its own."""
        key = _key(headers)
        found = self._filters.get(key)
        if found is None:
            found = self._filters[key] = CallFilter(ToolList(self._make_checks()))
            if len(self._filters) > MOST_SESSIONS:
                self._filters.popitem(last=False)
        self._filters.move_to_end(key)
        return found if key[0] else CallFilter(found.tools)

    def forget(self, headers: Headers) -> None:
        """Forget a session that has ended."""
        self._filters.pop(_key(headers), None)

    def __len__(self) -> int:
        return len(self._filters)


def _key(headers: Headers) -> tuple[str, ...]:
    """Return the id of a session, and the credentials."""
    credentials = sorted(
        f"{name}:{value}" for name, value in headers if name != SESSION_ID and _CREDENTIALS.fullmatch(name)
    )
    return (dict(headers).get(SESSION_ID, ""), *credentials)


async def tools_page(
    http: HttpClient, headers: Headers, call: Message, cursor: str | None
) -> Mapping[str, Any] | None:
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
