"""Packages generated from real servers pass `mypy --strict` and pyright strict."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from support import SERVERS, needs_servers, python
from type_checkers import pyright_strict

from toolgen.build import build
from toolgen.build_options import BuildOptions
from toolgen.specs.load import load

pytestmark = needs_servers


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All real servers in one package, a toolset each."""
    out = tmp_path_factory.mktemp("generated") / "agent_tools"
    loaded = load([str(SERVERS)], stdin=None, namespace=True)
    built = build(loaded.groups, BuildOptions())
    assert [str(d) for d in (*loaded.diagnostics, *built.diagnostics) if d.level == "error"] == []
    assert len(built.modules) == sum(map(len, loaded.groups.values())) > 500
    for path, text in built.files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")
    return out


def checked(*arguments: str) -> str:
    done = python("-m", *arguments, check=False)
    return "" if done.returncode == 0 else done.stdout[-3000:] + done.stderr[-1000:]


def test_mypy_strict(package: Path, tmp_path: Path) -> None:
    assert checked("mypy", "--strict", "--cache-dir", str(tmp_path), str(package)) == ""


@pytest.mark.parametrize("most", [4, pytest.param(None, marks=pytest.mark.long)], ids=["some", "all"])
def test_pyright_strict(most: int | None, package: Path, tmp_path: Path) -> None:
    """Pyright takes a minute or more for all servers; by default it sees those with the fewest tools."""
    servers = sorted(
        (path for path in package.iterdir() if path.is_dir()), key=lambda path: len(list(path.iterdir()))
    )
    pyright_strict([path for path in servers if path.name != "__pycache__"][:most], tmp_path)


def test_a_wrong_use_is_a_type_error(package: Path, tmp_path: Path) -> None:
    """The types say something: a key that the tool does not have is refused before anything runs."""
    use = tmp_path / "use.py"
    use.write_text(
        "from agent_tools.time.get_current_time import parse\n"
        "payload = parse({})\n"
        "zone: str = payload.timezone\n"
        "payload.no_such_field\n",
        "utf-8",
    )
    command = ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(use)]
    done = python("-m", *command, check=False, env={"MYPYPATH": str(package.parent), "PATH": ""})
    assert "use.py:4" in done.stdout
    assert "use.py:3" not in done.stdout


WRONG_USES: list[tuple[str, str]] = [
    ("payload.timezone = 'x'", "read-only|Cannot assign"),
    ("number: int = toolset['get_current_time'].parse({}).timezone", "Incompatible types|is not assignable"),
    ("toolset['get_curent_time'].parse({}).timezone", "has no attribute|Cannot access attribute"),
]
RIGHT_USES = [
    "zone: str = toolset['get_current_time'].parse({}).timezone",
    "everything: Toolset = toolset",
    "names: list[list[ValidationIssue]] = [toolset[name].validate({}) for name in toolset]",
]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_types_of_a_toolset_and_its_payloads(checker: str, package: Path, tmp_path: Path) -> None:
    """Each tool of a toolset has its own type, payloads are read-only, a wrong name has no payload's fields."""
    head = [
        "from agent_tools.time import toolset",
        "from toolgen_runtime import Toolset, ValidationIssue",
        "payload = toolset['get_current_time'].parse({})",
        *RIGHT_USES,
    ]
    use = tmp_path / "use.py"
    use.write_text("\n".join([*head, *(line for line, _ in WRONG_USES), ""]), "utf-8")
    config = {"typeCheckingMode": "basic", "include": ["use.py"], "extraPaths": [str(package.parent)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    command = {
        "mypy": ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(use)],
        "pyright": ["pyright", "-p", str(tmp_path), "--pythonpath", sys.executable],
    }[checker]
    environment = {**os.environ, "MYPYPATH": str(package.parent)}
    done = python("-m", *command, check=False, env=environment)
    for number, (line, message) in enumerate(WRONG_USES, len(head) + 1):
        assert re.search(rf"use\.py:{number}:.*({message})", done.stdout), (line, done.stdout)
    found = {
        int(number)
        for number in re.findall(r"use\.py:(\d+):\S* - error|use\.py:(\d+): error", done.stdout)
        for number in number
        if number
    }
    assert found == set(range(len(head) + 1, len(head) + 1 + len(WRONG_USES))), done.stdout
