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
