"""Audit recorded calls on a Dask cluster: `python audit_dask.py tcp://HOST:8786 TOOLS.json CALLS.jsonl...`.

It needs `toolgen[generator]` and `distributed`, here and on the workers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from distributed import Client, as_completed

from toolgen.audit import AuditTools, Summary, summarize
from toolgen.audit.partitions import parts_of
from toolgen.audit.sources import sources_of

PART = 1 << 20
"""Bytes of a task; the workers read the files themselves."""


def main(scheduler: str, specs: str, *calls: str) -> Summary:
    tools = AuditTools.of_specs(json.loads(Path(specs).read_text("utf-8")))
    total = Summary()
    with Client(scheduler) as client:
        parts = parts_of(sources_of(calls), PART)
        waiting = [client.submit(summarize, part, tools, pure=False, retries=3) for part in parts]
        for future in as_completed(waiting):
            total.merge(future.result())
    for name, tool in total.called().items():
        print(f"{name}: {tool.calls} calls, {tool.invalid} invalid, {tool.repaired} repaired")
    return total


if __name__ == "__main__":
    main(*sys.argv[1:])
