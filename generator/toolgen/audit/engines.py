"""One audit: parts through an engine (this process, one a processor, a Dask cluster) into one summary.

The workers of a cluster read the files themselves, so the files and toolgen must be there, too. A part whose worker is
lost is summarized again by another: summaries depend on their part alone, so the result is the same.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any, Final

from toolgen.audit.partitions import PART, Part, parts_of
from toolgen.audit.sources import Source
from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools
from toolgen.diagnostics import Place, SpecError
from toolgen.processes import in_order

Result = tuple[int, Summary]
"""The bytes of the file that a part has, and its summary."""
Engine = Callable[[Iterator[Part], AuditTools], Generator[Result]]
"""Summarizes parts, and yields the result of each as it is done. Closing it ends the work."""

Progress = Callable[[int], None]
"""Called with the bytes of the files that are done."""
AHEAD: Final = 4
"""Parts for each thread of the cluster that are waiting or running."""
RETRIES: Final = 3
TIMEOUT: Final = 20.0
"""Seconds in which the scheduler has to answer, and to have a worker."""


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


def cluster(address: str) -> Engine:
    """Return the engine of the cluster whose scheduler has this address (`tcp://host:8786`).

    Raises:
        SpecError: `missing-extra`. The engine itself raises `scheduler-failed`: it cannot be reached, has no workers,
            or a part failed.
    """
    try:
        import_module("distributed")  # asked for before the work
    except ImportError:
        message, hint = "Dask is not installed", "run: pip install 'toolgen[dask]'"
        raise SpecError.of(Place(address), "missing-extra", message, hint) from None

    def run(parts: Iterator[Part], tools: AuditTools) -> Generator[Result]:
        from distributed import Client, as_completed

        client: Any = None
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
            client.wait_for_workers(1, timeout=TIMEOUT)
            most = AHEAD * max(1, sum(client.nthreads().values()))

            def submitted(part: Part) -> Any:
                return client.submit(result_of, tools, part, pure=False, retries=RETRIES)

            waiting = as_completed([submitted(part) for part in islice(parts, most)], loop=client.loop)
            for future in waiting:
                result = future.result()
                if (part := next(parts, None)) is not None:
                    waiting.add(submitted(part))
                yield result
        except (KeyboardInterrupt, GeneratorExit, SpecError):
            raise
        except Exception as error:  # of the network, of the address, a time-out, a worker's own errors
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            hint = (
                "start the scheduler and its workers; toolgen and the files must be on the workers' machines"
            )
            raise SpecError.of(Place(address), "scheduler-failed", reason, hint) from None
        finally:
            if client is not None:
                client.close()

    return run
