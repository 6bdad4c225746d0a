"""docs/commands.md is what the program says of itself."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from support import ROOT

from toolgen.cli.app import COMMANDS
from toolgen.cli.options import SETTINGS


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "command_reference", ROOT / "scripts" / "command_reference.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_commands_and_settings_is_current() -> None:
    text = reference().page()
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert page == text, "run: python scripts/command_reference.py"
    assert all(f"\n## toolgen {command}\n" in page for command in COMMANDS)
    assert all(f"| `{setting}` |" in page for setting in SETTINGS)
