"""How much Python a call runs: measures of time that no other load on the machine changes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from cProfile import Profile
from typing import Any


def opcodes(call: Callable[[Any], Any], argument: Any, *, calls: int = 2) -> int:
    """How many opcodes Python runs in the last of some calls; those of functions written in C do not count."""
    return _traced("opcode", call, argument, calls)


def lines(call: Callable[[Any], Any], argument: Any, *, calls: int = 2) -> int:
    """How many lines Python runs in the last of some calls, each turn of a loop in one line among them.

    Shows growth as opcodes do, and takes a third of the time.
    """
    return _traced("line", call, argument, calls)


def _traced(counted: str, call: Callable[[Any], Any], argument: Any, calls: int) -> int:
    count, by_opcode = 0, counted == "opcode"

    def inside(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        count += event == counted
        return inside

    def entered(frame: Any, event: str, _: Any) -> Any:
        frame.f_trace = inside  # CPython 3.13 heeds `f_trace_opcodes` of a traced frame alone
        frame.f_trace_opcodes, frame.f_trace_lines = by_opcode, not by_opcode
        return inside

    before, limit = sys.gettrace(), sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)  # a RecursionError in a trace function would end the tracing
    collects = gc.isenabled()
    gc.disable()  # others may have written its callbacks in Python
    try:
        for _ in range(calls - 1):  # what is loaded or made on first use is no part of it
            call(argument)
        # CPython 3.12 tells of opcodes only if a frame has asked for them before the tracing begins.
        sys._getframe().f_trace_opcodes = by_opcode
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
    before, profile = sys.getprofile(), Profile(subcalls=False, builtins=False)
    profile.enable()
    try:
        run()
    finally:
        profile.disable()
        sys.setprofile(before)
    return sum(entry.callcount for entry in profile.getstats())
