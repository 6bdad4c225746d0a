"""Connect a client that uses pipes to a server over streamable HTTP. Each line is sent as a request."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, Final

from toolgen.commands.servers import http_client as http
from toolgen.commands.servers.large_messages import Held
from toolgen.commands.servers.messages import PROTOCOL, Message
from toolgen.commands.servers.pump import GRACE, Ended, Handle
from toolgen.commands.servers.threads import in_thread

RETRY_SECONDS: Final = 1.0
"""The number of seconds after which the stream of a session is requested again when it has ended."""
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_DELETE_SECONDS: Final = 1.5
NOTIFY_SECONDS: Final = 2.0
"""The number of seconds that later messages wait for the response to a notification, whose request continues."""


class UrlServer:
    """The session with a server over streamable HTTP (MCP, basic/transports, "Streamable HTTP")."""

    def __init__(self, client: http.HttpClient, handle: Handle, ended: Ended) -> None:
        self._client, self._handle, self._ended = client, handle, ended
        self._loop = asyncio.new_event_loop()
        in_thread(self._loop.run_forever)
        self._session: dict[str, str] = {}
        """The headers of the session: its id, and the protocol version once it is known."""
        self._requests: dict[str, Future[None]] = {}
        """The requests without an answer; the stream of a session is under ""."""
        self._held = Held()
        self._turn = asyncio.Lock()
        """Held by `initialize`, and for a while by each notification, so that no later message overtakes them."""

    def send(self, message: Message) -> None:
        """Send a message without waiting for the response.

        Requests run at the same time, but only after messages that must be sent in order.
        """
        if message.cancels and PROTOCOL_VERSION not in self._session:
            # Without a session a request is cancelled by closing its stream (MCP 2026-07-28).
            if request := self._requests.get(message.cancels):
                request.cancel()
        elif message.asks and message.method != "initialize":
            self._start(message.asks, self._post_after(message))
        else:
            key = message.asks or f"notification {id(message)}"
            self._start(key, self._post_in_turn(message))
        if message.method == "notifications/initialized":
            self._start("", self._listen())

    async def _post_after(self, message: Message) -> None:
        """Send a request after the messages that must be sent in order."""
        async with self._turn:
            pass
        await self._post(message)

    async def _post_in_turn(self, message: Message) -> None:
        """Send a message before all later ones, because these need the session that `initialize` begins."""
        async with self._turn:
            sent = asyncio.ensure_future(self._post(message))
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(sent), None if message.asks else NOTIFY_SECONDS)
        await sent

    def _start(self, key: str, work: Coroutine[Any, Any, None]) -> Future[None]:
        self._requests[key] = started = asyncio.run_coroutine_threadsafe(work, self._loop)
        started.add_done_callback(lambda _: self._requests.pop(key, None))
        return started

    def finish(self) -> None:
        """Wait for a moment for responses that are still to come."""
        wait([request for key, request in [*self._requests.items()] if key], GRACE)
        self._ended(0)

    def end(self) -> None:
        """End the session, if there is one."""
        for request in [*self._requests.values()]:
            request.cancel()
        with suppress(TimeoutError):  # it then ends by itself
            self._start("-", self._end()).result(_DELETE_SECONDS)

    async def _end(self) -> None:
        if http.SESSION_ID in self._session:
            with suppress(http.HttpError, UnicodeError):
                async with self._client.exchange("DELETE", http.raw(self._session)):
                    pass
        await self._client.aclose()

    async def _listen(self) -> None:
        """Forward the messages that the server sends by itself, until it has no such stream."""
        async with self._turn:
            pass
        while not await self._exchange("GET", Message(b"")):
            await asyncio.sleep(RETRY_SECONDS)

    async def _post(self, message: Message) -> None:
        """Send a message and forward the response. If a request gets no response, respond with the reason."""
        reason = await self._exchange("POST", message)
        if message.asks and reason:
            self._handle(message.fail(reason).data)

    async def _exchange(self, method: str, request: Message) -> str:
        """Forward the messages in a response. Return why there is no response or stream, or `""` if there is one."""
        is_answered = False
        try:
            headers = self._headers(request)
            async with self._client.exchange(method, headers, request.data) as response:
                reason = (
                    f"the server responded {response.status_code} {response.reason_phrase}, without a message"
                )
                if response.headers.get(http.SESSION_ID):
                    self._session.setdefault(http.SESSION_ID, response.headers[http.SESSION_ID])
                is_answered = method == "GET" and http.is_event_stream(response)
                async for _, message in http.parts_of(response, self._held):
                    is_answered |= self._received(message, request, response.is_success)
        except http.HttpError as error:
            reason = http.reason_of(error)
        except UnicodeError:
            reason = (
                "a header cannot have half of a UTF-16 pair, which the message or the server's version has"
            )
        return "" if is_answered else reason

    def _headers(self, request: Message) -> http.Headers:
        """Return the headers of a request: those of the session, or those of a request without a session.

        Raises:
            UnicodeError: a value in them contains half of a surrogate pair.
        """
        version = request.protocol.get(f"{PROTOCOL}protocolVersion")
        if not version:
            return http.raw(http.MESSAGE | self._session)
        return [*http.raw({**http.MESSAGE, PROTOCOL_VERSION: str(version)}), *http.mirrored(request)]

    def _received(self, message: Message, request: Message, is_success: bool) -> bool:
        """Forward a message, and return whether it responds to `request`.

        From a failed response, only an error is forwarded.
        """
        if not is_success and "error" in message.value and request.asks:
            message = message.changed(id=request.value["id"])  # the id may be missing
        is_answer = bool(request.asks) and message.answers == request.asks
        if is_answer and request.method == "initialize" and message.result is not None:
            self._session[PROTOCOL_VERSION] = str(message.result.get("protocolVersion"))
        if message.value and (is_success or is_answer):
            self._handle(b" ".join(message.data.strip().splitlines()) + b"\n")
        return is_answer
