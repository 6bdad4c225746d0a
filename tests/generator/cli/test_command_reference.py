"""docs/commands.md and docs/settings.schema.json are what the program says of itself."""

from __future__ import annotations

import json

import click
import command_reference
from helpers.support import ROOT
from jsonschema import Draft7Validator

from toolgen.cli.app import COMMANDS
from toolgen.cli.options import SETTINGS


def test_the_page_of_commands_and_settings_is_current() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert page == command_reference.page(), "run: python scripts/command_reference.py"
    assert all(f"\n## toolgen {command}\n" in page for command in COMMANDS)
    assert all(f"| `{setting}` |" in page for setting in SETTINGS)


def test_the_schema_of_settings_is_current_and_judges_as_the_program_does() -> None:
    text = (ROOT / "docs" / "settings.schema.json").read_text("utf-8")
    assert text == command_reference.settings_schema(), "run: python scripts/command_reference.py"
    validator = Draft7Validator(json.loads(text))
    for setting in SETTINGS.values():
        value = setting.type.choices[0] if isinstance(setting.type, click.Choice) else setting.default
        table = {setting.name: "a" if value is None else value}
        if isinstance(setting.type, click.IntRange):
            table = {setting.name: setting.type.min}
        setting.from_file(table[setting.name], ROOT)
        assert validator.is_valid({"tool": {"toolgen": table}})
        assert not validator.is_valid({"tool": {"toolgen": {setting.name: {}}}})
    assert not validator.is_valid({"tool": {"toolgen": {"no-such-setting": True}}})
