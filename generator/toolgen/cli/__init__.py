"""The command line: arguments in, diagnostics and an exit code out. The only part of toolgen that prints."""

from __future__ import annotations

from toolgen.cli.app import program

__all__ = ["program"]
