"""Get the `tools/list` of an MCP server, with all its pages and without changes."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import IO, Any, Final, Literal

from pydantic import BaseModel, ValidationError

from toolgen.commands.servers.address import ServerAddress
from toolgen.commands.servers.messages import PROTOCOL, Json, Message, message_of, object_of
from toolgen.commands.servers.pump import KILL_AFTER, ProcessServer
from toolgen.commands.servers.threads import in_thread
from toolgen.compiler.diagnostics import Diagnostic, SpecError
from toolgen.compiler.input_files import MAX_BYTES
from toolgen.compiler.short_text import cut
from toolgen_runtime import __version__

_KEYS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The keys of a tool that come first, in this order."""
_CLIENT: Final = {"name": "toolgen", "version": __version__}
_SESSION: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}
"""The parameters of a client's `initialize` request."""
_NO_SESSION: Final = {
    f"{PROTOCOL}protocolVersion": "2026-07-28",
    f"{PROTOCOL}clientCapabilities": {},
    f"{PROTOCOL}clientInfo": _CLIENT,
}
"""The `_meta` of each request to a server without sessions."""
_PAGING: Final = "correct how the server pages tools/list"
_BY_HAND: Final = "start the server by hand"
_OF_URL: Final = "check the URL, that the server runs, and which --header it requires"
_ANSWER: Final = "correct the server's response"
MAX_REASON: Final = 600
"""The maximum number of characters to show of a failure, and of each line that a server wrote."""
MOST_LINES: Final = 5
"""The number of a server's last lines to show; npm states the cause in the first of them."""
_ERROR: Final = re.compile(r"(?:[\w.]+(?:Error|Exception)\b|(?i:error|fatal|panic)\b)[^:]{0,40}: *\S")
"""Matches a line with the reason of a failure. Python writes this line last, Node writes it before its stack, and the
last such line is the cause of the exit.
"""
MAX_NAME_SHOWN: Final = 64
"""The maximum number of characters to show of a tool's name."""


class _Schema(BaseModel):
    type: Literal["object"]


class _Tool(BaseModel):
    name: str
    inputSchema: _Schema  # noqa: N815


class _Page(BaseModel):
    tools: list[Any]
    nextCursor: str | None = None  # noqa: N815


@dataclass(frozen=True, slots=True)
class Listed:
    """The tools from all pages of a server's list, sorted by name.

    `info` is the server's `serverInfo`, `lifetime` contains its `ttlMs` and `cacheScope`, and `problems` are about
    tools that were left out.
    """

    tools: list[dict[str, Any]]
    info: Json
    lifetime: Json
    problems: Sequence[Diagnostic]


def tools_of(server: ServerAddress, timeout: float, *, keep_going: bool = False) -> Listed:
    """Get the tools of a server, exactly as it lists them.

    Args:
        server: the server's address.
        timeout: the number of seconds for all requests together.
        keep_going: leave out tools that are not valid in MCP.

    Raises:
        SpecError: `server-failed`: the server cannot be reached, hangs, exits, sends a response that is not MCP, lists
            its tools on endless pages, or has no tools.
    """
    garbage: deque[str] = deque(maxlen=MOST_LINES)
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            with closing(_Connection(server, timeout, log, garbage)) as connection:
                tools, first = _all_pages(connection)
        except (_ListError, ValidationError, OSError, ValueError) as error:
            reason, hint = _reason_and_hint(error, server, timeout)
            raise _failed(server, f"{reason}{_cause(log, garbage)}", hint) from None
    sound, problems = _sound(tools, server, keep_going)
    if problems and not keep_going:
        raise SpecError(problems)
    if not sound:
        hint = _ANSWER if problems else "check its configuration and authorization"
        none = _failed(server, "no tool is left" if problems else "the server has no tools", hint)
        raise SpecError([*problems, *none.diagnostics])
    lifetime = {key: first[key] for key in ("ttlMs", "cacheScope") if first.get(key) is not None}
    info = connection.info or object_of(object_of(first.get("_meta")).get(f"{PROTOCOL}serverInfo"))
    return Listed(_in_order(sound), info, lifetime, problems)


