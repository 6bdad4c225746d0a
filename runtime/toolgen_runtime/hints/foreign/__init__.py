"""Make issues and hints from the errors of other validators. No library is imported."""

from __future__ import annotations

from toolgen_runtime.hints.foreign.hint import foreign_hint

__all__ = ["foreign_hint"]
