"""Run a tool's handler in the right thread or event loop, with a timeout."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Coroutine
from concurrent.futures import Future, wait
from types import NoneType
from typing import Any

from toolgen_runtime.calls.errors import ToolErrorKind, ToolExecutionError
from toolgen_runtime.calls.handler_facts import Handler

_Outcome = tuple[Any, BaseException | None]
"""The result or the exception of a handler. A future cannot carry every exception (`StopIteration`)."""
_GRACE = 0.1
"""The number of seconds that a canceled handler may use to clean up before the call ends without it."""
_left: set[asyncio.Task[Any]] = set()
"""The tasks of handlers that are still running after their timeout."""
_VALUES = frozenset((str, dict, NoneType, list, bool, int, float))
"""Types of results that cannot be awaited."""


def run(handler: Handler, is_async: bool, arguments: tuple[Any, ...], timeout: float | None) -> Any:
    """Run a handler and return its result.

    A sync handler runs in this thread. If there is a timeout, it runs in a new thread instead. That thread cannot be
    stopped: after the timeout it continues, and its result is discarded. An async handler runs in a new event loop.

    Raises:
        ToolExecutionError: the handler took longer than `timeout` seconds (kind `timeout`).
        WrongLoopError: the handler is async, but an event loop is running in this thread; use `arun` instead.
    """
    if is_async:
        _refuse_nested_loop()
        return _in_loop(arun(handler, True, arguments, timeout))
    if timeout is None:
        result = handler(*arguments)
    else:
        running = _in_thread(handler, arguments)
        if not wait([running], timeout).done:
            raise _timed_out(timeout)
        result = _unwrapped(running.result())
    if type(result) not in _VALUES and inspect.isawaitable(result):
        _refuse_nested_loop(result)
        return _in_loop(_awaited(result, timeout))
    return result


async def arun(handler: Handler, is_async: bool, arguments: tuple[Any, ...], timeout: float | None) -> Any:
    """Do the same as `run`, in the running event loop.

    An async handler is awaited here, or in a separate task if there is a timeout. After the timeout the task is
    canceled, and the call ends even if the handler keeps running. A sync handler always runs in a new thread, so that
    it cannot block the loop.
    """
    if is_async:
        return await (handler(*arguments) if timeout is None else _awaited(handler(*arguments), timeout))
    result = _unwrapped(await _awaited(asyncio.wrap_future(_in_thread(handler, arguments)), timeout))
    if inspect.isawaitable(result):
        return await _awaited(result, timeout)
    return result


async def _awaited(awaitable: Awaitable[Any], timeout: float | None) -> Any:
    if timeout is None:
        return await awaitable
    task = asyncio.create_task(_outcome_of(awaitable))
    try:
        await asyncio.wait((task,), timeout=timeout)
        ended = task.done()
    except asyncio.CancelledError:
        await _leave(task)
        raise
    if ended:
        return _unwrapped(task.result())
    await _leave(task)
    raise _timed_out(timeout)


async def _outcome_of(awaitable: Awaitable[Any]) -> _Outcome:
    try:
        return await awaitable, None
    except BaseException as error:  # `_unwrapped` raises it again, unless the call has already ended
        return None, error


def _unwrapped(outcome: _Outcome) -> Any:
    result, error = outcome
    if error is not None:
        raise error
    return result


async def _leave(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait a moment for it to end. Keep a reference to the task until it does.

    `asyncio` itself holds only weak references to tasks, and logs an error if a pending task is garbage-collected.
    """
    task.cancel()
    _left.add(task)
    task.add_done_callback(_left.discard)
    await asyncio.wait((task,), timeout=_GRACE)


def _in_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a new event loop, in this thread.

    After a timeout, a daemon thread closes the loop, because closing waits for tasks that do not end and for threads
    started with `to_thread`.
    """
    runner = asyncio.Runner()
    timed_out = False
    try:
        return runner.run(coroutine)
    except ToolExecutionError as error:
        timed_out = error.kind is ToolErrorKind.TIMEOUT
        raise
    finally:
        if timed_out:
            asyncio.set_event_loop(None)
            threading.Thread(target=runner.close, name="toolgen-loop", daemon=True).start()
        else:
            runner.close()


def _timed_out(timeout: float) -> ToolExecutionError:
    return ToolExecutionError(ToolErrorKind.TIMEOUT, f"no response within {timeout:g} s")


class WrongLoopError(RuntimeError):
    """The exception for an async handler that `run` cannot await, because an event loop is already running in
    this thread.
    """


def _refuse_nested_loop(unused: object = None) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if inspect.iscoroutine(unused):
        unused.close()
    raise WrongLoopError("call() cannot wait for an async handler inside a running event loop: await acall()")


def _in_thread(handler: Handler, arguments: tuple[Any, ...]) -> Future[_Outcome]:
    """Run the handler in a daemon thread, which, unlike a pool's thread, blocks neither other calls nor the exit."""
    future: Future[_Outcome] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome: _Outcome = context.run(handler, *arguments), None
        except BaseException as error:  # `_unwrapped` raises it again
            outcome = None, error
        if future.set_running_or_notify_cancel():
            future.set_result(outcome)

    threading.Thread(target=work, name="toolgen-handler", daemon=True).start()
    return future
