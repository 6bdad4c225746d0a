"""Write docs/commands.md and docs/settings.schema.json: commands, options and settings, as the program declares them.

`python scripts/command_reference.py` writes both; `tests/generator/cli/test_command_reference.py` compares them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from toolgen.cli import program
from toolgen.cli.app import COMMANDS
from toolgen.cli.options import SETTINGS, Setting

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
SCHEMA = PAGE.with_name("settings.schema.json")
HEAD = """# Commands and settings

`scripts/command_reference.py` generates this page from the program. A test compares the two.

| exit code | meaning |
| --- | --- |
| 0 | The command succeeded. |
| 1 | The command found something: files that differ, issues, findings or breaking changes. |
| 2 | The input or the arguments are invalid. |
| 130 | The command was interrupted. |

`python -m toolgen` runs the same program. [Install](start/install.md#shell-completion) says how to complete commands
in your shell.

| variable | effect |
| --- | --- |
| `NO_COLOR` | no colors |
| `TOOLGEN_CACHE_DIR` | the folder of the cache |
| `TOOLGEN_DEBUG=1` | shows the traceback of an internal error |
"""
COMMON_HEAD = """## Common options

Several commands have these options. `-h` shows the help of any command.
"""
MANY = 3
"""An option of so many commands stands in one table."""
SETTINGS_HEAD = """## Settings

toolgen reads the table `[tool.toolgen]` in the nearest `pyproject.toml`. Each key has the name of its option. Paths are
relative to that file. Options on the command line have priority.

```toml
[tool.toolgen]
specs = ["specs"]
exclude = "drafts/*"
output = "my_tools"
client = true
fail-on = "error"
```

Editors can complete and check the table with [`settings.schema.json`](settings.schema.json).

| key | value | default | effect |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return the text of the page."""
    settings = SETTINGS_HEAD + "".join(map(setting_row, _sorted()))
    return "\n".join([HEAD, common_section(), *map(command_section, COMMANDS), settings])


def common_section() -> str:
    """Return the section of the options that several commands have, as they say it."""
    rows = "".join(f"| {_code(left)} | {_cell(right)} |\n" for left, right in common_options())
    return f"{COMMON_HEAD}\n| option | effect |\n| --- | --- |\n{rows}"


def common_options() -> list[tuple[str, str]]:
    """Return the options that at least three commands have, with the same words."""
    counted = Counter(option for name in COMMANDS for option in _options_of(name))
    return sorted(option for option, count in counted.items() if count >= MANY)


def _options_of(name: str) -> list[tuple[str, str]]:
    context = click.Context(program, info_name="toolgen")
    command = program.get_command(context, name)
    assert command is not None
    return list(
        _options(
            command,
            click.Context(command, info_name=name, parent=context, help_option_names=["-h", "--help"]),
        )
    )


def command_section(name: str) -> str:
    """Return the section of one command."""
    context = click.Context(program, info_name="toolgen")
    command = program.get_command(context, name)
    assert command is not None
    inner = click.Context(command, info_name=name, parent=context, help_option_names=["-h", "--help"])
    usage = command.get_usage(inner).removeprefix("Usage: ").replace("\n", " ")
    about = " ".join((command.help or "").split("\n\n")[0].split())
    options, common = list(_options(command, inner)), common_options()
    rows = "".join(
        f"| {_code(left)} | {_cell(right)} |\n" for left, right in options if (left, right) not in common
    )
    table = f"| option | effect |\n| --- | --- |\n{rows}\n" if rows else ""
    shared = [
        _code("--" + left.partition("--")[2].split()[0]) for left, right in options if (left, right) in common
    ]
    also = f"[Common options](#common-options): {', '.join(shared)}.\n"
    return f"## toolgen {name}\n\n`{' '.join(usage.split())}`\n\n{about}\n\n{table}{also}"


def setting_row(setting: Setting) -> str:
    """Return the row of one setting."""
    default = "" if setting.default is None else _code(str(setting.default).lower())
    return f"| `{setting.name}` | {_cell(setting.expected)} | {default} | {_cell(setting.help)} |\n"


def settings_schema() -> str:
    """Return the JSON Schema of a `pyproject.toml` with the table `[tool.toolgen]`."""
    properties = {setting.name: _setting_schema(setting) for setting in _sorted()}
    table = {"type": "object", "properties": properties, "additionalProperties": False}
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pyproject.toml with the settings of toolgen",
        "type": "object",
        "properties": {"tool": {"type": "object", "properties": {"toolgen": table}}},
    }
    return json.dumps(schema, indent=2) + "\n"


def _setting_schema(setting: Setting) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "string", "minLength": 1}
    if isinstance(setting.type, click.Choice):
        value = {"enum": list(setting.type.choices)}
    elif setting.type is click.BOOL:
        value = {"type": "boolean"}
    elif isinstance(setting.type, click.IntRange):
        value = {"type": "integer", "minimum": setting.type.min}
    if setting.many:
        value = {"anyOf": [value, {"type": "array", "items": value}]}
    if setting.default is not None:
        value["default"] = setting.default
    return {"description": _cell(setting.help), **value}


def _sorted() -> list[Setting]:
    return sorted(SETTINGS.values(), key=lambda setting: setting.name)


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            yield record


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    SCHEMA.write_text(settings_schema(), "utf-8")
