"""`action.yml` and `.pre-commit-hooks.yaml` run from the repository: their commands, extras and paths are right."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from helpers.support import EXAMPLE_SPECS, ROOT, for_each

pytestmark = pytest.mark.skipif(
    not (ROOT / "action.yml").is_file(), reason="an sdist has neither the action nor the hooks"
)
EXTRAS = (
    tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    if (ROOT / "pyproject.toml").is_file()
    else {}
)


def steps() -> dict[str, dict[str, str]]:
    """Return the steps of the action that have a name."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return {step["name"]: step for step in action["runs"]["steps"] if "name" in step}


@for_each(
    [
        ("build SPECS -o agent_tools", 0, ""),
        ("build --check -o agent_tools SPECS", 1, "::error"),
        ("no-such-command", 2, "No such command"),
    ]
)
def test_the_action_runs_a_command(command: str, code: int, said: str, *, tmp_path: Path) -> None:
    (tmp_path / "toolgen").symlink_to(
        Path(sys.executable).parent.parent
    )  # the environment that the action makes
    words = command.replace("SPECS", str(EXAMPLE_SPECS))
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), "COMMAND": words}
    script = ["bash", "-e", "-c", steps()["toolgen"]["run"]]
    ran = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == code
    assert said in ran.stdout + ran.stderr


def test_the_action_installs_both_distributions_from_the_repository() -> None:
    script = steps()["Install toolgen"]["run"]
    assert '"$GITHUB_ACTION_PATH/runtime" "$GITHUB_ACTION_PATH[$EXTRAS]"' in script
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert inputs["extras"]["default"] in EXTRAS


def test_hooks_run_commands_that_exist_with_extras_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in hooks] == ["toolgen-check", "toolgen-lint", "toolgen-build"]
    for hook in hooks:
        assert hook["additional_dependencies"] == ["./runtime", ".[generator]"]
        words = [str(Path(sys.executable).with_name("toolgen")), *hook["entry"].split()[1:], "--help"]
        assert subprocess.run(words, capture_output=True, check=False).returncode == 0
