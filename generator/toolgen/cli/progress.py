"""One line on the terminal while a build takes longer than a moment."""

from __future__ import annotations

import sys
import time

import click

MIN_SECONDS_LEFT = 1.0
"""The line is drawn if more seconds than this are left."""


class Progress:
    """A progress line; call it with the number done and the total."""

    def __init__(self, enabled: bool) -> None:
        """Draw only if `enabled` and standard error is a terminal."""
        self.enabled = enabled and sys.stderr.isatty()
        self.start = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Draw the line as soon as more than `MIN_SECONDS_LEFT` are left at the pace so far, and then each time."""
        spent = time.monotonic() - self.start
        seconds_left = spent / done * (total - done) if done else 0.0
        if self.enabled and (self.shown or seconds_left > MIN_SECONDS_LEFT):
            self.shown = True
            click.echo(f"\r{done}/{total} tools, {seconds_left:.0f} s left  ", err=True, nl=False)

    def clear(self) -> None:
        """Clear the line."""
        if self.shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.shown = False
