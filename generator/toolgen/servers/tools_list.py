"""`tools/list` of a real MCP server, all pages, as it is."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import IO, Any, Final

from pydantic import ValidationError

from toolgen.diagnostics import Diagnostic, SpecError
from toolgen.input_files import MAX_BYTES
from toolgen.servers.address import ServerAddress
from toolgen.servers.client_session import open_session

CLOSING_SECONDS: Final = 5.0
"""Seconds that a server over HTTP has to end the session."""
_KEYS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The keys of a tool that come first, in this order."""
_PAGING: Final = "correct how the server pages tools/list"
_BY_HAND: Final = "start the server by hand"
_OF_URL: Final = "see that the URL is right, that the server runs, and which --header it asks for"
MAX_REASON: Final = 300
"""Characters of a failure, and of each line that a server wrote, that are shown."""
MOST_LINES: Final = 5
"""Lines of those that a server wrote last that are shown: npm says the cause in the first of them."""
MAX_NAME: Final = 64
"""Characters of a tool's name that are shown."""


def tools_of(
    server: ServerAddress, timeout: float, *, keep_going: bool = False
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return `{"tools": [...]}` as the server lists them, all pages, sorted by name, with `ttlMs` and `cacheScope`.

    Args:
        server: where it is.
        timeout: seconds for all of it.
        keep_going: leave out the tools that are not of MCP; the second value names them.

    Raises:
        SpecError: `server-failed`: the client is not installed, or the server cannot be reached, hangs, exits, answers
            with what is not MCP, lists its tools in pages without an end, or has none.
    """
    import asyncio

    listing = _Listing(server, keep_going)
    with tempfile.TemporaryFile("w+", errors="replace") as log, _no_logging():
        try:
            found = asyncio.run(_listed(server, timeout, log, listing))
        except ImportError as error:
            hint = "run: pip install 'toolgen[mcp]'"
            raise _failed(server, f"the package {error.name} is not installed", hint) from None
        except Exception as error:  # whatever client, transport and server raise is the server's failure here
            reason, hint = _reason_and_hint(error, server, timeout)
            raise _failed(server, f"{reason}{_cause(log, listing, server)}", hint) from None
    problems = listing.problems
    if problems and not keep_going:
        raise SpecError(problems)
    if not found["tools"]:
        hint = "correct the server's answer" if problems else "check its configuration and authorisation"
        none = _failed(server, "no tool is left" if problems else "the server has no tools", hint)
        raise SpecError([*problems, *none.diagnostics])
    return found, problems


async def _listed(server: ServerAddress, timeout: float, log: IO[str], listing: _Listing) -> dict[str, Any]:
    """Return what `tools_of` does. Closing has time of its own: a client that is stopped in it leaves the server."""
    import asyncio

    found: dict[str, Any] = {}
    try:
        async with asyncio.timeout(None) as closing, AsyncExitStack() as opened:
            try:
                async with asyncio.timeout(timeout):
                    session = await opened.enter_async_context(
                        open_session(server, log, listing.listen, listing.sift)
                    )
                    found = await _all_pages(session)
            finally:
                if server.url:  # the client ends a process by itself, within 4 seconds
                    closing.reschedule(asyncio.get_running_loop().time() + CLOSING_SECONDS)
    except Exception:
        if not found:
            raise
    return found


class _Listing:
    """The list of tools of one session, with all that the server says."""

    def __init__(self, server: ServerAddress, keep_going: bool) -> None:
        self._server, self._keep_going = server, keep_going
        self.garbage: deque[str] = deque(maxlen=MOST_LINES)
        """The lines that the server printed last in place of messages."""
        self.problems: list[Diagnostic] = []
        """The tools that are not of MCP."""
        self._version = ""
        """The revision of MCP that the server has chosen."""

    async def listen(self, message: Any) -> None:
        """Notice what is no message."""
        if isinstance(message, Exception):
            self.garbage.append(_input_of(message))

    def sift(self, result: dict[str, Any]) -> None:
        """Take the tools that are not of MCP out of a page."""
        from mcp.types import Tool

        self._version = str(result.get("protocolVersion", self._version))
        tools = result.get("tools")
        if not isinstance(tools, list):
            return
        result["tools"] = sound = []
        for index, tool in enumerate(tools):
            try:
                Tool.model_validate(tool)
                _validate_as_session(tool, self._version)
                sound.append(tool)
            except ValidationError as error:
                reason, hint = _not_of_mcp(error, f"tools.{index}")
                if self._keep_going:
                    reason += "; it is left out"
                else:
                    hint += ", or leave the tool out with --keep-going"
                name = tool.get("name") if isinstance(tool, dict) else None
                shown = name[:MAX_NAME] if isinstance(name, str) else ""
                self.problems += _failed(self._server, reason, hint, shown).diagnostics


def _validate_as_session(tool: Any, version: str) -> None:
    """Validate a tool as the session of mcp 2.x does, which knows each revision of MCP.

    Raises:
        pydantic.ValidationError: it is not a tool of that revision.
    """
    methods: Any = sys.modules.get("mcp_types.methods")  # loaded by a session of mcp 2.x; mcp 1.x has none
    if methods is None:
        return
    try:
        methods.validate_server_result("tools/list", version, {"tools": [tool]})
    except ValidationError as error:
        if any(one["loc"][:1] == ("tools",) for one in error.errors()):
            raise
    except (KeyError, ValueError):  # a revision that the client does not know
        return


async def _all_pages(session: Any) -> dict[str, Any]:
    tools: list[dict[str, Any]] = []
    first: dict[str, Any] = {}
    cursor, size = None, 0
    seen: set[str | None] = set()
    while cursor not in seen:
        seen.add(cursor)
        page = await _page(session, cursor)
        first = first or page
        size += _size(page)
        if size > MAX_BYTES:
            raise _ListError(f"the list of tools is larger than {MAX_BYTES >> 20} MiB", _PAGING)
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    else:
        raise _ListError(f"the list of tools has no end: the cursor {cursor!r} comes again", _PAGING)
    kept = {key: first[key] for key in ("ttlMs", "cacheScope") if first.get(key) is not None}
    return {**kept, "tools": _in_order(tools)}


async def _page(session: Any, cursor: str | None) -> dict[str, Any]:
    """Return a page as the server sends it: the client's own model adds defaults, and drops what it does not know.

    Raises:
        pydantic.ValidationError: it is not a list of tools.
    """
    from mcp import types

    params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
    request: Any = types.ListToolsRequest(params=params)
    if isinstance(types.ClientRequest, type):  # mcp 1.x wraps requests; in 2.x this is a union
        wrap: Any = types.ClientRequest
        request = wrap(request)
    page: dict[str, Any] = await session.send_request(request, _AsSent)
    types.ListToolsResult.model_validate(page)
    return page


class _AsSent:
    """What a client's session makes a result of: the result."""

    @staticmethod
    def model_validate(value: Any, **_: Any) -> Any:
        """Return the value."""
        return value


def _size(page: Mapping[str, Any]) -> int:
    try:
        return len(json.dumps(page, allow_nan=False))
    except ValueError:
        raise _ListError(
            "a number in the list of tools is not finite", "correct the server's answer"
        ) from None


def _in_order(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tools by name, their keys in one order, those that are null left out; what is listed twice comes once."""
    ordered = [
        {key: tool[key] for key in sorted(tool, key=_key_order) if tool[key] is not None} for tool in tools
    ]
    once = {json.dumps(tool, sort_keys=True): tool for tool in ordered}
    return sorted(once.values(), key=lambda tool: str(tool["name"]))


def _key_order(key: str) -> tuple[int, str]:
    return (_KEYS.index(key), "") if key in _KEYS else (len(_KEYS), key)


@contextmanager
def _no_logging() -> Iterator[None]:
    """Keep clients from logging tracebacks of what is reported in one line."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _ListError(Exception):
    """A list that cannot be kept, and what to do about it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def _reason_and_hint(error: BaseException, server: ServerAddress, timeout: float) -> tuple[str, str]:
    """Return a failure in one line, and what to do about it; of a group the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s", "see --timeout"
    text = (" ".join(str(error).split()) or type(error).__name__)[:MAX_REASON]
    if isinstance(error, _ListError):
        return text, error.hint
    if isinstance(error, ValidationError):
        return _not_of_mcp(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename!r}", "use a program that is installed"
    if isinstance(error, OSError) and server.command:
        return error.strerror or text, "name a program that can be run"
    if text == "Connection closed":
        return "the server closed the connection", _BY_HAND
    return text, _OF_URL if server.url else _BY_HAND


def _not_of_mcp(error: ValidationError, place: str = "") -> tuple[str, str]:
    first = error.errors()[0]
    steps = first["loc"][2:] if place and first["loc"][:1] == ("tools",) else first["loc"]
    where = ".".join(map(str, (*filter(None, (place,)), *steps))) or "the whole"
    message = f"the answer is not one of MCP: {where}: {first['msg']}"
    return message[:MAX_REASON], "correct the server's answer"


def _input_of(error: Exception) -> str:
    """Return the line that a client could not read."""
    return str(error.errors()[0].get("input") if isinstance(error, ValidationError) else error)


def _cause(log: IO[str], listing: _Listing, server: ServerAddress) -> str:
    """Return what the server wrote last, to standard error or in place of messages, or how it refused a request."""
    log.seek(0)
    lines = [" ".join(line.split())[:MAX_REASON] for line in log.read(1_000_000).splitlines() if line.strip()]
    wrote = " | ".join(lines[-MOST_LINES:])
    printed = " | ".join(" ".join(line.split())[:MAX_REASON] for line in listing.garbage)
    return (f"; it {'answered' if server.url else 'wrote'}: {wrote}" if wrote else "") + (
        f"; it printed: {printed}" if printed else ""
    )


def _failed(server: ServerAddress, message: str, hint: str, tool: str = "") -> SpecError:
    text = server.without_secrets(f"{server.name}: {message}")
    return SpecError.of(server.place, "server-failed", text, hint, tool)
