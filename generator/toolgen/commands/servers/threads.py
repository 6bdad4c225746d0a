"""Run work in threads that do not keep the process or an event loop alive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

ResultT = TypeVar("ResultT")


def in_thread(function: Callable[..., object], *given: object) -> Thread:
    """Start a function in a thread that does not keep the process alive."""
    thread = Thread(target=function, args=given, daemon=True)
    thread.start()
    return thread


async def in_worker(function: Callable[..., ResultT], *given: object) -> ResultT:
    """Run a slow function in a thread and wait for its result, while the event loop does other work.

    A thread of `asyncio.to_thread` would prevent the process from exiting until the function is done.
    """
    future = Future[ResultT]()

    def work() -> None:
        try:
            result = function(*given)
        except BaseException as error:
            with suppress(InvalidStateError):  # nobody waits any more
                future.set_exception(error)
        else:
            with suppress(InvalidStateError):
                future.set_result(result)

    in_thread(work)
    return await asyncio.wrap_future(future)
