"""The whole table of speed, or some of its rows; see README.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import building
import calls
import compiling
import hostile
import registering
import starting
from packages import Workshop
from rows import Row
from samples import NoData, Sample, WrongVerdict, samples
from table import circumstances, heading, markdown, plain
from timing import QUICK, THOROUGH, Effort, ProcessFailed


class Bench:
    """The parameters that all measurements share: effort, samples and a folder for builds."""

    def __init__(self, effort: Effort, count: int, folder: Path) -> None:
        self.effort = effort
        self._count = count
        self.workshop = Workshop(folder)

    @cached_property
    def samples(self) -> list[Sample]:
        return samples(self._count)


MEASURES: dict[str, Callable[[Bench], list[Row]]] = {
    "validate": lambda b: calls.validate(b.samples, b.effort),
    "stream": lambda b: calls.stream(b.samples, b.effort),
    "invalid": lambda b: calls.invalid(b.samples, b.effort),
    "parse": lambda b: calls.parse(b.samples, b.effort),
    "text": lambda b: calls.text(b.samples, b.effort),
    "hint": lambda b: calls.hint(b.samples, b.effort),
    "compile": lambda b: compiling.compiling(b.effort),
    "start": lambda b: starting.start(b.workshop, b.effort),
    "memory": lambda b: starting.memory(b.workshop, b.effort),
    "register": lambda b: registering.register(b.workshop, b.effort),
    "build": lambda b: building.build(b.workshop, b.effort),
    "growth": lambda b: building.growth(b.workshop, b.effort),
    "many": lambda b: building.many(b.workshop, b.effort),
    "cli": lambda b: starting.cli(b.workshop, b.effort),
    "size": lambda b: hostile.size(b.effort),
    "depth": lambda b: hostile.depth(b.effort),
    "unique": lambda b: hostile.unique(b.effort),
}


def measured(bench: Bench, names: Iterable[str]) -> Iterator[Row]:
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        yield from MEASURES[name](bench)


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in MEASURES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(MEASURES)}")
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=_names, default=list(MEASURES), metavar="NAME,...")
    parser.add_argument("--rows", type=int, default=250, help="schemas for what is measured per call (250)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: for a look, not for the record")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(QUICK if options.quick else THOROUGH, options.rows, Path(folder))
        try:
            rows = list(measured(bench, options.only))
        except NoData as error:
            print(error, file=sys.stderr)
            return 2
        except (WrongVerdict, ProcessFailed) as error:
            print(error, file=sys.stderr)
            return 1
    facts = circumstances()
    if options.json:
        print(json.dumps(facts | {"rows": [plain(row) for row in rows]}, indent=2))
    else:
        print(f"{heading(facts)}\n\n{markdown(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
