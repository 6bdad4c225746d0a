"""One line on the terminal while a command takes longer than a moment."""

from __future__ import annotations

import sys
import time

import click

QUIET_SECONDS = 1.0
"""Nothing is drawn before this time has passed."""


class Progress:
    """A progress line; call it with the number done and the total."""

    def __init__(self, enabled: bool, unit: str = "tools") -> None:
        """Draw only if `enabled` and standard error is a terminal; `unit` is what is counted."""
        self.unit = unit
        self.enabled = enabled and sys.stderr.isatty()
        self.begun = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Draw the line."""
        if self.enabled and time.monotonic() - self.begun > QUIET_SECONDS:
            self.shown = True
            click.echo(f"\r\x1b[K{done:,}/{total:,} {self.unit}", err=True, nl=False)

    def clear(self) -> None:
        """Clear the line."""
        if self.shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.shown = False
