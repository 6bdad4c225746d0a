"""One audit: parts through an engine (this process, one a processor, a Dask cluster) into one summary."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import get_context, resource_tracker
from typing import Final

from toolgen.audit.partitions import PART, Part, parts_of
from toolgen.audit.sources import Source
from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools
from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.interrupts import interrupts_blocked

Results = Iterator[tuple[Part, Summary]]
Engine = Callable[[Iterator[Part], AuditTools], Results]
"""Summarizes parts, and yields each with its summary as it is done. Closing it ends the work."""

Progress = Callable[[int], None]
"""Called with the bytes of the files that are done."""


@dataclass
class Audited:
    """The summary, how many bytes of the files it is of, and whether it was interrupted before the end."""

    summary: Summary = field(default_factory=Summary)
    done: int = 0
    interrupted: bool = False


def audit(
    sources: Sequence[Source], tools: AuditTools, engine: Engine, progress: Progress, part_size: int = PART
) -> Audited:
    """Return the summary of some files; after Ctrl-C, of the parts that were done by then.

    Raises:
        SpecError: a file cannot be read to its end, or the engine failed.
    """
    audited = Audited()
    results = engine(parts_of(sources, part_size), tools)
    try:
        for part, summary in results:
            audited.summary.merge(summary)
            audited.done += part.size
            progress(audited.done)
    except KeyboardInterrupt:
        audited.interrupted = True
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()
    return audited


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
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # a process, too, that would let interrupts in
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
