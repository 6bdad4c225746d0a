"""The shell command that installs toolgen, as messages, pages and their tests show it.

toolgen has no release on a package index yet, so the command installs a checkout. When there is a release, change
`COMMAND` and `WHERE`; `python scripts/install_lines.py` then writes the new command into the pages.
"""

from __future__ import annotations

from typing import Final

COMMAND: Final = "pip install -e ./runtime -e '.[{extras}]'"
"""The command, with a placeholder for the extras."""
WHERE: Final = "in a checkout of toolgen, run: "
"""The words that precede the command in a message."""


def install_command(*extras: str) -> str:
    """Return the shell command that installs toolgen with these extras."""
    return COMMAND.format(extras=",".join(extras))


def install_advice(*extras: str) -> str:
    """Return the part of a message that explains how to install these extras."""
    return WHERE + install_command(*extras)
