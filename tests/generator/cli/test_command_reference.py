"""docs/commands.md is what the program says of itself."""

from __future__ import annotations

import command_reference
from helpers.support import ROOT

from toolgen.cli.app import COMMANDS
from toolgen.cli.options import SETTINGS


def test_the_page_of_commands_and_settings_is_current() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert page == command_reference.page(), "run: python scripts/command_reference.py"
    assert all(f"\n## toolgen {command}\n" in page for command in COMMANDS)
    assert all(f"| `{setting}` |" in page for setting in SETTINGS)
