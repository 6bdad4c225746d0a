"""Print the diagnostics and the results of a command as text, as one JSON document, or as GitHub annotations."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

import click

from toolgen.cli.blocks import block
from toolgen.cli.position import position_of
from toolgen.cli.terminal import counted, has_colour, inline, lines, width_of, wrap
from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError, with_counts
from toolgen.compiler.short_text import json_for_logs
from toolgen.package.extras import EXTRAS_OF
from toolgen.package.output.text_file import write_text_file
from toolgen_runtime.install import install_advice

FAILED = 2
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
DIFF_COLOURS = {"---": "white", "+++": "white", "@@": "cyan", "+": "green", "-": "red"}
"""The color of a diff line, looked up by how the line starts; longer starts come first."""
WRITERS = ("build", "docs", "export", "init")
"""The commands that report that nothing was written. `pull` is not one, because it names each file that it writes."""
ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}


class Report:
    """Collects and prints the diagnostics and results of one command.

    Text and annotations are printed at once, and JSON is printed when `done` is called.

    Diagnostics go to standard error, and results go to standard output. `quiet` suppresses notes, warnings and optional
    lines. Notes are printed after the result, but not if the command has failed. The counts of errors and warnings come
    last.
    """

    def __init__(self, command: str, output_format: str = "text", quiet: bool = False) -> None:
        """Create a report for `command` in the format `text`, `json` or `github`."""
        self.command = command
        self.format = output_format
        self.quiet = quiet
        self.diagnostics: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()
        self.failed = False
        """Whether a diagnostic is an error; findings do not count."""
        self.result: dict[str, Any] = {}
        self.has_written = False
        """Whether the command has changed a file."""
        self._notes: list[Diagnostic] = []
        self._addressed: set[str] = set()
        """The codes whose addresses have been printed."""
        self._begun = time.monotonic()

    def diagnose(self, diagnostics: Iterable[Diagnostic], *, are_results: bool = False) -> None:
        """Report diagnostics.

        If they are the results of the command, they go to standard output, even with `quiet`.
        """
        stream = sys.stdout if are_results else sys.stderr
        for diagnostic in with_counts(diagnostics, _hosted_in):
            self.diagnostics.append(diagnostic)
            self.failed |= diagnostic.level == "error" and not are_results
            self._counts[diagnostic.level] += not are_results
            if self.format == "json" or (self.quiet and not are_results and diagnostic.level != "error"):
                continue
            if self.format == "github":
                click.echo(annotation(diagnostic), file=stream)
            elif diagnostic.level == "note" and not are_results:
                self._notes.append(diagnostic)
            else:
                self._print_diagnostic(diagnostic, stream)

    def _print_diagnostic(self, diagnostic: Diagnostic, stream: TextIO) -> None:
        """Print a diagnostic. The first one of a code has its address."""
        is_first = diagnostic.code not in self._addressed
        self._addressed.add(diagnostic.code)
        click.echo(diagnostic_text(diagnostic, stream, has_address=is_first), file=stream)

    def stop_if_failed(self) -> None:
        """Stop the command if an error has been reported.

        Raises:
            SpecError: without diagnostics, because the report already contains the errors.
        """
        if self.failed:
            raise SpecError(())

    def finish(self, run: Callable[[], int]) -> int:
        """Run the command, report the errors that it raises, and return its exit code."""
        code = FAILED
        try:
            code = run()
        except SpecError as error:
            self.diagnose(error.diagnostics)
        except ModuleNotFoundError as error:
            name = str(error.name).partition(".")[0]
            if name not in EXTRAS_OF:
                raise
            message, hint = f"the package {name} is not installed", install_advice(*EXTRAS_OF[name])
            self.diagnose([Diagnostic(Place(""), "missing-extra", message, hint)])
        except OSError as error:
            if error.filename is None:  # an error of standard output
                raise
            self.write_failed(str(error.filename), error)
        return self.done(FAILED if self.failed else code)

    def write(self, file: str | Path, text: str, message: str = "written", *, folders: bool = False) -> bool:
        """Write a text file, and print a message that says so.

        If writing fails, report the reason and leave the old file unchanged.

        `folders` creates missing parent folders.
        """
        name = file if isinstance(file, str) else file.as_posix()
        try:
            write_text_file(Path(file), text, folders=folders)
        except OSError as error:
            self.write_failed(name, error)
            return False
        self.has_written = True
        if message:
            self.inform(f"{name}: {message}")
        return True

    def write_failed(self, file: str, error: OSError) -> None:
        """Report that a file could not be written."""
        is_place = isinstance(
            error, FileExistsError | FileNotFoundError | IsADirectoryError | NotADirectoryError
        )
        hint = "choose another file" if is_place else "free disk space or fix the permissions"
        self.diagnose([Diagnostic(Place(file), "write-failed", error.strerror or str(error), hint)])

    def inform(self, text: str, *, wrapped: bool = False) -> None:
        """Print lines of the result, unless the option `quiet` is set."""
        if not self.quiet:
            self.print(text, wrapped=wrapped)

    def print(self, text: str, *, wrapped: bool = False) -> None:
        """Print lines of the result. On a terminal, long lines are wrapped if that is allowed."""
        if self.format != "json":
            width = width_of(sys.stdout) if wrapped else None
            click.echo("\n".join(wrap(line, width) for line in lines(text).split("\n")))

    def duration(self) -> str:
        """Return how long the command has run, or an empty string if the output is not a terminal."""
        return f" in {time.monotonic() - self._begun:.1f} s" if sys.stdout.isatty() else ""

    def print_marked(self, word: str, colour: str, text: str) -> None:
        """Print a line of the result whose first word is colored on a terminal."""
        if self.format != "json":
            line = wrap(f"{word}  {inline(text)}", width_of(sys.stdout))
            if has_colour(sys.stdout):
                line = click.style(word, fg=colour, bold=True) + line[len(word) :]
            click.echo(line)

    def print_diff(self, diff: str) -> None:
        """Print a unified diff, colored on a terminal."""
        if self.format != "json":
            colours = DIFF_COLOURS if has_colour(sys.stdout) else {}
            for line in lines(diff).split("\n"):
                colour = next((c for start, c in colours.items() if line.startswith(start)), None)
                click.echo(click.style(line, fg=colour) if colour else line)

    def done(self, code: int) -> int:
        """Print what the output format requires at the end, and return the exit code."""
        if self.format == "text":
            self._print_last_lines()
        if self.format == "json":
            diagnostics = [_as_json(diagnostic) for diagnostic in self.diagnostics]
            document = {
                "command": self.command,
                "exit": code,
                "diagnostics": diagnostics,
                "result": self.result,
            }
            click.echo(json_for_logs(json.dumps(document, indent=2)))
        return code

    def _print_last_lines(self) -> None:
        """Print the notes, and print the counts of errors and warnings if this adds anything to the diagnostics."""
        for note in self._notes if not self.failed else ():
            self._print_diagnostic(note, sys.stderr)
        levels = ("error",) if self.quiet else ("error", "warning")
        found = ", ".join(counted(self._counts[level], level) for level in levels if self._counts[level])
        writes = self.command in WRITERS and self.failed
        if found and (writes or sum(self._counts[level] for level in levels) > 1):
            end = " Nothing was written." if writes and not self.has_written else ""
            click.echo(f"Found {found}.{end}", err=True)


def _hosted_in(diagnostic: Diagnostic) -> tuple[str, str] | None:
    """Return the file and the message of a note about a hosted tool. The note is printed once for each file."""
    if diagnostic.code == "hosted-tool":
        return diagnostic.place.file, diagnostic.message
    return None


def diagnostic_text(diagnostic: Diagnostic, stream: TextIO, *, has_address: bool) -> str:
    """Format a diagnostic for a stream, depending on whether it is a terminal.

    For a terminal, it takes several lines. Otherwise it is one line, without the address of its code.
    """
    width = width_of(stream)
    if width is None:
        text = diagnostic.line(*(position_of(diagnostic.place) or ()))
        return inline(text.removeprefix("<memory>: ") if diagnostic.place == Place("") else text)
    colour, coloured = COLOURS[diagnostic.level], has_colour(stream)
    return block(diagnostic, colour, coloured=coloured, width=width, has_address=has_address)


def _as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    line, column = position_of(diagnostic.place) or (None, None)
    return {
        "file": diagnostic.place.file,
        "pointer": diagnostic.place.pointer,
        "line": line,
        "column": column,
        "level": diagnostic.level,
        "code": diagnostic.code,
        "tool": diagnostic.tool,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }


def annotation(diagnostic: Diagnostic) -> str:
    """Format a diagnostic as a workflow command, so that GitHub shows it at its line."""
    parts = (
        diagnostic.tool and f"tool {diagnostic.tool!r}:",
        diagnostic.message,
        diagnostic.hint and f"({diagnostic.hint})",
        diagnostic.place.pointer and f"at {diagnostic.place.pointer}",
    )
    text = " ".join(filter(None, parts))
    return annotation_at(diagnostic.place, ANNOTATIONS[diagnostic.level], f"toolgen {diagnostic.code}", text)


def annotation_at(place: Place, level: str, title: str, text: str) -> str:
    """Format a text as a workflow command, so that GitHub shows it at the line of a location."""
    line, column = position_of(place) or ("", "")
    properties = {"file": place.file if line else "", "line": str(line), "col": str(column), "title": title}
    return workflow_command(level, properties, text)


def workflow_command(word: str, properties: Mapping[str, str], text: str) -> str:
    """Format a GitHub workflow command, without properties that have no value."""
    listed = ",".join(f"{k}={_property(inline(v))}" for k, v in properties.items() if v)
    return f"::{word} {listed}::{_data(inline(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
