"""What a handler is given, where it runs, how long it may take."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import datetime
import functools
import gc
import inspect
import threading
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Protocol, TypedDict

import pydantic
import pytest
from helpers.handler_kinds import Clerk, coroutine, plain
from helpers.support import JsonObject, for_each, no_collection, python
from helpers.two_tools import GOOD, TOOLS, both, facts, registry, run

from toolgen_runtime import ToolOutput
from toolgen_runtime.payloads.payload import Payload


class TicketDict(TypedDict):
    title: str
    project_id: int


class HasKeys(Protocol):
    def keys(self) -> Any: ...


def plain_handlers() -> list[Callable[..., Any]]:
    def unannotated(payload):  # type: ignore[no-untyped-def]
        return payload

    def mapping(payload: Mapping[str, Any]) -> Any:
        return payload

    def typed(payload: TicketDict) -> Any:
        return payload

    def duck(payload: HasKeys) -> Any:
        return payload

    def optional(payload: JsonObject | None = None) -> Any:
        return payload

    def more(payload: Any, _retries: int = 3, *_rest: Any, _flag: bool = False) -> Any:
        return payload

    def unresolvable(payload: NotImportedHere) -> Any:  # type: ignore[name-defined]  # noqa: F821
        return payload

    def with_context(context: str, payload: JsonObject) -> Any:
        assert context == "db"
        return payload

    return [
        plain,
        unannotated,
        mapping,
        typed,
        duck,
        optional,
        more,
        unresolvable,
        functools.partial(with_context, "db"),
        coroutine,
        functools.partial(coroutine),
        lambda payload: coroutine(payload),
        lambda *payload: payload[0],
        Clerk(),
        Clerk().method,
        Clerk().amethod,
        dict,
    ]


@both
@for_each(plain_handlers(), ids=lambda h: getattr(h, "__name__", type(h).__name__))
def test_a_handler_gets_the_plain_payload(handler: Callable[..., Any], *, way: str) -> None:
    assert run(way, "create_ticket", GOOD, handler).result == GOOD


@both
def test_a_handler_gets_the_payload_model(way: str) -> None:
    model: Any = TOOLS["create_ticket"].payload_type

    def own(payload: Any) -> Any:
        assert type(payload) is model
        return payload.title

    async def aown(payload: Any) -> Any:
        return own(payload)

    def of(annotation: Any) -> Any:
        handler = functools.partial(own)
        handler.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("payload", inspect.Parameter.POSITIONAL_ONLY, annotation=annotation)]
        )
        return handler

    for handler in (own, aown):
        handler.__annotations__["payload"] = model
        assert run(way, "create_ticket", GOOD, handler).result == "Login broken"
    other: Any = TOOLS["now"].payload_type
    named = "models." + model.__name__
    for annotation in (
        Payload,
        pydantic.BaseModel,
        model | None,
        other | model,
        Annotated[model, "x"],
        named,
    ):
        assert run(way, "create_ticket", GOOD, of(annotation)).result == "Login broken"
    assert run(way, "create_ticket", GOOD, lambda payload: payload["title"]).result == "Login broken"
    with pytest.raises(TypeError, match=f"takes .*{other.__name__}.*can be {model.__name__} or a dict"):
        run(way, "create_ticket", GOOD, of(other | None))


def two(payload: Any, context: Any) -> None: ...
def keywords(*, title: str) -> None: ...
def other(payload: datetime.date) -> None: ...


@both
@for_each([(two, "one argument"), (keywords, "one argument"), (other, "date"), (None, "None")])
def test_a_handler_that_cannot_be_called_is_a_mistake_of_the_program(
    handler: Any, says: str, *, way: str
) -> None:
    with pytest.raises(TypeError, match=f"'create_ticket'.*{says}"):
        run(way, "create_ticket", GOOD, handler)


def test_call_runs_an_async_handler_but_not_inside_a_loop() -> None:
    async def handler(_: JsonObject) -> str:
        return "done"

    assert registry().call("now", {}, handler).result == "done"

    async def inside(which: Any) -> None:
        registry().call("now", {}, which)

    for which in (handler, lambda payload: handler(payload)):
        with pytest.raises(RuntimeError, match="acall"):
            asyncio.run(inside(which))


def test_a_sync_handler_does_not_hold_up_the_loop_and_sees_the_context() -> None:
    request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id")
    ticks = []

    def slow(_: Any) -> str:
        time.sleep(0.1)
        assert threading.current_thread() is not threading.main_thread()
        return request_id.get()

    async def main() -> ToolOutput:
        request_id.set("r1")
        task = asyncio.ensure_future(registry().acall("now", {}, slow))
        while not task.done():
            ticks.append(1)
            await asyncio.sleep(0.01)
        return await task

    with no_collection():
        assert asyncio.run(main()).result == "r1"
    assert len(ticks) > 3


@both
@for_each([asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_failure_passes_through(error: type[BaseException], *, way: str) -> None:
    ended: list[ToolOutput | None] = []

    def handler(_: Any) -> None:
        raise error

    async def ahandler(_: Any) -> None:
        raise error

    for which in (handler, ahandler):
        with pytest.raises(error):
            run(way, "create_ticket", GOOD, which, on_call=lambda _: ended.append)
    assert ended == [None, None]


async def _swallows_once(_: Any) -> str:
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        await asyncio.sleep(1)
    return "late"


async def _swallows_always(_: Any) -> str:
    end = time.monotonic() + 1
    while time.monotonic() < end:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(end - time.monotonic())
    return "late"


async def _answers_its_cancellation(_: Any) -> str:
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        return "late"
    return "never"


async def _fails_at_its_cancellation(_: Any) -> None:
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        await asyncio.sleep(0.2)
        raise ValueError("late") from None


async def _shields(_: Any) -> None:
    await asyncio.shield(asyncio.sleep(1))


async def _waits_for_a_thread(_: Any) -> None:
    await asyncio.to_thread(time.sleep, 1)


def _gives_a_stubborn_awaitable(payload: Any) -> Any:
    return _swallows_always(payload)


STUBBORN = [
    _swallows_once,
    _swallows_always,
    _answers_its_cancellation,
    _fails_at_its_cancellation,
    _shields,
    _waits_for_a_thread,
    _gives_a_stubborn_awaitable,
    lambda _: time.sleep(1),
]


@pytest.fixture(scope="module")
def few_objects() -> None:
    """Let collections look at none of the many objects that other tests made."""
    gc.collect()
    gc.freeze()


@both
@pytest.mark.usefixtures("few_objects")
@for_each(STUBBORN, ids=lambda h: h.__name__)
def test_a_handler_that_does_not_stop_is_left_behind(
    handler: Any, *, way: str, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    async def timed() -> tuple[ToolOutput, float]:
        began = time.monotonic()
        output = await registry(timeout=0.05).acall("now", {}, handler)
        took = time.monotonic() - began
        await asyncio.sleep(0.25)  # for what is left to fail
        return output, took

    gc.collect()  # what other tests left may warn too
    recwarn.clear()
    caplog.clear()
    with no_collection():
        began = time.monotonic()
        if way == "call":
            output, took = registry(timeout=0.05).call("now", {}, handler), time.monotonic() - began
        else:
            output, took = asyncio.run(timed())
    assert facts(output) == ("timeout", True, "check_first")
    assert output.error.message == "no response within 0.05 s"
    assert took < 0.5
    gc.collect()
    assert [r.getMessage() for r in caplog.records if r.name == "asyncio"] == []
    assert [str(w.message) for w in recwarn] == []


# Without a timeout a handler is awaited like any coroutine: one that swallows its cancellation goes on.
@for_each(
    [
        *((handler, 0.6) for handler in STUBBORN),
        *((handler, None) for handler in (_shields, _waits_for_a_thread, STUBBORN[-1])),
    ]
)
def test_the_callers_own_cancellation_goes_through_at_once(handler: Any, timeout: float | None) -> None:
    async def main() -> float:
        task = asyncio.ensure_future(registry(timeout=timeout).acall("now", {}, handler))
        await asyncio.sleep(0.02)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    with no_collection():
        assert asyncio.run(main()) < 0.3


def test_a_canceled_handler_has_time_for_its_cleanup() -> None:
    cleaned: list[str] = []

    async def handler(_: Any) -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append("up")

    async def main() -> None:
        assert (await registry(timeout=0.02).acall("now", {}, handler)).kind == "timeout"
        assert cleaned == ["up"]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(registry(timeout=5).acall("now", {}, handler), 0.02)
        assert cleaned == ["up", "up"]

    asyncio.run(main())


def test_a_handler_that_never_stops_holds_up_neither_call_nor_exit() -> None:
    program = """
import asyncio, threading
from toolgen import compile_tools
from toolgen_runtime import Registry
registry = Registry(timeout=0.05)
registry.register(compile_tools({"name": "now", "inputSchema": {"type": "object"}}))
async def never(payload):
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
stuck = threading.Event().wait
for handler in (never, never, lambda: stuck()):
    print(registry.call("now", {}, handler).kind)
print(asyncio.run(registry.acall("now", {}, lambda: stuck())).kind)
"""
    ran = python("-W", "error", "-c", program, timeout=20)
    assert ran.stdout.split() == ["timeout"] * 4
    assert [line for line in ran.stderr.splitlines() if line != "now: timeout"] == []


@both
def test_a_handlers_own_timeout_is_not_the_boundarys(way: str) -> None:
    def handler(_: Any) -> None:
        raise TimeoutError("the database is slow")

    async def ahandler(payload: Any) -> None:
        handler(payload)

    for which in (handler, ahandler):
        output = run(way, "now", {}, which, timeout=5)
        assert output.kind == "timeout"
        assert output.error.message == "the database is slow"
    assert run(way, "now", {}, lambda: "quick", timeout=5).result == "quick"
