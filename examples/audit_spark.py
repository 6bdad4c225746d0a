"""Audit recorded calls with Spark: `python audit_spark.py TOOLS.json CALLS.jsonl`.

It needs `toolgen[generator]` and `pyspark`. Spark's workers also need toolgen: on one machine, `PYSPARK_PYTHON`
names the Python that has it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from toolgen.commands.audit import AuditTools, Summary, summarize


def audited(lines: Iterator[str], tools: AuditTools) -> Iterator[Summary]:
    """Map one partition to one summary."""
    yield summarize(lines, tools)


def main(specs: str, calls: str) -> Summary:
    tools = AuditTools.of_specs(json.loads(Path(specs).read_text("utf-8")))
    spark = SparkSession.builder.appName("toolgen audit").getOrCreate()
    try:
        lines = spark.sparkContext.textFile(calls, minPartitions=4)
        total = lines.mapPartitions(partial(audited, tools=tools)).treeReduce(Summary.merge)
    finally:
        spark.stop()
    for name, tool in total.called().items():
        print(f"{name}: {tool.calls} calls, {tool.invalid} invalid, {tool.repaired} repaired")
    return total


if __name__ == "__main__":
    main(*sys.argv[1:])
