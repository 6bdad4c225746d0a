"""Packages generated from real servers pass `mypy --strict` and pyright strict."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import SERVERS, needs_servers

from toolgen.build import BuildOptions, build
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
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout[-3000:] + done.stderr[-1000:]


def test_mypy_strict(package: Path, tmp_path: Path) -> None:
    assert checked("mypy", "--strict", "--cache-dir", str(tmp_path), str(package)) == ""


def test_pyright_strict(package: Path, tmp_path: Path) -> None:
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({"typeCheckingMode": "strict", "include": [str(package)]}), "utf-8")
    assert checked("pyright", "-p", str(config), "--pythonpath", sys.executable) == ""


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
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(package.parent), "PATH": ""},
    )
    assert "use.py:4" in done.stdout
    assert "use.py:3" not in done.stdout
