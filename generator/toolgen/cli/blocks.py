"""Print a diagnostic on a terminal, in several lines: the message, its location, the source line and the fix."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from toolgen.cli.position import line_at, position_of
from toolgen.cli.terminal import inline, wrap
from toolgen.compiler.diagnostics import Diagnostic, Place
from toolgen.compiler.lint_codes import LINT_CODES

SITE = "TOOLGEN_SITE_URL"
"""The environment variable with the address of the documentation, to which codes are linked."""
PAGES = "docs"
"""The folder of the documentation in the repository."""
MAX_BEFORE = 30
"""The number of characters to show before the caret if a line is too long for the terminal."""


def block(
    diagnostic: Diagnostic, colour: str, *, coloured: bool, width: int, has_address: bool = False
) -> str:
    """Format a diagnostic as lines of at most `width` characters. Only a longer word may exceed the limit.

    `has_address` adds the address of the code in the documentation.
    """
    level = f"{diagnostic.level}[{diagnostic.code}]"
    tool = f"tool {diagnostic.tool!r}: " if diagnostic.tool else ""
    first = wrap(f"{level} {inline(tool + diagnostic.message)}", width)
    if coloured:
        styled, address = click.style(level, fg=colour, bold=True), address_of(diagnostic.code)
        if "://" in address:  # a link (OSC 8) to the code's place on the site
            styled = f"\x1b]8;;{address}\x1b\\{styled}\x1b]8;;\x1b\\"
        first = styled + first[len(level) :]
    lines = [first, *_place(diagnostic.place, width)]
    if diagnostic.hint:
        lines.append(wrap(f"  help: {inline(diagnostic.hint)}", width))
    if has_address:
        lines.append(f"  see: {address_of(diagnostic.code)}")
    return "\n".join(lines)


def _place(place: Place, width: int) -> Iterator[str]:
    """Yield the location, the line of the file, and a caret below the column."""
    if place == Place(""):
        return
    position = position_of(place)
    pointer = f"  #{place.pointer}" if place.pointer else ""
    if position is None:
        yield inline(f"  --> {place.file or '<memory>'}{pointer}")
        return
    line, column = position
    yield inline(f"  --> {place.file}:{line}:{column}{pointer}")
    text = line_at(place, line)
    if not text.strip():
        return
    margin = f"{line:>5} | "
    before, after = text[: column - 1].replace("\t", " "), text[column - 1 :].replace("\t", " ")
    room = width - len(margin)
    if len(before) + len(after) > room:
        cut = before[-min(MAX_BEFORE, room // 2) :]
        before = f"…{cut}" if len(cut) < len(before) else cut
    before, after = inline(before), inline(after)
    rest = max(room - len(before), 1)
    if len(after) > rest:
        after = f"{after[: rest - 1]}…"
    yield f"{margin}{before}{after}"
    yield f"{' ' * (len(margin) - 2)}| {' ' * len(before)}^"


def address_of(code: str) -> str:
    """Return the URL of a code's entry in the documentation.

    It is an address on the site if the site's address is known, and otherwise one in the repository.
    """
    page = "lint" if code in LINT_CODES else "diagnostics"
    site = os.environ.get(SITE, "").rstrip("/")
    if site.startswith(("https://", "http://")) and site.isprintable():
        return f"{site}/{page}.html#{code}"
    return f"{PAGES}/{page}.md#{code}"
