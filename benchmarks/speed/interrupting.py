"""A build of many tools: its time, the memory of all its processes together, and the remains after Ctrl-C at any time.

`python benchmarks/speed/interrupting.py [TOOLS]` builds 10,000 tools once, then repeatedly into an empty folder, with a
signal at another moment each time, the last one during the write, and lists the remaining files and processes.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from helpers.support import MASKBENCH, require_data
from packages import Workshop, build_command
from timing import seconds_of

MOMENTS = (0.02, 0.2, 0.5, 0.8, 0.95, 0.99)
"""The moments to interrupt, as fractions of a whole build's time."""
EVERY = 0.1
PATIENCE = 5.0


def tree(root: int) -> list[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        found.append(process := waiting.pop())
        waiting += children.get(process, [])
    return found


def ended(process: int) -> bool:
    """Return whether a process has ended; the resource tracker ends a moment after the other processes."""
    until = time.perf_counter() + PATIENCE
    while Path(f"/proc/{process}").exists():
        if time.perf_counter() > until:
            return False
        time.sleep(EVERY)
    return True


def megabytes(process: int) -> float:
    """Return the resident memory of a process, in which shared pages count in part."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def whole(command: list[str], workshop: Workshop) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, env=workshop.env, cwd=workshop.folder, stderr=subprocess.DEVNULL)
    peak, most = 0.0, 0
    while process.poll() is None:
        processes = tree(process.pid)
        peak, most = max(peak, sum(map(megabytes, processes))), max(most, len(processes))
        time.sleep(EVERY)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert process.returncode == 0
    print(f"{seconds:.0f} s, {used:.0f} s of processors, load {os.getloadavg()[0]:.1f}")
    print(f"{most} processes, {peak:.0f} MB together at most", flush=True)


def hear_ctrl_c() -> None:
    """Restore the handling of SIGINT, which a shell makes its background jobs ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(command: list[str], workshop: Workshop, seconds: float | None) -> None:
    """Interrupt a build after some seconds, or as soon as it writes its package."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=workshop.env,
        cwd=workshop.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    name = Path(command[-1]).name
    stage = workshop.folder / f".{name}.toolgen-new"
    if seconds is not None:
        time.sleep(seconds)
    while seconds is None and process.poll() is None and not stage.exists():
        time.sleep(EVERY / 100)
    processes = tree(process.pid)
    sent = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)  # to all processes, as a terminal does
    said = process.communicate()[1].splitlines()
    took = time.perf_counter() - sent
    alive = [each for each in processes if not ended(each)]
    left = sorted(path.name for path in workshop.folder.iterdir() if name in path.name)
    when = f"after {sent - started:.0f} s" if seconds is not None else "while it writes"
    print(f"Ctrl-C {when}: exit {process.returncode} in {took:.1f} s, {said[-1:]}", end="; ")
    print(f"left: files {left}, processes {alive}", flush=True)


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        specs = workshop.specs(count)
        print(f"{count} tools, {specs.stat().st_size / 1e6:.1f} MB of specs")
        whole(build_command(specs, workshop.folder / "whole"), workshop)
        # Again, without readings of its memory, which take time.
        seconds = seconds_of(build_command(specs, workshop.folder / "again"), workshop.env, workshop.folder)
        for moment in MOMENTS:
            name = f"interrupted_{moment * 100:.0f}"
            workshop.env["TOOLGEN_CACHE_DIR"] = str(workshop.folder / f"cache_{moment}")
            interrupted(build_command(specs, workshop.folder / name), workshop, seconds * moment)
        workshop.env["TOOLGEN_CACHE_DIR"] = str(workshop.folder / "cache_last")
        interrupted(build_command(specs, workshop.folder / "interrupted_last"), workshop, None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tools", nargs="?", type=int, default=10_000, help="how many tools to build")
    count = parser.parse_args().tools
    require_data(MASKBENCH)
    main(count)
