"""The usage budget: each strategy changes the hints of at least two real wrong calls, or has a dated reason.

The calls are recorded calls of models, calls of public reports, and fair slips (from the shared data), and the
project's own cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.support import SHARED, table

from toolgen import SpecError, compile_tools
from toolgen_runtime import Tool, build_hint
from toolgen_runtime.hints import strategies, values, wrong_level

DATA = SHARED / "data"
FEWEST = 2
KEPT = {
    "split_parameters": "2026-11-28: two public reports, of which one is in the shared data",
}
"""Strategies that fewer calls need, each with the day and the reason."""
Case = tuple[Tool[Any], Any, Any]


def spec_rows() -> Iterator[tuple[dict[str, Any], Any]]:
    """The tool and the arguments of each wrong call."""
    for row in table("wrong-calls.json", DATA):
        yield row["tool"], row["args"]
    for row in table("mistakes.json", DATA):
        if "payload" in row:
            yield row["spec"], row["payload"]
    for row in table("reported-calls.json", DATA):
        if "called" not in row:
            yield {"name": row["tool"], "schema": row["schema"]}, row["arguments"]
    for row in table("traps.json", DATA):
        if row["kind"] == "counter" and "spec" in row:
            yield row["spec"], row.get("text", row.get("payload"))
    for row in table("hint_cases.json"):
        yield {"name": "t", "schema": row["schema"]}, row["sent"]


def wrong_calls() -> list[Case]:
    found = []
    for spec, sent in spec_rows():
        try:
            (tool,) = compile_tools([spec]).values()
        except SpecError:
            continue
        issues = tool.validate_json(sent) if isinstance(sent, str) else tool.validate(sent)
        if issues:
            found.append((tool, sent, issues))
    return found


def text_of(case: Case) -> str:
    tool, sent, issues = case
    for lookup in (strategies._strategies_for, values._readers_for):
        lookup.cache_clear()  # the tables change here, and nowhere else
    hint = build_hint(tool, issues, payload=sent)
    return f"{hint.render(3000)} {[edit.to_dict() for edit in hint.edits]}"


TABLES = [
    (strategies, "STRATEGIES"),
    (values, "READERS"),
    (wrong_level, "OBJECT_MOVES"),
    (wrong_level, "VALUE_MOVES"),
]


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded calls here (set TOOLGEN_SHARED)")
def test_each_strategy_changes_hints_of_real_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = wrong_calls()
    before = [text_of(case) for case in cases]
    unused = {}
    for module, name_of_table in TABLES:
        rows = getattr(module, name_of_table)
        for row in rows:
            name = getattr(row, "name", getattr(row, "__name__", ""))
            monkeypatch.setattr(module, name_of_table, tuple(other for other in rows if other is not row))
            changed = sum(text_of(case) != text for case, text in zip(cases, before, strict=True))
            if changed < FEWEST and name not in KEPT:
                unused[name] = changed
        monkeypatch.setattr(module, name_of_table, rows)
    assert not unused, "delete these, or give a dated reason"
