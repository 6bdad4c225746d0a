"""Tools that are compiled while the program runs: lowering, and the first check, which compiles."""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable
from time import process_time
from typing import Any

import fastjsonschema
from rows import Row
from samples import rows_with_objects
from timing import Effort

from toolgen import compile_tools

_GROUPS = 20
_SIZE = 10
"""The number of tools that are compiled between two readings of the clock."""


def compiling(effort: Effort) -> list[Row]:
    """Measure both against fastjsonschema, which compiles a complete schema."""
    warm, *groups = _groups()
    _seconds(warm, "warm")
    lowering, first = [], []
    for group in groups:
        rounds = [_seconds(group, f"round {number}") for number in range(effort.rounds)]
        lowered, checked, compiled = map(min, zip(*rounds, strict=True))
        lowering.append(lowered / compiled)
        first.append(checked / compiled)
    against, note = "`fastjsonschema.compile`", f"{_GROUPS} groups of {_SIZE} tools, not compiled before"
    return [
        Row(
            "`compile_tools`, before the first check", against, statistics.geometric_mean(lowering), 0.1, note
        ),
        Row("first check of a compiled tool", against, statistics.geometric_mean(first), 0.5, note),
    ]


def _groups() -> list[list[dict[str, Any]]]:
    """Return groups of schemas that both sides compile, one group more than is measured."""
    rows = rows_with_objects()
    random.Random(7).shuffle(rows)
    schemas: list[dict[str, Any]] = []
    for row in rows:
        try:
            fastjsonschema.compile(row["schema"], use_default=False)
        except Exception:  # any exception: this schema is not compared
            continue
        schemas.append(row["schema"])
        if len(schemas) == (_GROUPS + 1) * _SIZE:
            break
    return [schemas[at : at + _SIZE] for at in range(0, len(schemas), _SIZE)]


def _seconds(group: list[dict[str, Any]], word: str) -> tuple[float, float, float]:
    """Return the times of lowering, of first checks and of the peer; a new word makes every schema a new one."""
    schemas = [{**schema, "$comment": word} for schema in group]
    specs = [{"name": f"t{at}", "description": "", "schema": schema} for at, schema in enumerate(schemas)]
    tools: dict[str, Any] = {}
    return (
        _timed(lambda: tools.update(compiled=compile_tools(specs))),
        _timed(lambda: [tools["compiled"][spec["name"]].validate({}) for spec in specs]),
        _timed(lambda: [fastjsonschema.compile(schema, use_default=False) for schema in schemas]),
    )


def _timed(work: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    work()
    return process_time() - start
