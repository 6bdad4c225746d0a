"""Large, deep and unusual payloads, as an attacker would send them: twice the size should take twice the time."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rows import Row, figure
from samples import WrongVerdict
from timing import Effort

from toolgen import compile_tools

MEGABYTES = 5
LEVELS = 450
ITEMS = 500_000

ROW = {
    "type": "object",
    "properties": {"id": {"type": "integer", "minimum": 0}, "name": {"type": "string", "maxLength": 40}},
    "required": ["id", "name"],
    "additionalProperties": False,
}
ROWS = {"type": "array", "items": ROW}
TREE = {
    "type": "object",
    "properties": {"a": {"$ref": "#"}, "n": {"type": "integer"}},
    "additionalProperties": False,
}
LISTS = {"type": "array", "items": {"$ref": "#"}}
EITHER = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}, TREE]}
WAYS = {
    "type": "object",
    "allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}],
}
UNIQUE = {"type": "array", "uniqueItems": True}


@dataclass(frozen=True, slots=True)
class Case:
    """A schema, a payload of a given size (`text`: as JSON text), and its number of issues."""

    name: str
    schema: Any
    payload: Callable[[int], Any]
    issues: Callable[[int], int] = lambda _: 0
    text: bool = False


def _one(_: int) -> int:
    return 1


def _rows(n: int, row: dict[str, Any]) -> list[Any]:
    return [dict(row, id=i) for i in range(n)]


def _nested(levels: int, key: str | None, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = [leaf] if key is None else {key: leaf}
    return leaf


# The number of rows, members and characters in a megabyte of JSON.
_ROWS_PER_MB, _MEMBERS_PER_MB, _CHARS_PER_MB = 30_000, 50_000, 1_000_000


def _of_rows(megabytes: int, **row: Any) -> list[Any]:
    return _rows(megabytes * _ROWS_PER_MB, {"id": 0, "name": "a plain name", **row})


def _map(megabytes: int) -> dict[str, str]:
    return {f"key {i}": "value" for i in range(megabytes * _MEMBERS_PER_MB)}


SIZES = (
    Case("rows", ROWS, _of_rows),
    Case("wrong rows", ROWS, lambda mb: _of_rows(mb, name=5), lambda mb: mb * _ROWS_PER_MB),
    Case("rows with an unknown key", ROWS, lambda mb: _of_rows(mb, x=1), lambda mb: mb * _ROWS_PER_MB),
    Case("a map", {"additionalProperties": {"type": "string"}}, _map),
    Case("unknown keys", {"additionalProperties": False}, _map, lambda mb: mb * _MEMBERS_PER_MB),
    Case("a string", {"pattern": "^(a+)+$"}, lambda mb: "a" * mb * _CHARS_PER_MB + "!", _one),
    Case("text of rows", ROWS, lambda mb: json.dumps(_of_rows(mb)), text=True),
    Case("text with colons", ROWS, lambda mb: json.dumps(_of_rows(mb, name="a: b")), text=True),
    Case("text, pretty", ROWS, lambda mb: json.dumps(_of_rows(mb, name=" : "), indent=1), text=True),
    Case("text cut off", ROWS, lambda mb: json.dumps(_of_rows(mb))[:-1], _one, text=True),
    Case(
        "text with keys twice",
        ROWS,
        lambda mb: json.dumps(_of_rows(mb)).replace('"id"', '"id":0,"id"'),
        lambda mb: mb * _ROWS_PER_MB,
        text=True,
    ),
    Case("text of one string", {}, lambda mb: '"' + '\\"' * mb * (_CHARS_PER_MB // 2) + '"', text=True),
    Case("text never closed", {}, lambda mb: "[" * mb * _CHARS_PER_MB, _one, text=True),
)
DEPTHS = (
    Case("objects", TREE, lambda n: _nested(n, "a", {})),
    Case("objects, wrong at the end", TREE, lambda n: _nested(n, "a", 5), _one),
    Case("arrays", LISTS, lambda n: _nested(n, None, [])),
    Case("arrays, wrong at the end", LISTS, lambda n: _nested(n, None, 5), _one),
    Case("a union", EITHER, lambda n: _nested(n, None, 5)),
    Case("a union, wrong at the end", EITHER, lambda n: _nested(n, None, "x"), _one),
    Case("two ways down", WAYS, lambda n: _nested(n, "a", {})),
    Case("distinct items", UNIQUE, lambda n: [_nested(n, "a", {}), _nested(n, "a", 5)]),
)
ITEMS_CASES = (
    Case("integers", UNIQUE, lambda n: list(range(n))),
    Case("strings", UNIQUE, lambda n: [f"item {i}" for i in range(n)]),
    Case("numbers", UNIQUE, lambda n: [i / 2 for i in range(n)]),
    Case("objects", UNIQUE, lambda n: [{"id": i} for i in range(n)]),
    Case("the last one twice", UNIQUE, lambda n: [*range(n - 1), float(n - 2)], _one),
)


def size(effort: Effort) -> list[Row]:
    return _row(f"a payload of {2 * MEGABYTES} MB", f"{MEGABYTES} MB", SIZES, MEGABYTES, effort)


def depth(effort: Effort) -> list[Row]:
    return _row(f"a payload {2 * LEVELS:,} levels deep", f"{LEVELS:,} levels", DEPTHS, LEVELS, effort)


def unique(effort: Effort) -> list[Row]:
    return _row(f"uniqueItems over {2 * ITEMS:,} items", f"{ITEMS:,} items", ITEMS_CASES, ITEMS, effort)


def _row(what: str, against: str, cases: tuple[Case, ...], once: int, effort: Effort) -> list[Row]:
    """Measure the worst of the cases: the growth of the time divided by that of the size."""
    seen = {case.name: _growth(case, once, effort) for case in cases}
    worst = max(seen, key=lambda name: seen[name])
    note = f"slowest of {len(cases)} schemas: {worst}; median {figure(sorted(seen.values())[len(seen) // 2])}"
    return [Row(f"{what}: time divided by size", against, seen[worst], 1.5, note)]


def _growth(case: Case, once: int, effort: Effort) -> float:
    tool = compile_tools([{"name": "t", "description": "", "schema": case.schema}])["t"]
    check = tool.validate_json if case.text else tool.validate
    payloads = {n: case.payload(n) for n in (once, 2 * once)}
    best = dict.fromkeys(payloads, float("inf"))
    for _ in range(max(3, effort.rounds)):
        for n, payload in payloads.items():
            best[n] = min(best[n], _seconds(check, payload, case, n))
    return best[2 * once] / best[once] / 2


def _seconds(check: Callable[[Any], list[Any]], payload: Any, case: Case, n: int) -> float:
    # Processor time, without garbage collections of other objects: both sides take long enough.
    gc.collect()
    gc.freeze()
    start = time.process_time()
    found = check(payload)
    seconds = time.process_time() - start
    issues = len(found)
    if issues != case.issues(n):
        raise WrongVerdict(f"{case.name} of size {n:,}: {issues} issues, not {case.issues(n)}")
    return seconds
