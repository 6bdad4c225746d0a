"""One audit: parts through an engine (this process, one a processor, a Dask cluster) into one summary."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from toolgen.audit.partitions import PART, Part, parts_of
from toolgen.audit.sources import Source
from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools
from toolgen.processes import in_order

Result = tuple[int, Summary]
"""The bytes of the file that a part has, and its summary."""
Engine = Callable[[Iterator[Part], AuditTools], Generator[Result]]
"""Summarizes parts, and yields the result of each as it is done. Closing it ends the work."""

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
    try:
        with closing(engine(parts_of(sources, part_size), tools)) as results:
            for size, summary in results:
                audited.summary.merge(summary)
                audited.done += size
                progress(audited.done)
    except KeyboardInterrupt:
        audited.interrupted = True
    return audited


def processes(jobs: int) -> Engine:
    """Return the engine of some processes; others than this one begin when there is more than one part."""

    def run(parts: Iterator[Part], tools: AuditTools) -> Generator[Result]:
        work = partial(result_of, tools)
        yield from map(work, islice(parts, 1))  # what it loads, copies of this process have, too
        yield from map(work, parts) if jobs < 2 else in_order(work, parts, jobs)

    return run


def result_of(tools: AuditTools, part: Part) -> Result:
    """Return the result of one part."""
    return part.size, summarize(part, tools)
