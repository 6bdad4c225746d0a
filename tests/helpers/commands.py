"""The command line in this process."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from helpers.support import JsonObject
from toolgen.cli import program


def toolgen(*args: str, stdin: str | bytes | None = None) -> Result:
    """Run a command; `stdin` is what it can read."""
    return CliRunner().invoke(program, list(args), input=stdin, prog_name="toolgen")


def failure(*args: str, stdin: str | bytes | None = None) -> str:
    """What a command says that fails: exit code 2, and nothing on standard output."""
    result = toolgen(*args, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return result.stderr


def document(*args: str) -> JsonObject:
    """What a command says in JSON."""
    return json.loads(toolgen(*args, "--output-format", "json").stdout)
