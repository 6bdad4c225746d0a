"""How toolgen is installed: the one place that messages, pages and their tests take the command from.

There is no release on an index yet, so the command is that of a checkout. With a release, `COMMAND` and `WHERE`
change, and `python scripts/install_lines.py` writes the new command into the pages.
"""

from __future__ import annotations

from typing import Final

COMMAND: Final = "pip install -e ./runtime -e '.[{extras}]'"
"""The command, with the place of the extras."""
WHERE: Final = "in a checkout of toolgen, run: "
"""The words before the command in a message."""


def install_command(*extras: str) -> str:
    """Return the shell command that installs toolgen with these extras."""
    return COMMAND.format(extras=",".join(extras))


def install_advice(*extras: str) -> str:
    """Return the part of a message that says how to install these extras."""
    return WHERE + install_command(*extras)
