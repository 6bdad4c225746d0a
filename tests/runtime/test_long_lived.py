"""Processes that live long: caches are bounded, nothing grows, forks and cancelled calls leave things right."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import logging
import multiprocessing
import pkgutil
import sys
import tracemalloc
from typing import Any

import pytest

import toolgen
import toolgen_runtime
from toolgen import compile_tools
from toolgen.package.compiled_tools import MOST_KEPT
from toolgen_runtime import Conversation, Registry, ToolErrorKind
from toolgen_runtime.validation import patterns

TEMPLATES_ONLY = {"expression", "statement", "fragment"}
"""Caches of what stands in toolgen's own source: a few hundred templates."""
LONG = 100_000


def spec(number: int) -> dict[str, Any]:
    members = {
        f"field{number}": {"type": "string", "pattern": f"^a{number}[b-z]+$"},
        "n": {"enum": [f"v{number}", f"w{number}"]},
        "inner": {"type": "object", "properties": {f"k{number}": {"type": "integer"}}},
    }
    return {
        "name": f"tool{number}",
        "description": f"Does {number}. " * 20,
        "inputSchema": {
            "type": "object",
            "properties": members,
            "required": [f"field{number}"],
            "additionalProperties": False,
        },
        "outputSchema": {"type": "object", "properties": {f"r{number}": {"type": "string"}}},
    }


def use(number: int) -> None:
    """Compile a tool that there was not before, and call it rightly and wrongly."""
    conversation = Conversation(compile_tools([spec(number)]), check_results="note")
    name = f"tool{number}"
    assert conversation.call(name, {f"field{number}": f"a{number}b"}, lambda _: {"r": 1}).executed
    wrong = {f"feild{number}": "x", f"{number}" + "y" * LONG: 1, "n": "x" * LONG, "inner": {f"q{number}": 2}}
    for arguments in (wrong, '{"n": "zz", ' + f"'{number}'"):
        assert not conversation.call(name, arguments, lambda _: None).executed


def grown(warm: int, calls: int) -> int:
    """Bytes that calls leave behind, beyond what those before them had left."""
    logging.disable(logging.CRITICAL)  # pytest keeps what is logged
    tracemalloc.start()  # before the first: caches that are full let go of what came then
    try:
        before = 0
        for number in range(warm + calls):
            if number == warm:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
            use(number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        logging.disable(logging.NOTSET)


def assert_nothing_grows(warm: int, calls: int, most: int) -> None:
    use(0)  # loads what is loaded at the first use
    modules = len(sys.modules)
    left = grown(warm, calls)
    assert left < most, f"{left} bytes after {calls} compiles"
    # The last 1,000 checks of results stay compiled (`toolgen.package.compiled_tools.MOST_KEPT`).
    assert len(sys.modules) <= modules + min(warm + calls, MOST_KEPT) + 16


def test_nothing_grows_with_tools_that_come_and_go() -> None:
    """20 payloads with texts of 100,000 characters: keeping one of each would take 2 MB."""
    assert_nothing_grows(warm=15, calls=20, most=1_000_000)


@pytest.mark.long
def test_nothing_grows_over_two_thousand_compiles() -> None:
    assert_nothing_grows(warm=1500, calls=2000, most=1_500_000)


def test_patterns_go_with_the_last_tool_that_has_them() -> None:
    tools = [compile_tools([spec(number)])[f"tool{number}"] for number in range(7000, 7010)]
    for number, tool in enumerate(tools, 7000):
        tool.validate({f"field{number}": "x"})
    found = patterns._matchers
    assert found is not None
    gc.collect()  # forms of them that were tried and not chosen
    assert sum("a70" in text for text, _ in found) == 10
    del tool, tools[:]
    gc.collect()
    assert sum("a70" in text for text, _ in found) == 0


def caches(package: Any) -> dict[str, Any]:
    """Every function of a package that remembers results, by name."""
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".adapters." in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, functools._lru_cache_wrapper) and value.__module__ == module.name:
                found[name] = value
    return found


@pytest.mark.parametrize("package", [toolgen, toolgen_runtime], ids=lambda p: p.__name__)
def test_every_cache_of_a_function_is_bounded(package: Any) -> None:
    found = caches(package)
    assert found
    unbounded = {name for name, cache in found.items() if cache.cache_info().maxsize is None}
    takes_arguments = {
        name
        for name in unbounded
        if found[name].__wrapped__.__code__.co_argcount and name not in TEMPLATES_ONLY
    }
    assert takes_arguments == set()


def checked_in_child(numbers: list[int]) -> list[str]:
    """Use a tool that the parent had compiled, and compile others."""
    conversation = Conversation(compile_tools([spec(1)]))
    said = [conversation.call("tool1", {}, lambda _: None).text()]
    for number in numbers:
        use(number)
    return said


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_fork_goes_on_with_what_was_imported_and_compiled() -> None:
    tool = compile_tools([spec(1)])["tool1"]
    expected = checked_in_child([])
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(checked_in_child, [[8001, 8002], [8001, 8003]]) == [expected, expected]
    assert compile_tools([spec(1)])["tool1"] is tool


class Slow:
    """A handler that is under way until it is told to end."""

    def __init__(self, swallows: bool) -> None:
        self.swallows = swallows
        self.started = asyncio.Event()

    async def __call__(self, payload: Any) -> dict[str, int]:
        self.started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if not self.swallows:
                raise
        return {"r": 1}


@pytest.mark.parametrize("swallows", [False, True])
def test_a_cancelled_call_is_counted_and_leaves_nothing(swallows: bool) -> None:
    async def run() -> None:
        conversation = Conversation(Registry(calls_per_turn=2).with_tools(compile_tools([spec(2)])))
        conversation.begin_turn()
        handler = Slow(swallows)
        arguments = {"field2": "a2b"}
        call = asyncio.create_task(conversation.acall("tool2", arguments, handler, call_id="c1"))
        await asyncio.wait_for(handler.started.wait(), 20)
        call.cancel()
        await asyncio.wait({call}, timeout=20)
        assert call.cancelled() or (swallows and call.result().state == "done")
        again = await conversation.acall("tool2", arguments, lambda _: {"r": 1}, call_id="c2")
        assert (again.state, again.executed) == ("done", True)
        third = await conversation.acall("tool2", arguments, lambda _: {"r": 1}, call_id="c3")
        assert third.kind is ToolErrorKind.LIMIT_EXCEEDED, (
            "the place of the call that was cancelled stays taken"
        )
        ended = conversation.begin_turn()
        # What was begun may have taken effect: it counts, also where it goes up as `CancelledError`.
        assert (ended.attempted - 1, ended.executed, ended.succeeded) == (2, 2, 1 + swallows)
        assert ended.failures == {ToolErrorKind.LIMIT_EXCEEDED: 1}
        await asyncio.sleep(0.05)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert others == set()

    asyncio.run(run())
