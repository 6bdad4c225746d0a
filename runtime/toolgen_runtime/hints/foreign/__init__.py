"""Make issues and hints from the errors of other validators. There is one small reader for each library.

No library is imported.
"""

from __future__ import annotations

from toolgen_runtime.hints.foreign.hint import foreign_hint
from toolgen_runtime.hints.foreign.reading import read_exception, read_text

__all__ = ["foreign_hint", "read_exception", "read_text"]
