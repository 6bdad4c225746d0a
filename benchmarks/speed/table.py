"""Rows as a table for people, and as JSON for programs."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from typing import Any

from rows import Row, figure

PEERS = ("pydantic", "jsonschema-rs", "fastjsonschema", "orjson", "datamodel-code-generator", "click")


def circumstances() -> dict[str, Any]:
    """Return the date, machine and versions of the measurement."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cpu": _cpu(),
        "cores": cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {name: version(name) for name in ("toolgen", *PEERS)},
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def markdown(rows: Sequence[Row]) -> str:
    """Return a Markdown table: subject, comparison, result, target, whether it is met, and note."""
    lines = [
        "| measured | compared with | ratio | target | met | notes |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        met = "yes" if row.met else "no"
        lines.append(
            f"| {row.what} | {row.against} | {figure(row.seen)} | {row.target:g} | {met} | {row.note} |"
        )
    return "\n".join(lines)


def plain(row: Row) -> dict[str, Any]:
    """Return a row as JSON values."""
    return {
        "what": row.what,
        "against": row.against,
        "seen": round(row.seen, 4),
        "target": row.target,
        "met": row.met,
        "note": row.note,
    }


def heading(facts: dict[str, Any]) -> str:
    """Return the circumstances in two lines."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"{facts['date']}, {facts['python']}, {facts['cpu']}, {facts['cores']} cores\n{versions}"
