"""Write docs/images/explain.svg: the terminal after the tutorial's first commands, from a real run.

`python scripts/terminal_picture.py` writes the picture; `tests/docs/test_documentation.py` compares it.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "explain.svg"
COMMANDS = (
    "toolgen init -- python examples/agents/server.py",
    "toolgen build",
    """toolgen explain create_issue '{"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}'""",
)
WIDTH = 110
FONTS = re.compile(r"@font-face \{\{.*?\n    \}\}\n", re.S)
"""Fonts from the network, which a page must not load."""


def run(command: str, folder: Path) -> str:
    """Return the output of a command in a folder."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    environment |= {"NO_COLOR": "1", "COLUMNS": str(WIDTH), "TOOLGEN_CACHE_DIR": str(folder / ".cache")}
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def picture() -> str:
    """Return the picture, as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples" / "agents", folder / "examples" / "agents")
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text(run(command, folder)))
    return console.export_svg(
        title="toolgen", code_format=FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="toolgen"
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), "utf-8")
