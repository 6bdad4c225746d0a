"""Put a planned package in place: the only way into the output folder.

What is not toolgen's is never moved, copied, changed or deleted. Where the folder holds nothing else, the package
changes as a whole, in one step (`exchange`); elsewhere file by file (`replace`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from toolgen.output import exchange, replace
from toolgen.output.on_disk import look
from toolgen.output.plan import Plan, compare, diff, plan

__all__ = ["Plan", "diff", "plan", "write"]


def write(planned: Plan) -> Plan:
    """Put the planned package in place, whole, and clear away what a killed build left.

    Builds into one parent folder wait for each other where the platform has `fcntl`, and each compares
    anew when its turn has come; what it then did is the plan that is given back.

    Raises:
        SpecError: as `plan` does; `name-taken`.
        OSError: the disk is full, permission is missing, ...; the package is as it was before.
    """
    out = planned.out
    if planned.is_current and not (exchange.has_litter(out) or replace.has_litter(out)):
        return planned
    out.parent.mkdir(parents=True, exist_ok=True)
    with _locked(out.parent):
        exchange.clear(out)
        old = look(out)
        replace.clear(out, old.own)
        now = compare(planned.files, planned.digests, out, old)
        if not now.is_current and not exchange.exchange(now, old.own):
            replace.replace(now, old)
    return now


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
