"""`listen` and `serve`: an ASGI application at an address, by uvicorn."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 30.0
"""How long the head of a request may take, and a new connection may be silent."""
KEEP_SECONDS: Final = 60
"""How long a connection stays between requests."""
MOST_CONNECTIONS: Final = 1_000
_END_SECONDS: Final = 1


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any.

    Raises:
        OSError: the address is taken, or is not of this machine.
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(128)
    except BaseException:
        listening.close()
        raise
    return listening


def is_local(address: str) -> bool:
    """Return whether only this machine reaches an address."""
    return ip_address(address.partition("%")[0]).is_loopback


def serve(application: Any, listening: socket.socket) -> None:
    """Serve until a signal asks to end; then leave as the signal does."""
    uvicorn.Server(config_of(application)).run(sockets=[listening])


def config_of(application: Any) -> uvicorn.Config:
    """Return how an application is served: malformed requests are answered, slow ones ended, neither is logged."""
    return uvicorn.Config(
        application,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_SECONDS,
        timeout_graceful_shutdown=_END_SECONDS,
    )


class _Protocol(H11Protocol):
    """uvicorn's protocol, with a bound on the time that the head of a request takes."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._wait_for_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._late)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _late(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(
                b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            )
            self.transport.close()
