"""Audit recorded calls with Ray: `python audit_ray.py TOOLS.json CALLS.jsonl...`.

It needs `toolgen[generator]` and `ray`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ray

from toolgen.commands.audit import AuditTools, Summary, summarize
from toolgen.commands.audit.partitions import parts_of
from toolgen.commands.audit.sources import sources_of

PART = 1 << 20
"""The number of bytes of a task; the workers read the files themselves."""


def main(specs: str, *calls: str) -> Summary:
    tools = AuditTools.of_specs(json.loads(Path(specs).read_text("utf-8")))
    ray.init(log_to_driver=False)
    task = ray.remote(max_retries=3)(summarize)
    waiting = [task.remote(part, tools) for part in parts_of(sources_of(calls), PART)]
    total = Summary()
    while waiting:
        done, waiting = ray.wait(waiting)
        total.merge(ray.get(done[0]))
    for name, tool in total.called().items():
        print(f"{name}: {tool.calls} calls, {tool.invalid} invalid, {tool.repaired} repaired")
    return total


if __name__ == "__main__":
    main(*sys.argv[1:])
