"""`listen` and `serve`: an ASGI application at an address, by uvicorn."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any, Final

import uvicorn

MOST_CONNECTIONS: Final = 1_000
_END_SECONDS: Final = 1


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any.

    Raises:
        OSError: the address is taken, or is not of this machine.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, _, _, address = found[0]
    # asyncio turns Nagle's algorithm off, which costs 40 ms a call, only if the protocol is named.
    listening = socket.socket(family, kind, socket.IPPROTO_TCP)
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
    """Return how an application is served: malformed requests are answered, and nothing is logged."""
    return uvicorn.Config(
        application,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=_END_SECONDS,
    )
