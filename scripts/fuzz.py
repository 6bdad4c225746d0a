"""Fuzz the code that reads foreign texts: specs, payloads, error texts, streams, histories.

    python scripts/fuzz.py                           every harness, 12 seconds each
    python scripts/fuzz.py history stream --seconds 3600
    python scripts/fuzz.py --engine hypothesis --seed 7

The harnesses are in `tests/helpers/fuzz_harnesses.py`. The engine is atheris (coverage-guided) if it is installed,
otherwise Hypothesis, which changes the seeds at random. Seeds are in `tests/data/fuzz`. An input that breaks a harness
is kept there as `found-*`, and the default tests try it from then on. Prints the executions per harness; exits with 1
if an input broke one.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
CORPUS = TESTS / "data" / "fuzz"
SHARED_SEEDS = {"render": "lower", "hint": "validate_json", "repair": "validate_json"}
"""Harnesses that read the same inputs as another, and share its seeds."""
NAMES = ("load", "lower", "render", "validate_json", "hint", "foreign_text", "repair", "stream", "history")
TOKENS = (
    *("{", "}", "[", "]", ",", ":", '"', "'", "\\", "null", "true", "-0", "1e400", "0.1", "9" * 30, "NaN", "\\ud800"),
    *("\0", "\u2028", "\u202e", "\ufeff", "\U0001f600", "```", "$ref", "#", "type", "anyOf", "not", "\n", "  "),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 1e308, 10**400, "", "x", "id", "{}", '{"a":', "user", "tool"),
    *("\ud800", "x" * 3000, "#", "object", "string", "^a+$", "("),
    *([], {}, [None], [[]], {"": None}, {"type": "text"}, {"a": {"b": [1]}}),
)  # fmt: skip
CHANGES = ("replace", "replace", "remove", "repeat", "exchange", "wrap", "rename", "print")
LARGEST_TREE = 20_000
"""The number of characters above which a value is not changed further."""
BATCH = 200
_EXECUTED = re.compile(r"number_of_executed_units: (\d+)|^#(\d+)\s", re.MULTILINE)


def seeds(name: str) -> list[bytes]:
    """Return the seeds of a harness, including inputs that were found before."""
    folders = {CORPUS / name, CORPUS / SHARED_SEEDS.get(name, name)}
    return [path.read_bytes() for folder in sorted(folders) for path in sorted(folder.glob("*"))]


def keep(name: str, data: bytes) -> Path:
    """Keep an input that breaks a harness."""
    path = CORPUS / name / f"found-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def harness_of(name: str) -> Callable[[bytes], None]:
    """Return a harness, which imports the packages."""
    sys.path.insert(0, str(TESTS))
    from helpers.fuzz_harnesses import HARNESSES, LARGEST

    harness = HARNESSES[name]
    return lambda data: harness(data[:LARGEST])


def changed_tree(data: bytes, changes: Sequence[tuple[int, int, str, Any]]) -> bytes:
    """Return a JSON text with parts of its value changed, so that it is still JSON; other texts are not changed."""
    try:
        tree = [json.loads(data)]
    except (ValueError, RecursionError):
        return data
    for at, other, change, value in changes:
        places = [*_places(tree)]
        (holder, key), (there, its_key) = places[at % len(places)], places[other % len(places)]
        if change == "replace":
            holder[key] = _copied(value)
        elif change == "remove" and holder is not tree:
            del holder[key]
        elif change == "repeat" and isinstance(holder, list) and holder is not tree:
            holder.insert(key, holder[key])
        elif change == "wrap":
            holder[key] = [holder[key]]
        elif change == "rename" and isinstance(holder, dict):
            holder[str(its_key)] = holder.pop(key)
        elif change == "print":
            holder[key] = json.dumps(holder[key])
        else:
            holder[key] = _copied(there[its_key])
        tree = _copied(tree) if len(repr(tree)) < LARGEST_TREE else [value]
    return json.dumps(tree[0]).encode()


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a value: its container, and its key or index there."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        for key in [*holder] if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def with_hypothesis(name: str, seconds: float, seed: int) -> tuple[int, list[Path]]:
    """Run a harness on changed seeds; return the number of executions, and the shrunk inputs that break it."""
    from hypothesis import HealthCheck, Phase, given, seed as seeded, settings, strategies as st

    harness, corpus, end = harness_of(name), seeds(name), time.monotonic() + seconds
    pieces = st.sampled_from([t.encode("utf-8", "surrogatepass") for t in TOKENS]) | st.binary(max_size=4)
    places = st.integers(0, 10**6)
    edits = st.lists(st.tuples(places, st.integers(0, 12), pieces), max_size=6)
    parts = st.lists(st.tuples(places, places, st.sampled_from(CHANGES), st.sampled_from(VALUES)), max_size=6)
    # Half of the inputs stay JSON: edits of bytes alone seldom get past a parser.
    changed = st.builds(changed_tree, st.sampled_from(corpus), parts)
    given_bytes = st.tuples(st.sampled_from(corpus), edits) | st.tuples(changed, st.just([]))
    executed, last = 0, b""

    def run(tried: tuple[bytes, Sequence[tuple[int, int, bytes]]]) -> None:
        nonlocal executed, last
        start, changes = tried
        for at, removed, added in changes:
            at %= len(start) + 1
            start = start[:at] + added + start[at + removed :]
        executed, last = executed + 1, start
        harness(start)

    while time.monotonic() < end:
        phases = (Phase.generate, Phase.shrink)
        options = settings(
            max_examples=BATCH,
            deadline=None,
            database=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        )
        try:
            seeded(seed)(options(given(given_bytes)(run)))()
        except Exception as error:  # any error of a harness is a finding
            print(f"{name}: {type(error).__name__}: {error}"[:500])
            return executed, [keep(name, last)]
        seed += 1
    return executed, []


def with_atheris(name: str, seconds: float, seed: int) -> tuple[int, list[Path]]:
    """Run a harness under atheris, in a separate process, which atheris ends."""
    with tempfile.TemporaryDirectory() as work:
        for number, data in enumerate(seeds(name)):
            (Path(work) / f"seed{number}").write_bytes(data)
        (Path(work) / "found").mkdir()
        options = [
            f"-max_total_time={int(seconds)}",
            f"-seed={seed + 1}",
            "-max_len=4000",
            "-print_final_stats=1",
        ]
        options += [f"-artifact_prefix={work}/found/", "-timeout=20", "-rss_limit_mb=4096"]
        command = [sys.executable, __file__, "--worker", name, "--", *options, work]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said = done.stdout.decode(errors="replace")
        executed = max((int(a or b) for a, b in _EXECUTED.findall(said)), default=0)
        found = [keep(name, path.read_bytes()) for path in (Path(work) / "found").iterdir()]
        if found or done.returncode:
            print(said[-3000:])
        if done.returncode and not found:
            raise SystemExit(f"{name}: atheris failed with {done.returncode}")
        return executed, found


def work(name: str, options: list[str]) -> None:
    """Run atheris in this process; it does not return."""
    import atheris

    with atheris.instrument_imports(include=["toolgen", "toolgen_runtime", "toolgen_transcripts"]):
        harness = harness_of(name)
    atheris.Setup([sys.argv[0], *options], harness)
    atheris.Fuzz()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named harnesses; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="HARNESS", help=f"one of {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--seconds", type=float, default=12, help="for each harness (default: 12)")
    parser.add_argument(
        "--engine", choices=("atheris", "hypothesis"), help="default: atheris where it is installed"
    )
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        work(options.worker, options.names)
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"no such harness: {', '.join(sorted(unknown))}")
    os.environ["PYTHONHASHSEED"] = "0"
    engine = options.engine or ("atheris" if importlib.util.find_spec("atheris") else "hypothesis")
    run = with_atheris if engine == "atheris" else with_hypothesis
    everything: list[Path] = []
    for name in options.names or NAMES:
        executed, found = run(name, options.seconds, options.seed % 2**31)
        everything += found
        print(
            f"{name}: {executed} executions, {len(found)} found ({engine}, seed {options.seed})", flush=True
        )
    for path in everything:
        print(f"found: {path.relative_to(ROOT)}")
    return 1 if everything else 0


if __name__ == "__main__":
    sys.exit(main())
