"""One line on the terminal while a command takes longer than a moment."""

from __future__ import annotations

import sys
import time

import click

MIN_SECONDS_LEFT = 1.0
"""The line is drawn if more seconds than this are left."""
SETTLED = 0.05
"""The share of the tools after which the pace says how long the others take: the first one loads what all need."""


class Progress:
    """A progress line; call it with the number done and the total."""

    def __init__(self, enabled: bool, unit: str = "tools") -> None:
        """Draw only if `enabled` and standard error is a terminal; `unit` is what is counted."""
        self.unit = unit
        self.enabled = enabled and sys.stderr.isatty()
        self.first: tuple[float, int] | None = None
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Draw the line as soon as more than `MIN_SECONDS_LEFT` are left at the pace so far, and then each time.

        The pace is counted from the first tool on; until `SETTLED` of the tools are done, no time is given.
        """
        now = time.monotonic()
        if self.first is None:
            self.first = now, done
        start, before = self.first
        pace = (now - start) / (done - before) if done > before else 0.0
        left = pace * (total - done)
        if self.enabled and (self.shown or left > MIN_SECONDS_LEFT):
            self.shown = True
            estimate = f", {left:.0f} s left" if done >= SETTLED * total else ""
            click.echo(f"\r\x1b[K{done}/{total} {self.unit}{estimate}", err=True, nl=False)

    def clear(self) -> None:
        """Clear the line."""
        if self.shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.shown = False
