"""Whatever is made at its first use is whole, and one, for all threads that use it first (`races.py`)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from helpers import races
from helpers.races import THREADS
from helpers.support import for_each, put_package, python

from toolgen_runtime import Tool, Toolset
from toolgen_runtime.payloads.payload import Payload
from toolgen_runtime.validation.patterns import at_first_call

T = TypeVar("T")

PROCESSES = 1
"""Fresh processes a case; raise it to look for a race, which is seen in some processes, not in all."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The search path with the raced package, whose modules are compiled so that threads meet sooner."""
    folder = tmp_path_factory.mktemp("raced")
    put_package(folder, "raced_tools", races.TOOLS)
    python("-m", "compileall", "-q", folder)
    return os.pathsep.join([str(folder), *sys.path])


@pytest.mark.parametrize("case", races.CASES)
def test_threads_that_come_first_get_what_later_ones_get(case: str, path: str) -> None:
    command = [sys.executable, str(Path(races.__file__)), case]
    environment = {**os.environ, "PYTHONPATH": path}
    running = [
        subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for _ in range(PROCESSES)
    ]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]
    assert not [errors[-3000:] for errors, code in ended if code]


def in_threads(count: int, act: Callable[[], T]) -> list[T]:
    """What each of some threads gets."""
    results: list[T] = []
    threads = [threading.Thread(target=lambda: results.append(act())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@for_each([True, False], ids=["all load at once", "one by one"])
def test_a_tool_has_one_payload_type_however_often_it_is_loaded(waiting: bool) -> None:
    all_there = threading.Barrier(THREADS if waiting else 1)
    made: list[type[Payload]] = []

    def load() -> type[Payload]:
        all_there.wait(10)
        made.append(type("Made", (Payload,), {}))
        return made[-1]

    tool: Tool[Any] = Tool(name="t", description="", schema="{}", validate=lambda _: [], payload_type=load)
    got = in_threads(THREADS, lambda: tool.payload_type)
    assert len(got) == THREADS
    assert {*got, tool.payload_type} <= {*made}
    assert len({*got, tool.payload_type}) == 1
    assert not waiting or len(made) == THREADS
    assert type(tool.parse({})) is tool.payload_type


def test_a_name_has_one_tool_however_often_it_is_loaded() -> None:
    all_there = threading.Barrier(THREADS)

    def load(module: str) -> Tool[Any]:
        all_there.wait(10)
        return Tool(
            name=module, description="", schema="{}", validate=lambda _: [], payload_type=lambda: Payload
        )

    toolset = Toolset("package", {"a": "a"}, load)
    got = in_threads(THREADS, lambda: toolset["a"])
    assert len({id(tool) for tool in [*got, toolset["a"]]}) == 1


def test_a_function_made_at_its_first_call_is_made_whole_for_all() -> None:
    all_there = threading.Barrier(THREADS)
    scope: dict[str, Any] = {}

    def make() -> Callable[[str], Any]:
        all_there.wait(10)
        scope.update({f"name_{i}": i for i in range(1000)})  # as modules grow meanwhile
        return re.compile("a+").fullmatch

    scope["is_a"] = stand_in = at_first_call(make)
    exec("def ask(text): return bool(is_a(text))", scope)
    assert in_threads(THREADS, lambda: (scope["ask"]("aa"), scope["ask"]("ab"))) == [(True, False)] * THREADS
    assert scope["is_a"] is not stand_in, "later calls go through no second function"
    assert stand_in("a")
