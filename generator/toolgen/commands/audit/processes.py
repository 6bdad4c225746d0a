"""Distribute work over several processes, and return the results in order. No process is left behind."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Final, TypeVar

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.package.interrupts import interrupts_blocked

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_AHEAD: Final = 2
"""The number of batches that may wait or run, for each process."""


def are_copies() -> bool:
    """Return whether new processes are forks of this one, which have already loaded everything.

    A fork copies the locks of other threads in their current state, so processes are forked only if there are no other
    threads. Otherwise, and if threads cannot be counted, each process is a new interpreter.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def in_order(work: Callable[[Batch], Result], batches: Iterable[Batch], jobs: int) -> Generator[Result]:
    """Run `work` on each batch in up to `jobs` processes, and yield the results in the order of the batches.

    When the iterator ends or is closed, the processes have ended. They also end when this process is killed.

    Raises:
        SpecError: `worker-died`: a process cannot be started, or ended without a result.
        Exception: an exception of `work`; it is raised again when it is its batch's turn.
    """
    copies = are_copies()
    pool = ProcessPoolExecutor(jobs, get_context("fork" if copies else "spawn"), _begin)
    running: deque[Future[Result]] = deque()
    workers: list[BaseProcess] = []
    try:
        for batch in batches:
            running.append(_submitted(pool, work, batch, workers, copies))
            if len(running) > jobs * _AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    except BrokenProcessPool:
        pool.shutdown()  # its thread ends the processes and collects their exit codes, which are unreliable before
        raise _failed(f"a process ended without a result{_exit_code(workers)}") from None
    finally:
        for worker in workers:  # at once: they have no state to clean up
            worker.kill()
        pool.shutdown(cancel_futures=True)


def _submitted(
    pool: ProcessPoolExecutor,
    work: Callable[[Batch], Result],
    batch: Batch,
    workers: list[BaseProcess],
    copies: bool,
) -> Future[Result]:
    """Submit a batch, and set `workers` to all processes of the pool."""
    try:
        if not copies:
            resource_tracker.ensure_running()  # starting it unblocks interrupts, so it must run before the next block
        with interrupts_blocked():  # also in the processes that this starts
            return pool.submit(work, batch)
    except OSError as error:
        raise _failed(f"a process cannot be started: {error.strerror or error}") from None
    finally:
        workers[:] = (pool._processes or {}).values()


def _begin() -> None:
    """Prepare a process to ignore Ctrl-C, which the parent handles, and to exit when the parent exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _exit_code(workers: list[BaseProcess]) -> str:
    """Return the exit code, in words, of the first process that ended without the pool's request."""
    codes = [worker.exitcode for worker in workers if worker.exitcode not in (None, 0, -signal.SIGTERM)]
    if codes:
        return f" (exit code {codes[0]}); perhaps the memory was full"
    return ""


def _failed(message: str) -> SpecError:
    return SpecError.of(Place(""), "worker-died", message, "use a smaller number for --jobs")
