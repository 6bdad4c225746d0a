"""The harness for Bowtie, started as Bowtie starts it: commands and answers over pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from helpers.support import ROOT, SUITE, for_each, needs_suite, read_json

from toolgen.compiler.schema.dialects import DIALECTS

HARNESS = ROOT / "benchmarks" / "bowtie" / "harness.py"
FOLDERS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12", "v1")
"""The folders of the official suite, in the order of the dialects."""

pytestmark = pytest.mark.skipif(not HARNESS.is_file(), reason="the harness is in a checkout only")


class Harness:
    """The running harness."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, cmd: str, **parts: Any) -> Any:
        print(json.dumps({"cmd": cmd, **parts}), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@contextmanager
def started() -> Iterator[Harness]:
    command = [sys.executable, str(HARNESS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            harness = Harness(process)
            said = harness.ask("start", version=1)
            assert said["version"] == 1
            assert [uri.removesuffix("#") for uri in said["implementation"]["dialects"]] == [*DIALECTS][::-1]
            yield harness
            print(json.dumps({"cmd": "stop"}), file=process.stdin, flush=True)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()


def test_the_four_commands() -> None:
    with started() as harness:
        assert harness.ask("dialect", dialect="http://json-schema.org/draft-04/schema#") == {"ok": True}
        case = {
            "description": "an exclusive limit of draft-04, behind a reference",
            "schema": {"$ref": "http://x.test/limit"},
            "registry": {"http://x.test/limit": {"minimum": 1, "exclusiveMinimum": True}},
            "tests": [{"description": "at it", "instance": 1}, {"description": "above", "instance": 2}],
        }
        results = [{"valid": False}, {"valid": True}]
        assert harness.ask("run", seq=7, case=case) == {"seq": 7, "results": results}
        case["schema"] = {"$ref": "http://x.test/absent"}
        said = harness.ask("run", seq={"any": "value"}, case=case)
        assert (said["seq"], said["errored"]) == ({"any": "value"}, True)
        assert "absent" in said["context"]["message"]
        assert harness.ask("dialect", dialect="http://x.test/unknown") == {"ok": False}


@needs_suite
@pytest.mark.long
@for_each(zip(FOLDERS, DIALECTS, strict=True))
def test_the_official_suite_through_the_harness(folder: str, dialect: str) -> None:
    if not (SUITE / "tests" / folder).is_dir():
        pytest.skip(f"the suite has no {folder} here")
    remotes = {
        f"http://localhost:1234/{path.relative_to(SUITE / 'remotes').as_posix()}": read_json(path)
        for path in (SUITE / "remotes").rglob("*.json")
    }
    wrong: list[str] = []
    with started() as harness:
        harness.ask("dialect", dialect=dialect)
        for path in sorted((SUITE / "tests" / folder).glob("*.json")):
            for seq, group in enumerate(read_json(path)):
                tests = [{"description": t["description"], "instance": t["data"]} for t in group["tests"]]
                case = {"description": group["description"], "schema": group["schema"], "tests": tests}
                said = harness.ask("run", seq=seq, case={**case, "registry": remotes})
                expected = [{"valid": test["valid"]} for test in group["tests"]]
                if said != {"seq": seq, "results": expected}:
                    wrong.append(f"{path.stem}: {group['description']}: {said}")
    assert wrong == []
