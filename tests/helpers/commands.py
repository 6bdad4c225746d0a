"""The command line in this process."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from toolgen.cli import program


def toolgen(*args: str, stdin: str | bytes | None = None) -> Result:
    """Run a command; `stdin` is what it can read."""
    return CliRunner().invoke(program, list(args), input=stdin, prog_name="toolgen")


def document(*args: str) -> dict[str, Any]:
    """What a command says in JSON."""
    said: dict[str, Any] = json.loads(toolgen(*args, "--output-format", "json").stdout)
    return said
