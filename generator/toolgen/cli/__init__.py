"""The command line. It is the only part of toolgen that prints diagnostics and sets exit codes."""

from __future__ import annotations

from toolgen.cli.app import program

__all__ = ["program"]
