"""One line on the terminal while a build takes longer than a moment."""

from __future__ import annotations

import sys
import time

import click

PATIENCE = 1.0
"""Seconds of work still ahead that are worth a line."""


class Progress:
    """Called with the number done and the total; draws only on a terminal."""

    def __init__(self, enabled: bool) -> None:
        """Draw only if `enabled` and standard error is a terminal."""
        self.enabled = enabled and sys.stderr.isatty()
        self.start = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Draw once more than `PATIENCE` seconds are expected, at the pace so far."""
        spent = time.monotonic() - self.start
        ahead = spent / done * (total - done) if done else 0.0
        if self.enabled and (self.shown or ahead > PATIENCE):
            self.shown = True
            click.echo(f"\r{done}/{total} tools, {ahead:.0f} s left  ", err=True, nl=False)

    def clear(self) -> None:
        """Clear the line."""
        if self.shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.shown = False
