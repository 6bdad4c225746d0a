"""`toolgen init`: settings and a first spec, from what is already there."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import failure, toolgen
from helpers.support import ROOT, for_each, write_json

pytestmark = pytest.mark.usefixtures("workplace")

SERVER = str(ROOT / "tests" / "helpers" / "mcp_server_under_test.py")


def settings() -> object:
    return tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["toolgen"]


def spec_files() -> list[str]:
    return sorted(path.name for path in Path("specs").iterdir())


def test_an_empty_folder_gets_an_example_that_builds() -> None:
    result = toolgen("init")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(
        "next:\n  toolgen list\n  toolgen build\n  python -c 'from agent_tools import toolset; print(list(toolset))'\n"
    )
    assert settings() == {"specs": ["specs"], "output": "agent_tools"}
    assert toolgen("build").exit_code == 0
    assert toolgen("lint", "--fail-on", "note").exit_code == 0


def test_settings_are_added_to_what_is_there() -> None:
    before = '[project]\nname = "mine"  # a comment'
    Path("pyproject.toml").write_text(before)
    Path("src").mkdir()
    assert toolgen("init").exit_code == 0
    assert Path("pyproject.toml").read_text().startswith(before + "\n\n[tool.toolgen]\n")
    assert settings() == {"specs": ["specs"], "output": "src/agent_tools"}


def test_nothing_is_overwritten() -> None:
    assert toolgen("init").exit_code == 0
    files = {path: path.read_text() for path in Path().rglob("*") if path.is_file()}
    assert "error[already-there]" in failure("init")
    assert {path: path.read_text() for path in Path().rglob("*") if path.is_file()} == files


def test_specs_that_are_there_are_used() -> None:
    Path("specs").mkdir()
    for name in ("a", "b"):
        write_json(Path("specs", f"{name}.json"), [{"name": name, "schema": {}}])
    assert toolgen("init").exit_code == 0
    assert spec_files() == ["a.json", "b.json"]
    assert settings() == {"specs": ["specs"], "output": "agent_tools", "namespace": True}
    assert toolgen("build").exit_code == 0


def test_a_server_that_is_named_is_pulled() -> None:
    result = toolgen("init", "--", sys.executable, SERVER, "plain")
    assert result.exit_code == 0
    assert len(spec_files()) == 1
    assert "3 tools" in toolgen("list").stdout


@for_each([".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"])
def test_the_servers_of_the_project_are_pulled(file: str) -> None:
    servers = {name: {"command": sys.executable, "args": [SERVER, "plain"]} for name in ("one", "two")}
    Path(file).parent.mkdir(exist_ok=True)
    write_json(file, {"servers" if "vscode" in file else "mcpServers": servers})
    assert toolgen("init").exit_code == 0
    assert spec_files() == ["one.json", "two.json"]


FAILURES = {
    "a server that fails": ("", ("--", sys.executable, SERVER, "exits"), "server-failed"),
    "settings that are broken": ("[tool", (), "bad-settings"),
    "tools of one line": ("tool = {ruff = {}}\n", (), "bad-settings"),
    "tools that are no table": ("tool = 3\n", (), "bad-settings"),
    "a setting of toolgen in one line": ("[tool]\ntoolgen = {}\n", (), "already-there"),
    "settings that are there": ("[tool.toolgen]\n", (), "already-there"),
}


@for_each(FAILURES)
def test_what_fails_writes_nothing(text: Any, args: Any, code: Any) -> None:
    if text:
        Path("pyproject.toml").write_text(text)
    assert f"error[{code}]" in failure("init", *args)
    assert not Path("specs").exists()
    assert not text or Path("pyproject.toml").read_text() == text
