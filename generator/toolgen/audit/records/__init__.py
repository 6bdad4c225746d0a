"""Read records of calls in the shapes in which they are exported. There is one file for each shape."""

from __future__ import annotations

from toolgen.audit.records.call import Call
from toolgen.audit.records.recognize import calls_of, value_of

__all__ = ["Call", "calls_of", "value_of"]
