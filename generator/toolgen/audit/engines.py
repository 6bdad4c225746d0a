"""Where parts are summarized: in this process, in one for each processor, or on a Dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context
from typing import Final

from toolgen.audit.partitions import Part
from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools
from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.processes import interrupts_blocked

Results = Iterator[tuple[Part, Summary]]
Engine = Callable[[Iterator[Part], AuditTools], Results]
"""Summarizes parts, and yields each with its summary as it is done. Closing it ends the work."""

AHEAD: Final = 2
"""Parts for each process that are waiting or running: what is in memory is bounded by them."""

_tools: AuditTools | None = None


def in_process(parts: Iterator[Part], tools: AuditTools) -> Results:
    """Summarize each part here, one after the other."""
    for part in parts:
        yield part, summarize(part, tools)


def processes(jobs: int) -> Engine:
    """Return the engine of some processes; they begin when there is more than one part."""

    def run(parts: Iterator[Part], tools: AuditTools) -> Results:
        first = list(islice(parts, 2))
        if len(first) < 2 or jobs < 2:
            yield from in_process(iter(first), tools)
            yield from in_process(parts, tools)
            return
        # A new interpreter each: a fork would copy the threads' locks, and is not there on every platform.
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (tools,))
        try:
            yield from _pooled(pool, iter(first), parts, jobs * AHEAD)
        except BrokenProcessPool:
            message = "a process ended without a result; perhaps the memory was full"
            hint = "use a smaller number for --jobs"
            raise SpecError([Diagnostic(Place(""), "worker-died", message, hint)]) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    return run


def _pooled(pool: ProcessPoolExecutor, first: Iterator[Part], rest: Iterator[Part], most: int) -> Results:
    running: dict[Future[Summary], Part] = {}
    parts = chain(first, rest)
    while True:
        while len(running) < most and (part := next(parts, None)) is not None:
            with interrupts_blocked():  # by the processes that this starts, from their first moment on
                running[pool.submit(_summary, part)] = part
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield running.pop(future), future.result()


def _begin(tools: AuditTools) -> None:
    """Prepare a process: Ctrl-C is for the one that has the results."""
    global _tools
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tools = tools


def _summary(part: Part) -> Summary:
    assert _tools is not None
    return summarize(part, _tools)
