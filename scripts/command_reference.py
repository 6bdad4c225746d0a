"""Write docs/commands.md: every command, option and setting, as the program declares them.

`python scripts/command_reference.py` writes the page; `tests/generator/cli/test_command_reference.py` compares it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from toolgen.cli import program
from toolgen.cli.app import COMMANDS
from toolgen.cli.options import SETTINGS, Setting

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
HEAD = """# Commands and settings

`scripts/command_reference.py` generates this page from the program; a test compares the two.

| exit code | meaning |
| --- | --- |
| 0 | The command succeeded. |
| 1 | The command found something: files that differ, issues, findings or breaking changes. |
| 2 | The input or the arguments are invalid. |
| 130 | The command was interrupted. |

`python -m toolgen` runs the same program. `TOOLGEN_DEBUG=1` shows the traceback of an internal error, `NO_COLOR`
disables colours, and `TOOLGEN_CACHE_DIR` sets the folder of the cache.
"""
SETTINGS_HEAD = """## Settings

toolgen reads `[tool.toolgen]` in the nearest `pyproject.toml`. Each key has the name of its option. Paths are relative
to the `pyproject.toml`. Options on the command line have priority.

| key | value | default | effect |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return the text of the page."""
    return "\n".join(
        [HEAD, *map(command_section, COMMANDS), SETTINGS_HEAD + "".join(map(setting_row, _sorted()))]
    )


def command_section(name: str) -> str:
    """Return the section of one command."""
    context = click.Context(program, info_name="toolgen")
    command = program.get_command(context, name)
    assert command is not None
    inner = click.Context(command, info_name=name, parent=context, help_option_names=["-h", "--help"])
    usage = command.get_usage(inner).removeprefix("Usage: ").replace("\n", " ")
    about = " ".join((command.help or "").split("\n\n")[0].split())
    rows = "".join(f"| {_code(left)} | {_cell(right)} |\n" for left, right in _options(command, inner))
    table = f"| option | effect |\n| --- | --- |\n{rows}"
    return f"## toolgen {name}\n\n`{' '.join(usage.split())}`\n\n{about}\n\n{table}"


def setting_row(setting: Setting) -> str:
    """Return the row of one setting."""
    default = "" if setting.default is None else _code(str(setting.default).lower())
    return f"| `{setting.name}` | {_cell(setting.expected)} | {default} | {_cell(setting.help)} |\n"


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
