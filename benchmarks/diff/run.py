"""`toolgen diff` and jsoncompat on the same pairs: verdicts, wrong verdicts, time.

`python benchmarks/diff/run.py [--jsoncompat VERSION] [--wrong]`; `--wrong` lists the pairs with a wrong verdict.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from environments import BIN, Environments, default_folder
from pairs import Pair, pairs

from toolgen.commands.diff.changes import changes
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.load import read_value

VERSION = "0.3.1"
PROBE = Path(__file__).with_name("probe_jsoncompat.py")


def of_toolgen(every: Sequence[Pair]) -> tuple[list[str], float]:
    verdicts = []
    started = time.perf_counter()
    for pair in every:
        old, new = (read_value([{"name": "t", "schema": schema}]).tools for schema in (pair.old, pair.new))
        kinds = {change.kind for change in changes(old, new, LowerOptions())}
        if "addition" in kinds:
            kinds.add("breaking")
        verdicts.append(next((kind for kind in ("breaking", "unknown") if kind in kinds), "safe"))
    return verdicts, time.perf_counter() - started


def of_jsoncompat(every: Sequence[Pair], version: str) -> tuple[list[str], float]:
    environments = Environments(default_folder("diff"))
    environments.install_installer()
    made = environments.python(f"jsoncompat-{version}", [f"jsoncompat=={version}"])
    given = json.dumps([[pair.old, pair.new] for pair in every])
    done = subprocess.run(
        [str(made / BIN / "python"), str(PROBE)], input=given, capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)
    return said["verdicts"], said["seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jsoncompat", default=VERSION, metavar="VERSION")
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args()
    every = list(pairs())
    breaking = sum(pair.breaks for pair in every)
    print(f"{len(every)} pairs, {breaking} of them breaking\n")
    print("| | right | breaking called safe | safe called breaking | no verdict | ms a pair |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (verdicts, seconds) in {
        "toolgen": of_toolgen(every),
        f"jsoncompat {given.jsoncompat}": of_jsoncompat(every, given.jsoncompat),
    }.items():
        counts: Counter[str] = Counter()
        for pair, verdict in zip(every, verdicts, strict=True):
            truth = "breaking" if pair.breaks else "safe"
            if verdict not in ("safe", "breaking"):
                counts["none"] += 1
            else:
                counts["right" if verdict == truth else verdict] += 1
            if given.wrong and verdict != truth:
                print(
                    f"{name}: {pair.name}: {truth}, said {verdict}: {json.dumps(pair.old)}", file=sys.stderr
                )
        cells = (counts["right"], counts["safe"], counts["breaking"], counts["none"])
        print(f"| {name} | {' | '.join(map(str, cells))} | {seconds / len(every) * 1e3:.2f} |")


if __name__ == "__main__":
    main()
