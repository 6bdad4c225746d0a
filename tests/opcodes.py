"""How much Python a call runs: a measure of time that no other load on the machine changes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any


def opcodes(call: Callable[[Any], Any], argument: Any, *, calls: int = 2) -> int:
    """How many opcodes Python runs in the last of some calls; those of functions written in C do not count."""
    count = 0

    def inside(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "opcode"
        return inside

    def entered(frame: Any, event: str, _: Any) -> Any:
        frame.f_trace = inside  # CPython 3.13 heeds `f_trace_opcodes` of a traced frame alone
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return inside

    before, limit = sys.gettrace(), sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)  # a RecursionError in a trace function would end the tracing
    collects = gc.isenabled()
    gc.disable()  # others may have written its callbacks in Python
    try:
        for _ in range(calls - 1):  # what is loaded or made on first use is no part of it
            call(argument)
        # CPython 3.12 tells of opcodes only if a frame has asked for them before the tracing begins.
        sys._getframe().f_trace_opcodes = True
        sys.settrace(entered)
        call(argument)
    finally:
        sys.settrace(before)
        sys._getframe().f_trace_opcodes = False
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()
    assert count, "nothing was counted"
    return count


def calls(run: Callable[[], object]) -> int:
    """Return how many Python functions are called."""
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
