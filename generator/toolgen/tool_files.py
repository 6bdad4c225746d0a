"""The two files of each tool as text, made one after the other in this process or in batches in several."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

from toolgen.build_options import BuildOptions
from toolgen.diagnostics import Diagnostic
from toolgen.python.identifiers import Identifier
from toolgen.specs.tool_spec import ToolSpec

BATCH: Final = 16
"""Tools that a process makes before it sends them back."""
FEWEST: Final = 100
"""Tools for which a process is worth starting: a new interpreter takes as long as making these."""


@dataclass(frozen=True, slots=True)
class ToolTask:
    """A tool and which of its files are to be made."""

    spec: ToolSpec
    module: Identifier
    tool: bool
    models: bool


@dataclass(frozen=True, slots=True)
class ToolFiles:
    """The files that were asked for, "" for others, and what there is to say; None if the tool cannot be built."""

    texts: tuple[str, str] | None
    diagnostics: tuple[Diagnostic, ...]


def tool_files(tasks: Sequence[ToolTask], options: BuildOptions, jobs: int) -> Generator[ToolFiles]:
    """Yield the files of each tool, in order: the same from any number of processes.

    Others are started only where there are enough tools for them. Closing the iterator ends them.

    Raises:
        SpecError: `worker-died`.
    """
    processes = min(jobs, len(tasks) // FEWEST)
    if processes < 2:
        yield from (_made(task, options) for task in tasks)
        return
    from toolgen.processes import are_copies, in_order

    if are_copies():
        yield _made(tasks[0], options)  # loads what the others need, too
        tasks = tasks[1:]
    batches = (tasks[start : start + BATCH] for start in range(0, len(tasks), BATCH))
    with closing(in_order(partial(_batch, options), batches, processes)) as made:
        for batch in made:
            yield from batch


def _batch(options: BuildOptions, tasks: Sequence[ToolTask]) -> list[ToolFiles]:
    return [_made(task, options) for task in tasks]


def _made(task: ToolTask, options: BuildOptions) -> ToolFiles:
    # Imported here, because a build in which nothing changed does not need them.
    from toolgen.python.package import ToolSource
    from toolgen.schema.lower import lower

    lowered = lower(task.spec, options.lower_options)
    diagnostics = tuple(lowered.diagnostics)
    if lowered.root is None:
        return ToolFiles(None, diagnostics)
    source = ToolSource(task.spec, lowered.root, task.module)
    text = source.tool_text() if task.tool else ""
    return ToolFiles((text, source.models_text() if task.models else ""), diagnostics)
