"""The engine that maps parts over a Dask cluster.

Workers read the files themselves, so the files and toolgen must be there, too. A part whose worker is lost is
summarized again by another: summaries depend on their part alone, so the result is the same.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, Final

from toolgen.audit.engines import Engine, Result, result_of
from toolgen.audit.partitions import Part
from toolgen.audit.tools import AuditTools
from toolgen.diagnostics import Place, SpecError

AHEAD: Final = 4
"""Parts for each thread of the cluster that are waiting or running."""
RETRIES: Final = 3
TIMEOUT: Final = 20.0
"""Seconds in which the scheduler has to answer, and to have a worker."""


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
        client = _client(address)
        try:
            yield from _mapped(client, parts, tools)
        except (KeyboardInterrupt, GeneratorExit, SpecError):
            raise
        except Exception as error:  # whatever the cluster raises, a worker's own errors among it
            raise _failed(address, error) from None
        finally:
            client.close()

    return run


def _client(address: str) -> Any:
    from distributed import Client

    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
        client.wait_for_workers(1, timeout=TIMEOUT)
    except Exception as error:  # of the network, of the address, or a time-out
        raise _failed(address, error) from None
    return client


def _mapped(client: Any, parts: Iterator[Part], tools: AuditTools) -> Iterator[Result]:
    from distributed import as_completed

    most = AHEAD * max(1, sum(client.nthreads().values()))

    def submitted(part: Part) -> Any:
        return client.submit(result_of, tools, part, pure=False, retries=RETRIES)

    waiting = as_completed([submitted(part) for part in islice(parts, most)], loop=client.loop)
    for future in waiting:
        result = future.result()
        if (part := next(parts, None)) is not None:
            waiting.add(submitted(part))
        yield result


def _failed(address: str, error: Exception) -> SpecError:
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    hint = "start the scheduler and its workers; toolgen and the files must be on the workers' machines"
    return SpecError.of(Place(address), "scheduler-failed", reason, hint)
