"""One audit: parts through an engine into one summary, whole or up to where it was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toolgen.audit.engines import Engine
from toolgen.audit.partitions import PART, parts_of
from toolgen.audit.sources import Source
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools

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
