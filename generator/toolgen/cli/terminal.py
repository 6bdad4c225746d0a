"""Make text safe to print, color it, and show the progress of a command.

Safe text has no escape sequences, line breaks or workflow commands.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from typing import TextIO

import click

from toolgen.compiler.short_text import LOG_COMMAND

MIN_WIDTH = 40
QUIET_SECONDS = 1.0
"""The time after which the line is drawn for the first time."""


def inline(text: str) -> str:
    """Return a text on one line, with all characters escaped that a terminal or a log might interpret."""
    return _no_command("".join(c if c == " " or c.isprintable() else _escape(c) for c in text))


def lines(text: str) -> str:
    """Escape each line of a text as `inline` does, but keep line breaks and tabs."""
    return "\n".join("\t".join(map(inline, line.split("\t"))) for line in text.split("\n"))


def _escape(char: str) -> str:
    if char.isascii() or ord(char) > 0xFF:
        return char.encode("unicode_escape").decode()
    return f"\\x{ord(char):02x}"


def _no_command(line: str) -> str:
    """Escape what GitHub and Azure run as a command: `::` at the start of a line, and `##[` and `##vso[` anywhere."""
    line = LOG_COMMAND.sub(r"#\\x23\1", line)
    start = len(line) - len(line.lstrip())
    if line.startswith("::", start):
        return f"{line[:start]}\\x3a{line[start + 1 :]}"
    return line


def wrap(text: str, width: int | None) -> str:
    """Break a line into several of at most `width` characters, without breaking words. All but the first are
    indented.
    """
    if width is None or len(text) <= width:
        return text
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    return textwrap.fill(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        expand_tabs=False,
        replace_whitespace=False,
    )


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal in columns; None for any other stream, where lines are not wrapped."""
    if not stream.isatty():
        return None
    return max(shutil.get_terminal_size().columns, MIN_WIDTH)


def counted(number: int, noun: str) -> str:
    """Return a number with a noun in the right form, such as `1 tool`, `2 tools` or `1,000 tools`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def limited(texts: Sequence[str], most: int) -> list[str]:
    """Return the first `most` texts, and the number of the others if there are more."""
    if len(texts) <= most:
        return list(texts)
    return [*texts[:most], f"{len(texts) - most:,} more"]


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which the user has not turned colors off (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Progress:
    """A line on the terminal that shows progress. Call it with the number of finished items and the total."""

    def __init__(self, enabled: bool, unit: str = "tools") -> None:
        """Draw only if `enabled` is true and standard error is a terminal. `unit` is the noun for the numbers."""
        self.unit = unit
        self.enabled = enabled and sys.stderr.isatty()
        self.begun = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Draw the line, unless the work has only just begun (`QUIET_SECONDS`)."""
        if time.monotonic() - self.begun > QUIET_SECONDS:
            self.draw(f"{done:,}/{total:,} {self.unit}")

    def draw(self, text: str) -> None:
        """Replace the line with another text."""
        if self.enabled:
            self.shown = True
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    def clear(self) -> None:
        """Remove the line."""
        if self.shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.shown = False
