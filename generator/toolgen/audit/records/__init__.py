"""Records of calls in the shapes in which they are exported: one file a shape, recognized by content."""

from __future__ import annotations

from toolgen.audit.records.call import Call
from toolgen.audit.records.recognize import calls_of

__all__ = ["Call", "calls_of"]
