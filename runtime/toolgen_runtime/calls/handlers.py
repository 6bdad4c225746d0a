"""Running a tool's handler: what it is given, where it runs, how long it may take.

A handler takes one argument, as its annotation says: the payload model, or the plain JSON value (annotated
as a dict, `Mapping`, `TypedDict`, `Any`, ... or not at all). One without parameters is called without. What
else it needs, it gets by `functools.partial` or a closure.

A handler that cannot be called so is a mistake in the program and raises `TypeError`.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

from toolgen_runtime.calls.errors import ToolErrorKind, ToolExecutionError
from toolgen_runtime.validation.tool import Tool

Handler = Callable[..., Any]
_GRACE = 0.1
"""Seconds that a canceled handler has for its cleanup, before it is left behind."""
_left: set[asyncio.Task[Any]] = set()
"""Tasks of handlers that went on after their timeout."""
_SPREAD = "For a function whose parameters are the payload's keys: toolgen_runtime.spread(function)"
_PLAIN = (dict, list, str, int, float, bool, NoneType)


def arguments_for(handler: Handler, tool: Tool[Any], payload: Any) -> tuple[Any, ...]:
    """What to call the handler with, for a payload that passed its check.

    Raises:
        TypeError: the handler takes something else than one argument, or another tool's model.
    """
    parameter = _parameter(handler, tool)
    if parameter is None:
        return ()
    view = _view(parameter.annotation, tool)
    if view is None:
        given = tool.payload_type.__name__
        wanted = inspect.formatannotation(parameter.annotation)
        raise TypeError(
            f"the handler of {tool.name!r} takes {wanted}; it can be given {given} or a dict. {_SPREAD}"
        )
    return (tool.payload_type.from_checked(payload) if view == "model" else copied(payload),)


def copied(payload: Any) -> Any:
    """A JSON value that shares no container with the original; of any depth.

    The original often is part of the message history, where a handler's `pop` must not show.
    """
    holder: list[Any] = [payload]
    todo: list[Any] = [holder]
    while todo:
        container = todo.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, (dict, list)):
                container[key] = fresh = value.copy()
                todo.append(fresh)
    return holder[0]


def _parameter(handler: Handler, tool: Tool[Any]) -> inspect.Parameter | None:
    what: object = repr(handler)
    if callable(handler):
        try:
            what = signature = _signature(handler)
        except ValueError:  # a builtin that does not tell
            return inspect.Parameter("payload", inspect.Parameter.POSITIONAL_ONLY)
        if not signature.parameters:
            return None
        with suppress(TypeError):
            return next(iter(signature.bind(None).signature.parameters.values()))
    raise TypeError(
        f"the handler of {tool.name!r} must be callable with one argument, the payload; it is {what}"
        + (f". {_SPREAD}" if callable(handler) else "")
    )


def _signature(handler: Handler) -> inspect.Signature:
    try:
        return inspect.signature(handler, eval_str=True)
    except Exception:  # annotations may be any code, and name what only type checkers import
        return inspect.signature(handler)


def _view(annotation: Any, tool: Tool[Any]) -> Literal["model", "plain"] | None:
    """What an annotation asks for, None where it is neither."""
    if annotation is inspect.Parameter.empty or annotation is Any:
        return "plain"
    if isinstance(annotation, str):
        return "model" if annotation.rpartition(".")[2] == tool.payload_type.__name__ else "plain"
    origin = get_origin(annotation)
    if origin is Annotated:
        return _view(get_args(annotation)[0], tool)
    if origin in (Union, UnionType):
        views = {_view(member, tool) for member in get_args(annotation) if member is not NoneType}
        return "model" if "model" in views else "plain" if "plain" in views else None
    kind = origin or annotation
    if not isinstance(kind, type) or is_typeddict(kind) or _is_plain(kind):
        return "plain"
    return "model" if issubclass(tool.payload_type, kind) else None


def _is_plain(kind: type) -> bool:
    try:
        return any(issubclass(plain, kind) for plain in _PLAIN)
    except TypeError:  # a protocol that cannot be asked
        return True


def is_async(handler: Handler) -> bool:
    """Whether calling the handler gives a coroutine, as far as that is known without calling it."""
    call = type(handler).__call__  # of an object that is callable by its class
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)


def run(handler: Handler, arguments: tuple[Any, ...], timeout: float | None) -> Any:
    """Run a handler to its end and return its result.

    A sync handler runs in this thread; with a timeout it runs in one of its own, which cannot be stopped: it
    is left to finish, its result is dropped. An async handler runs in an event loop of its own.

    Raises:
        ToolExecutionError: `timeout`, after `timeout` seconds.
        WrongLoopError: an async handler, and this thread has a running event loop: there use `arun`.
    """
    if is_async(handler):
        _refuse_nested_loop()
        return _in_loop(arun(handler, arguments, timeout))
    if timeout is None:
        result = handler(*arguments)
    else:
        running = _in_thread(handler, arguments)
        if not wait([running], timeout).done:
            raise _timed_out(timeout)
        result = running.result().get()
    if inspect.isawaitable(result):
        _refuse_nested_loop(result)
        return _in_loop(_awaited(result, timeout))
    return result


async def arun(handler: Handler, arguments: tuple[Any, ...], timeout: float | None) -> Any:
    """As `run`, in the running event loop.

    An async handler is awaited here, with a timeout in a task of its own; at the timeout it is canceled, and
    left behind if it does not end then. A sync one always gets a thread of its own, so that it cannot hold up
    the loop.
    """
    if is_async(handler):
        return await _awaited(handler(*arguments), timeout)
    outcome = await _awaited(asyncio.wrap_future(_in_thread(handler, arguments)), timeout)
    result = outcome.get()
    return await _awaited(result, timeout) if inspect.isawaitable(result) else result


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
        return task.result().get()
    await _leave(task)
    raise _timed_out(timeout)


async def _outcome_of(awaitable: Awaitable[Any]) -> _Outcome:
    try:
        return _Outcome(await awaitable, None)
    except BaseException as error:  # re-raised by whoever waits; a task that was left has nobody
        return _Outcome(None, error)


async def _leave(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait a moment for it to end; one that goes on is left behind.

    `asyncio` keeps weak references only, and would complain of a pending task that was collected.
    """
    task.cancel()
    _left.add(task)
    task.add_done_callback(_left.discard)
    await asyncio.wait((task,), timeout=_GRACE)


