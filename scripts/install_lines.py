"""Write the command that installs toolgen into every page, as `toolgen_runtime.install` has it.

`python scripts/install_lines.py` after a change of that command, for example at the first release;
`tests/docs/test_documentation.py` compares the pages with it. Lines that install `./runtime` alone stay.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from toolgen_runtime.install import install_command

ROOT: Final = Path(__file__).parent.parent
LINE: Final = re.compile(
    r"pip install (?P<quiet>-q )?(?:-e \./runtime -e '\.\[(?P<checkout>[\w,-]+)\]'|'toolgen\[(?P<index>[\w,-]+)\]')"
)
"""The command in either form: of a checkout, or of an index."""


def pages() -> list[Path]:
    """Return the files with commands for users."""
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    return sorted(files)


def current(text: str) -> str:
    """Return a page's text with the command as it is now."""
    return LINE.sub(_line, text)


def _line(found: re.Match[str]) -> str:
    extras = found["checkout"] or found["index"]
    command = install_command(*extras.split(","))
    return command.replace("pip install ", "pip install -q ", 1) if found["quiet"] else command


if __name__ == "__main__":
    for page in pages():
        page.write_text(current(page.read_text("utf-8")), "utf-8")
