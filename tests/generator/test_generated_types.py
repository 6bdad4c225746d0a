"""Packages generated from real servers pass `mypy --strict` and pyright strict."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import SERVERS, needs_servers, python
from type_checkers import pyright_strict

from toolgen.build import build
from toolgen.build_options import BuildOptions
from toolgen.specs.load import load

pytestmark = needs_servers


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every so manieth real server in one package, a toolset each."""
    out = tmp_path_factory.mktemp("generated") / "agent_tools"
    loaded = load(sorted(map(str, SERVERS.glob("*.json")))[:: request.param], stdin=None, namespace=True)
    built = build(loaded.groups, BuildOptions())
    assert [str(d) for d in (*loaded.diagnostics, *built.diagnostics) if d.level == "error"] == []
    assert len(built.modules) == sum(map(len, loaded.groups.values())) > 500 / request.param / 2
    for path, text in built.files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")
    return out


def checked(*arguments: str) -> str:
    done = python("-m", *arguments, check=False)
    return "" if done.returncode == 0 else done.stdout[-3000:] + done.stderr[-1000:]


def test_mypy_strict(package: Path, tmp_path: Path) -> None:
    assert checked("mypy", "--strict", "--cache-dir", str(tmp_path), str(package)) == ""


def test_pyright_strict(package: Path, tmp_path: Path) -> None:
    """It takes a minute or more for all; of some it sees those with the fewest tools."""
    folders = [path for path in package.iterdir() if path.is_dir() and path.name != "__pycache__"]
    folders.sort(key=lambda path: len(list(path.iterdir())))
    pyright_strict(folders if len(folders) > 10 else folders[:3], tmp_path)
