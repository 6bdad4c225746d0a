"""Write docs/commands.md: every command, option and setting, as the program itself declares them.

`python scripts/command_reference.py` writes the page; `tests/generator/test_command_reference.py` compares it.
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

Made from the program by `scripts/command_reference.py`; a test compares the two.

Exit codes: 0 done, 1 what the command looks for was found (drift, issues, findings, breaking changes), 2 bad input or
usage, 130 interrupted. `python -m toolgen` is the same program. `TOOLGEN_DEBUG=1` shows the traceback of an internal
error, `NO_COLOR` turns colours off, `TOOLGEN_CACHE_DIR` moves the cache.
"""
SETTINGS_HEAD = """## Settings

`[tool.toolgen]` of the nearest `pyproject.toml`: each key is the name of its option, paths are relative to that file,
and the command line wins.

| key | value | default | what it says |
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
    table = f"| option | what it does |\n| --- | --- |\n{rows}"
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
