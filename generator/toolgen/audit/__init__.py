"""Count in recorded calls which tools, fields and constraints fail, and how.

`summarize(partition, tools)` returns a `Summary`. It is a pure function that can be pickled. Summaries can be merged
in any order (`Summary.merge`), so partitions do not change the result. The command calls it for each
partition, and so do Dask, Spark and Ray.
"""

from __future__ import annotations

from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools

__all__ = ["AuditTools", "Summary", "summarize"]
