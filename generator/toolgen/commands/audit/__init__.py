"""Count which tools, fields and constraints recorded calls get wrong.

`summarize(partition, tools)` returns a `Summary`. The function has no side effects, and its result can be pickled.
Summaries can be merged in any order (`Summary.merge`). How the records are split into partitions does not change the
counts, except for `repaired`, because all calls with the same mistake count like the first one that a process reads.
The command calls `summarize` for each partition, and so do Dask, Spark and Ray.
"""

from __future__ import annotations

from toolgen.commands.audit.summarize import summarize
from toolgen.commands.audit.summary import Summary
from toolgen.commands.audit.tools import AuditTools

__all__ = ["AuditTools", "Summary", "summarize"]
