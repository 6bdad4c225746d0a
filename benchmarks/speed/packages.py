"""Spec files and built packages of a given number of tools, in a temporary folder."""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

from samples import NoData, WrongVerdict, rows_with_objects
from timing import environment, run

TOOLGEN = shutil.which("toolgen", path=str(Path(sys.executable).parent)) or "toolgen"

# Checks every labelled payload with its tool.
_VERDICTS = """
import json, sys, pkg
for name, tests in json.load(open(sys.argv[1])).items():
    for test in tests:
        if (pkg.toolset[name].validate(test["data"]) == []) != test["valid"]:
            print(name, test)
"""


class Workshop:
    """A folder with spec files, packages built from them, and bytecode kept for measured processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = environment(folder / "bytecode") | {"TOOLGEN_CACHE_DIR": str(folder / "cache")}
        self.package = cache(self._package)

    def specs(self, count: int) -> Path:
        """Return the spec file of `count` tools."""
        path = self.folder / f"specs_{count}.json"
        if not path.is_file():
            path.write_text(json.dumps({"tools": [tool for tool, _ in tools_and_tests(count)]}), "utf-8")
        return path

    def _package(self, count: int) -> Path:
        """Return the folder with the package `pkg` of `count` tools, after checking its verdicts.

        Raises:
            WrongVerdict: a check is wrong about a labelled payload.
        """
        home = self.folder / f"package_{count}"
        home.mkdir()
        run(build_command(self.specs(count), home / "pkg"), self.env, self.folder)
        tests = home / "tests.json"
        tests.write_text(json.dumps({t["name"]: tests for t, tests in tools_and_tests(count)}), "utf-8")
        wrong = run([sys.executable, "-c", _VERDICTS, str(tests)], self.env, home)
        if wrong:
            raise WrongVerdict(wrong.strip())
        return home


def build_command(specs: Path, out: Path) -> list[str]:
    return [TOOLGEN, "build", str(specs), "-o", str(out)]


def tools_and_tests(count: int) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return `count` tools with object schemas, and the labelled payloads of each.

    If there are too few schemas, they are repeated with another description: no two texts are equal, and the mix of
    schemas is the same at every size.

    Raises:
        NoData: the schemas are missing.
    """
    rows = [row for row in rows_with_objects() if row["schema"].get("type") == "object"]
    if not rows:
        raise NoData("no schema of type object among the shared data")
    found = []
    for i in range(count):
        row, turn = rows[i % len(rows)], i // len(rows)
        schema = row["schema"] | ({"description": f"turn {turn}"} if turn else {})
        found.append(({"name": f"tool_{i}", "description": "d", "inputSchema": schema}, row["tests"]))
    return found
