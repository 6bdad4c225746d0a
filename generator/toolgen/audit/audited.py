"""One audit: parts that are read here, or in other processes, into one summary."""

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

Progress = Callable[[int], None]
"""Called with the bytes of the files that are done."""


@dataclass
class Audited:
    """The summary, how many bytes of the files it is of, and whether it was interrupted before the end."""

    summary: Summary = field(default_factory=Summary)
    done: int = 0
    interrupted: bool = False


def audit(
    sources: Sequence[Source], tools: AuditTools, jobs: int, progress: Progress, part_size: int = PART
) -> Audited:
    """Return the summary of some files; after Ctrl-C, of the parts that were done by then.

    Raises:
        SpecError: a file cannot be read to its end, or a process died.
    """
    audited = Audited()
    try:
        with closing(results(parts_of(sources, part_size), tools, jobs)) as done:
            for size, summary in done:
                audited.summary.merge(summary)
                audited.done += size
                progress(audited.done)
    except KeyboardInterrupt:
        audited.interrupted = True
    return audited


def results(parts: Iterator[Part], tools: AuditTools, jobs: int) -> Generator[tuple[int, Summary]]:
    """Yield the bytes that each part has of its file, and its summary; processes begin if there are more parts."""
    work = partial(_result_of, tools)
    yield from map(work, islice(parts, 1))  # what it loads, copies of this process have, too
    yield from map(work, parts) if jobs < 2 else in_order(work, parts, jobs)


def _result_of(tools: AuditTools, part: Part) -> tuple[int, Summary]:
    return part.size, summarize(part, tools)
