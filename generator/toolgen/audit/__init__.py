"""Recorded calls, counted: which tools, fields and constraints fail, and how.

`summarize(partition, tools) -> Summary` is all of it: pure, picklable, and exact whatever the partitioning, since
summaries are merged in any order (`Summary.merge`). The command, Dask, Spark and Ray map the same function.
"""

from __future__ import annotations

from toolgen.audit.summarize import summarize
from toolgen.audit.summary import Summary
from toolgen.audit.tools import AuditTools

__all__ = ["AuditTools", "Summary", "summarize"]