def _in_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in an event loop of its own, in this thread.

    At its timeout, what is left in the loop (tasks that do not end, threads of `to_thread`) is waited for in a
    daemon thread.
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
    return ToolExecutionError(ToolErrorKind.TIMEOUT, f"no answer within {timeout:g} s")


class WrongLoopError(RuntimeError):
    """An async handler cannot be run to its end from inside a running event loop."""


def _refuse_nested_loop(unused: object = None) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if inspect.iscoroutine(unused):
        unused.close()
    raise WrongLoopError("call() cannot wait for an async handler inside a running event loop: await acall()")


class _Outcome:
    """How a handler ended, as a value: futures cannot carry every exception (`StopIteration`)."""

    __slots__ = ("_error", "_result")

    def __init__(self, result: Any, error: BaseException | None) -> None:
        self._result = result
        self._error = error

    def get(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._result


def _in_thread(handler: Handler, arguments: tuple[Any, ...]) -> Future[_Outcome]:
    """Start the handler in a daemon thread: unlike a pool's, it holds up neither other calls nor the exit."""
    future: Future[_Outcome] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome = _Outcome(context.run(handler, *arguments), None)
        except BaseException as error:  # re-raised by whoever waits
            outcome = _Outcome(None, error)
        if future.set_running_or_notify_cancel():
            future.set_result(outcome)

    threading.Thread(target=work, name="toolgen-handler", daemon=True).start()
    return future
