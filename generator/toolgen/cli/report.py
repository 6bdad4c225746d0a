"""Diagnostics and results of a command, as text, one JSON document, or GitHub annotations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from toolgen.cli.terminal import has_colour, inline, lines
from toolgen.diagnostics import Diagnostic, Place

COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}


class Report:
    """Collects diagnostics and results; text and annotations are printed at once, JSON when `done`.

    Diagnostics go to standard error, results to standard output. `quiet` leaves out notes, warnings and
    optional lines.
    """

    def __init__(self, command: str, output_format: str = "text", quiet: bool = False) -> None:
        """Create a report of `command` in `output_format`: `text`, `json` or `github`."""
        self.command = command
        self.format = output_format
        self.quiet = quiet
        self.diagnostics: list[Diagnostic] = []
        self.result: dict[str, Any] = {}

    @property
    def failed(self) -> bool:
        """Whether there is an error among the diagnostics."""
        return any(d.level == "error" for d in self.diagnostics)

    def diagnose(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add diagnostics."""
        for diagnostic in diagnostics:
            self.diagnostics.append(diagnostic)
            if self.format == "json" or (self.quiet and diagnostic.level != "error"):
                continue
            if self.format == "github":
                click.echo(annotation(diagnostic), err=True)
            else:
                click.echo(text_line(diagnostic), err=True)

    def print(self, text: str, *, optional: bool = False) -> None:
        """Print lines of the result; `quiet` leaves out optional ones."""
        if self.format != "json" and not (optional and self.quiet):
            click.echo(lines(text))

    def done(self, code: int) -> int:
        """Print the JSON document, if that is the format, and return the exit code."""
        if self.format == "json":
            import json

            diagnostics = [_as_json(diagnostic) for diagnostic in self.diagnostics]
            document = {
                "command": self.command,
                "exit": code,
                "diagnostics": diagnostics,
                "result": self.result,
            }
            # Escaped for GitHub, which looks for `##[` in every line of a log (see `terminal`).
            click.echo(json.dumps(document, indent=2).replace("##[", "#\\u0023["))
        return code


def text_line(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as one line for standard error, coloured where that has colours."""
    level = f"{diagnostic.level}[{diagnostic.code}]"
    text = str(diagnostic)
    if diagnostic.place == Place(""):
        text = text.removeprefix(f"{diagnostic.place}: ")
    before, _, after = inline(text).partition(level)
    if has_colour(sys.stderr):
        level = click.style(level, fg=COLOURS[diagnostic.level], bold=True)
    return before + level + after


def _as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    from toolgen.cli.position import line_of

    return {
        "file": diagnostic.place.file,
        "pointer": diagnostic.place.pointer,
        "line": line_of(diagnostic.place),
        "level": diagnostic.level,
        "code": diagnostic.code,
        "tool": diagnostic.tool,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }


def annotation(diagnostic: Diagnostic) -> str:
    """Return the workflow command that shows a diagnostic beside its line (GitHub, "Workflow commands")."""
    from toolgen.cli.position import line_of

    line = line_of(diagnostic.place)
    properties = {
        "file": diagnostic.place.file if line else "",
        "line": str(line or ""),
        "title": f"toolgen {diagnostic.code}",
    }
    text = " ".join(_parts(diagnostic))
    return workflow_command(ANNOTATIONS[diagnostic.level], properties, text)


def workflow_command(word: str, properties: Mapping[str, str], text: str) -> str:
    """Return a workflow command of GitHub; properties without a value are left out."""
    listed = ",".join(f"{k}={_property(inline(v))}" for k, v in properties.items() if v)
    return f"::{word} {listed}::{_data(inline(text))}"


def _parts(diagnostic: Diagnostic) -> Iterator[str]:
    if diagnostic.tool:
        yield f"tool {diagnostic.tool!r}:"
    yield diagnostic.message
    if diagnostic.hint:
        yield f"({diagnostic.hint})"
    if diagnostic.place.pointer:
        yield f"at {diagnostic.place.pointer}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
