"""Timing of two alternatives in turn, warmed up, best of several rounds. Only ratios are used."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from timeit import Timer
from typing import Any


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a measurement: rounds and seconds per round in this process, and rounds of new processes."""

    rounds: int
    seconds: float
    processes: int
    builds: int


THOROUGH = Effort(rounds=7, seconds=0.0005, processes=15, builds=3)
QUICK = Effort(rounds=3, seconds=0.0002, processes=5, builds=1)


@dataclass(frozen=True, slots=True)
class Work:
    """A statement and its globals. It runs in its own loop, so that no wrapper adds to its time."""

    statement: str
    names: Mapping[str, Any]

    def timer(self) -> Timer:
        return Timer(self.statement, globals=dict(self.names))


def ratio(ours: Work, theirs: Work, effort: Effort) -> float:
    """Return the ratio of the best times of two statements, measured in turn."""
    timers = [ours.timer(), theirs.timer()]
    numbers = [_fitting(timer, effort.seconds) for timer in timers]
    best = [float("inf")] * 2
    for _ in range(effort.rounds):
        for side, (timer, number) in enumerate(zip(timers, numbers, strict=True)):
            best[side] = min(best[side], timer.timeit(number) / number)
    return best[0] / best[1]


def _fitting(timer: Timer, seconds: float) -> int:
    """Return how often a statement runs in a number of seconds, at least once; this also warms it up."""
    once = min(timer.timeit(1) for _ in range(3))
    return max(1, int(seconds / max(once, 1e-9)))


def best_in_turn(sides: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Return the minimum of each function over several rounds in turn, after a first one that is not counted."""
    for side in sides.values():
        side()
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, side in sides.items():
            best[name] = min(best[name], side())
    return best


# -- processes ----------------------------------------------------------------------------------------------


def environment(cache: Path | None) -> dict[str, str]:
    """Return the environment of a new process; its bytecode is written below `cache`, or not at all if that is None."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
    return env | ({"PYTHONPYCACHEPREFIX": str(cache)} if cache else {"PYTHONDONTWRITEBYTECODE": "1"})


class ProcessFailed(Exception):  # noqa: N818  a finding, not an error of this program
    """A measured process exited with an error."""


def run(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> str:
    """Return the output of a process.

    Raises:
        ProcessFailed: its exit code is not 0.
    """
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProcessFailed(f"{' '.join(command)[:200]} left with {done.returncode}:\n{done.stderr[-1500:]}")
    return done.stdout


def seconds_of(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> float:
    """Return the time of a whole process, in seconds."""
    start = time.perf_counter()
    run(command, env, cwd)
    return time.perf_counter() - start


def processor_seconds() -> float:
    """Return the processor time of all ended child processes, and of their own children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# A process inherits the peak of its parent, so the parent here is smaller than a bare interpreter.
_PEAK = """
import os, sys
started = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(started, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_memory(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> float:
    """Return the largest resident set of a process or one of its children, in the unit of `getrusage`."""
    printed = run([sys.executable, "-S", "-E", "-c", _PEAK, *command], env, cwd)
    return float(printed.rsplit(maxsplit=1)[-1])