class _Connection:
    """A client of one server. It sends one request at a time."""

    def __init__(self, server: ServerAddress, timeout: float, log: IO[str], garbage: deque[str]) -> None:
        """Start a process that writes to `log`.

        `garbage` gets the lines that the process prints instead of messages.
        """
        self._deadline, self._garbage = time.monotonic() + timeout, garbage
        self._came: SimpleQueue[Message | int] = SimpleQueue()
        """Answers, own requests that came back, and an exit code when the server has ended."""
        self.info: Json = {}
        """What the server says of itself, if there is a session."""
        self._server: Any
        if server.url:
            from toolgen.commands.servers.http_client import HttpClient
            from toolgen.commands.servers.url_server import UrlServer

            self._server = UrlServer(HttpClient(server.url, server.headers), self._take, self._came.put)
        else:
            how = {"env": server.variables, "cwd": server.cwd, "stderr": log}
            self._server = ProcessServer(server.command, self._take, self._came.put, **how)

    def _take(self, line: bytes) -> None:
        try:
            message = Message(line, json.loads(line))
        except (ValueError, RecursionError):
            message = Message(line)
        if message.answers or _is_own(message):
            self._came.put(message)
        elif message.asks:
            self._server.send(message.fail("toolgen does not serve requests"))
        elif not message.value:
            self._garbage.append(line.decode(errors="replace"))

    def ask(self, method: str, params: Json) -> Json:
        """Send a request, and return its result.

        Raises:
            _ListError: the server rejects the request, or exits.
            TimeoutError: the time is over.
        """
        request = message_of({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        in_thread(self._server.send, request)
        while True:
            if (left := self._deadline - time.monotonic()) <= 0:
                raise TimeoutError
            try:
                answer = self._came.get(timeout=left)
            except Empty:
                raise TimeoutError from None
            if isinstance(answer, int):
                raise _ListError("the server closed the connection", _BY_HAND)
            if _is_own(answer):
                reason = "it sends back what it receives, so it is not an MCP server"
                raise _ListError(reason, "name the command that starts the server")
            if answer.answers == request.asks:
                break
        if answer.result is None:
            message = object_of(answer.value.get("error")).get("message")
            raise _ListError(str(message or "the response is not one of MCP"), "")
        return answer.result

    def begin(self) -> Json:
        """Begin a session, and return the parameters that every request needs."""
        try:
            info = self.ask("initialize", _SESSION).get("serverInfo")
        except _ListError as error:
            if error.hint:
                raise
            return {"_meta": _NO_SESSION}  # if the server has sessions, it refuses the next request, too
        self.info = object_of(info)
        in_thread(self._server.send, message_of({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return {}

    def close(self) -> None:
        """End the session and the process, if possible by closing its input."""
        if time.monotonic() < self._deadline:
            in_thread(self._server.finish)
            with suppress(Empty):
                while not isinstance(self._came.get(timeout=KILL_AFTER), int):
                    pass
        self._server.end()


def _is_own(message: Message) -> bool:
    """Return whether a message is one of our requests: only these have their method as their id."""
    return bool(message.asks) and message.value["id"] == message.method


def _all_pages(connection: _Connection) -> tuple[list[Any], Json]:
    """Return the tools of all pages, and the first page."""
    params = connection.begin()
    tools: list[Any] = []
    first: Json = {}
    cursor, size = None, 0
    seen: set[str | None] = set()
    while cursor not in seen:
        seen.add(cursor)
        page = connection.ask("tools/list", params)
        _Page.model_validate(page)
        first = first or page
        size += _size(page)
        if size > MAX_BYTES:
            raise _ListError(f"the list of tools is larger than {MAX_BYTES >> 20} MiB", _PAGING)
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            break
        params = {**params, "cursor": cursor}
    else:
        raise _ListError(f"the list of tools has no end: the cursor {cursor!r} comes again", _PAGING)
    return tools, first


def _sound(
    tools: Sequence[Any], server: ServerAddress, keep_going: bool
) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """Return the tools that are valid in MCP, and diagnostics for the others."""
    sound: list[dict[str, Any]] = []
    problems: list[Diagnostic] = []
    for index, tool in enumerate(tools):
        try:
            _Tool.model_validate(tool)
            sound.append(tool)
        except ValidationError as error:
            reason, hint = _not_of_mcp(error, f"tools.{index}"), _ANSWER
            if keep_going:
                reason += "; it is left out"
            else:
                hint += ", or leave the tool out with --keep-going"
            name = object_of(tool).get("name")
            shown = name[:MAX_NAME_SHOWN] if isinstance(name, str) else ""
            problems += _failed(server, reason, hint, shown).diagnostics
    return sound, problems


def _size(page: Mapping[str, Any]) -> int:
    try:
        return len(json.dumps(page, allow_nan=False))
    except ValueError:
        raise _ListError("a number in the list of tools is not finite", _ANSWER) from None


def _in_order(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools sorted by name, without duplicates. Their keys are in a fixed order, and nulls are removed."""
    ordered = [
        {key: tool[key] for key in (*_KEYS, *sorted(tool.keys() - {*_KEYS})) if tool.get(key) is not None}
        for tool in tools
    ]
    once = {json.dumps(tool, sort_keys=True): tool for tool in ordered}
    return sorted(once.values(), key=lambda tool: str(tool["name"]))


class _ListError(Exception):
    """An error for a list that cannot be used, with a hint. The hint is empty if the server rejected a request."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def _reason_and_hint(error: Exception, server: ServerAddress, timeout: float) -> tuple[str, str]:
    """Return a description of a failure on one line, and a hint."""
    if isinstance(error, TimeoutError):
        return f"no response within {timeout:g} s", "see --timeout"
    if isinstance(error, ValidationError):
        return _not_of_mcp(error), _ANSWER
    text = cut(" ".join(str(error).split()) or type(error).__name__, MAX_REASON)
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename!r}", "use a program that is installed"
    if isinstance(error, OSError):
        return error.strerror or text, "name a program that can be run"
    return text, getattr(error, "hint", "") or (_OF_URL if server.url else _BY_HAND)


def _not_of_mcp(error: ValidationError, *place: str) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, (*place, *first["loc"]))) or "the whole"
    return cut(f"the response is not one of MCP: {where}: {first['msg']}", MAX_REASON)


def _cause(log: IO[str], garbage: Sequence[str]) -> str:
    """Return why a server failed: the line with its error, or else the last lines that it wrote or printed."""
    log.seek(0)
    wrote = [line for line in log.read(1_000_000).splitlines() if line.strip()]
    errors = list(filter(_ERROR.match, wrote))
    wrote = errors[-1:] or wrote[-MOST_LINES:]
    said = (("wrote", wrote), ("printed", garbage))
    texts = [
        (how, " | ".join(cut(" ".join(line.split()), MAX_REASON) for line in lines)) for how, lines in said
    ]
    return "".join(f"; it {how}: {text}" for how, text in texts if text)


def _failed(server: ServerAddress, message: str, hint: str, tool: str = "") -> SpecError:
    text = server.without_secrets(f"{server.name}: {message}")
    return SpecError.of(server.place, "server-failed", text, hint, tool)
