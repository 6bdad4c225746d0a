"""Whole hints of wrong calls, with their edits and what `repair` makes of them, reviewed as snapshots.

Regenerate with `pytest tests/runtime/hints/test_hint_texts.py --snapshot-update`, then read the diff.
"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from typing import Any

from helpers.support import ROOT, JsonObject, for_each_at_once, hint_of, table, tool_of
from syrupy.assertion import SnapshotAssertion

from toolgen import compile_tools
from toolgen_runtime import Edit, RetryHint, Tool, apply_edits, build_hint, repair
from toolgen_runtime.hints.certainty import RULES

OWN: list[JsonObject] = table("hint_cases.json")
"""A schema, what was sent, and what was meant; null where nobody can know."""
GALLERY: JsonObject = table("gallery.json")
SPECS = {tool["name"]: tool for tool in GALLERY["tools"]}


def as_text(edit: Edit) -> str:
    row = edit.to_dict()
    to = f" to {row['to']}" if "to" in row else ""
    value = f" = {json.dumps(row['value'], ensure_ascii=False)}" if "value" in row else ""
    return f"{'certain' if edit.certain else 'asked'}: {edit.op} {row['path']}{to}{value}"


def described(tool: Tool[Any], sent: Any, hint: RetryHint) -> str:
    fixed = repair(tool, sent)
    made = [c["rule"] for c in fixed.changes]
    after = f"{made}: {json.dumps(fixed.payload, ensure_ascii=False)}" if made else "nothing"
    shown = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
    lines = [f"sent: {shown[:300]}", hint.render(), *map(as_text, hint.edits), f"repair: {after[:300]}"]
    if hint.clarifying_question:
        lines.insert(2, f"question: {hint.clarifying_question}")
    return "\n".join(lines)


@for_each_at_once(OWN)
def test_own_cases(case: Any, *, snapshot: SnapshotAssertion) -> None:
    tool = tool_of(case["schema"])
    sent, meant = case["sent"], case["meant"]
    before = copy.deepcopy(sent)
    hint = hint_of(tool, sent)
    assert described(tool, sent, hint) == snapshot(name=case["name"])
    assert repair(tool, sent).payload in ((sent,) if meant is None else (sent, meant))
    apply_edits(sent, hint.edits)
    assert sent == before


@for_each_at_once(GALLERY["cases"])
def test_the_gallery(case: Any, *, snapshot: SnapshotAssertion) -> None:
    spec = SPECS[case["tool"]]
    tool = compile_tools({"tools": [spec]})[case["tool"]]
    sent = case.get("text", case.get("payload"))
    issues = tool.validate_json(sent) if "text" in case else tool.validate(sent)
    assert described(tool, sent, build_hint(tool, issues, payload=sent)) == snapshot(name=case["kind"])


def test_the_page_has_the_table_of_rules() -> None:
    page = (ROOT / "docs" / "hints.md").read_text("utf-8").partition("| rule | change | condition |")[2]
    told = Counter(re.findall(r"^\| `(\w+)` \|", page.partition("\n\n")[0], re.MULTILINE))
    rules = {allows: change for rules in reversed(RULES.values()) for change, allows in rules}
    assert told == Counter(rules.values())
