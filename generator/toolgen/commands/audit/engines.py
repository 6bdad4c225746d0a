"""Run an audit in one or more processes: summarize each part of the input, and merge the summaries.

The engine is one process, several processes, or a Dask cluster.

Toolgen must be on the workers' machines. A part of a text file contains its lines; a part of another file is read by
the worker, so that file must be there, too. If a worker is lost, another one summarizes its part again. A summary
depends only on its part, so the result is the same.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final

from toolgen.commands.audit.partitions import PART, Part, parts_of
from toolgen.commands.audit.processes import in_order
from toolgen.commands.audit.sources import Source
from toolgen.commands.audit.summarize import summarize
from toolgen.commands.audit.summary import Summary
from toolgen.commands.audit.tools import AuditTools
from toolgen.compiler.diagnostics import Place, SpecError

Result = tuple[int, Summary]
"""The number of bytes that a part takes in its file, and the part's summary."""
Engine = Callable[[Iterator[Part], AuditTools], Generator[Result]]
"""A generator that summarizes parts and yields each result when it is ready. Closing it ends the work."""

Progress = Callable[[int], None]
"""A function that is called with the number of bytes of the files that have been read."""
AHEAD: Final = 4
"""The number of parts that may wait or run, for each thread of the cluster."""
RETRIES: Final = 3
TIMEOUT: Final = 20.0
"""The number of seconds within which the scheduler must respond and must have a worker."""


@dataclass
class Audited:
    """The result of an audit: the summary, how many bytes of the files it covers, and whether it was
    interrupted.
    """

    summary: Summary = field(default_factory=Summary)
    done: int = 0
    interrupted: bool = False


def audit(
    sources: Sequence[Source], tools: AuditTools, engine: Engine, progress: Progress, part_size: int = PART
) -> Audited:
    """Audit some files, and return the summary. After Ctrl-C, it covers the parts that are finished.

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
    """Return an engine that uses up to `jobs` processes. If the input has only one part, it uses this process
    alone.
    """

    def run(parts: Iterator[Part], tools: AuditTools) -> Generator[Result]:
        work = partial(result_of, tools)
        yield from map(work, islice(parts, 1))  # forks of this process then share the loaded modules
        yield from map(work, parts) if jobs < 2 else in_order(work, parts, jobs)

    return run


def result_of(tools: AuditTools, part: Part) -> Result:
    """Summarize one part of the input, and return its size and the summary."""
    return part.size, summarize(part, tools)


def cluster(address: str) -> Engine:
    """Return an engine that uses a Dask cluster. `address` is that of its scheduler (`tcp://host:8786`).

    Raises:
        ModuleNotFoundError: Dask is not installed.
        SpecError: `scheduler-failed`, raised by the engine: the cluster cannot be reached, has no workers, or failed on
            a part.
    """
    import distributed  # reports that Dask is missing before the work starts

    def run(parts: Iterator[Part], tools: AuditTools) -> Generator[Result]:
        client: Any = None
        try:
            client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
            client.wait_for_workers(1, timeout=TIMEOUT)
            most = AHEAD * max(1, sum(client.nthreads().values()))

            def submitted(part: Part) -> Any:
                return client.submit(result_of, tools, part, pure=False, retries=RETRIES)

            waiting = distributed.as_completed(
                [submitted(part) for part in islice(parts, most)], loop=client.loop
            )
            for future in waiting:
                result = future.result()
                if (part := next(parts, None)) is not None:
                    waiting.add(submitted(part))
                yield result
        except (KeyboardInterrupt, GeneratorExit, SpecError):
            raise
        except Exception as error:  # of the network, of the address, a time-out, an error of a worker
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            hint = (
                "start the scheduler and its workers; toolgen and the files must be on the workers' machines"
            )
            raise SpecError.of(Place(address), "scheduler-failed", reason, hint) from None
        finally:
            if client is not None:
                client.close()

    return run
