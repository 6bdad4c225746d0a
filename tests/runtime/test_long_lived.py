"""Processes that live long: caches are bounded, forks and cancelled calls leave things right."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import multiprocessing
import pkgutil
from typing import Any

import pytest
from helpers.support import JsonObject, for_each

import toolgen
import toolgen_runtime
from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry, ToolErrorKind
from toolgen_runtime.validation import patterns

TEMPLATES_ONLY = {"expression", "statement", "fragment"}
"""Caches of what stands in toolgen's own source: a few hundred templates."""


def spec(number: int) -> JsonObject:
    field = {"type": "string", "pattern": f"^a{number}[b-z]+$"}
    schema = {"type": "object", "properties": {f"field{number}": field}, "required": [f"field{number}"]}
    return {"name": f"tool{number}", "inputSchema": schema}


def test_patterns_go_with_the_last_tool_that_has_them() -> None:
    tools = [compile_tools([spec(number)])[f"tool{number}"] for number in range(7000, 7010)]
    for number, tool in enumerate(tools, 7000):
        tool.validate({f"field{number}": "x"})
    found = patterns._matchers
    gc.collect()  # forms of them that were tried and not chosen
    assert sum("a70" in text for text, _ in found) == 10
    del tool, tools[:]
    gc.collect()
    assert sum("a70" in text for text, _ in found) == 0


def caches(package: Any) -> JsonObject:
    """Every function of a package that remembers results, by name."""
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".adapters." in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, functools._lru_cache_wrapper) and value.__module__ == module.name:
                found[name] = value
    return found


@for_each([toolgen, toolgen_runtime], ids=lambda p: p.__name__)
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


def checked_in_child(number: int) -> list[str]:
    """Use a tool that the parent had compiled, and compile another one."""
    return [Conversation([spec(each)]).call(f"tool{each}", {}, print).text() for each in (1, number)]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_fork_goes_on_with_what_was_imported_and_compiled() -> None:
    tool = compile_tools([spec(1)])["tool1"]
    expected = [checked_in_child(number) for number in (8001, 8002)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(checked_in_child, [8001, 8002]) == expected
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


@for_each([False, True])
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
