"""Write a planned package: the only code that changes the output folder.

Foreign files are never moved, copied, changed or deleted. Without any in the folder, the package is replaced
as a whole, in one step (`exchange`), otherwise file by file (`replace`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from toolgen.output import exchange, replace
from toolgen.output.interrupts import interrupts_held
from toolgen.output.lock import locked
from toolgen.output.on_disk import read_package
from toolgen.output.plan import Plan, compare, diff, plan

__all__ = ["Plan", "diff", "plan", "write"]


def write(planned: Plan) -> Plan:
    """Write the planned package completely or not at all, and delete what a killed build left behind.

    A Ctrl-C takes effect between two files that are staged, or when all is done. Builds into one parent folder
    wait for each other. Each compares again when it is its turn; the plan that it then carried out is returned.

    Raises:
        SpecError: as `plan` does; `name-taken`.
        OSError: the disk is full, permission is missing, ...; the package is unchanged.
    """
    out = planned.out
    if planned.is_current and not (exchange.has_leftovers(out) or replace.has_leftovers(out)):
        return planned
    with _created(out.parent), locked(out.parent), interrupts_held():
        exchange.clear(out)
        old = read_package(out)
        replace.clear(out, old.own)
        now = compare(planned.files, planned.digests, out, old)
        if not now.is_current and not exchange.exchange(now, old.own):
            replace.replace(now, old)
    return now


@contextlib.contextmanager
def _created(folder: Path) -> Iterator[None]:
    """Create a folder and those above it; on a failure, delete those that were not there before."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in missing:
            with contextlib.suppress(OSError):  # not there, or somebody else uses it by now
                one.rmdir()
        raise
