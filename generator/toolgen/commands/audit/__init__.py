"""Count in recorded calls which tools, fields and constraints fail, and how.

`summarize(partition, tools)` returns a `Summary`. It has no side effects and can be pickled. Summaries can be merged
in any order (`Summary.merge`). The partitioning does not change the counts, except `repaired`: calls with the same
mistake count like the first of them that a process reads. The command calls it for each partition, and so do Dask,
Spark and Ray.
"""

from __future__ import annotations

from toolgen.commands.audit.summarize import summarize
from toolgen.commands.audit.summary import Summary
from toolgen.commands.audit.tools import AuditTools

__all__ = ["AuditTools", "Summary", "summarize"]
