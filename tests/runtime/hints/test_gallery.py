"""docs/gallery.md is what its script makes of the cases, of the stored texts, and of what toolgen says now."""

from __future__ import annotations

import json
import re
from typing import Any

import hint_gallery
import pytest
from helpers.support import ROOT, for_each_at_once, read_json

from toolgen import compile_tools

DATA = hint_gallery.cases()
STORED = read_json(hint_gallery.TEXTS)
TOOLS = compile_tools({"tools": DATA["tools"]})
OF_A_MACHINE = re.compile(
    r"site-packages|0x[0-9a-f]{6,}|\bFile \"|(?<![\w.:/])/(home|root|usr|var|Users)/|\b[A-Z]:\\"
)


def test_the_page_says_what_is_said_now() -> None:
    page = hint_gallery.page(DATA, STORED)
    assert hint_gallery.PAGE.read_text("utf-8") == page, "run: python scripts/hint_gallery.py"


@for_each_at_once(DATA["cases"])
def test_a_call_is_wrong_and_what_was_meant_is_not(case: Any) -> None:
    tool, text = TOOLS[str(case["tool"])], case.get("text")
    assert tool.validate_json(str(text)) if text is not None else tool.validate(case["payload"])
    assert case["want"] is None or not tool.validate(case["want"])


def test_kinds_are_told_apart_by_their_names() -> None:
    kinds = [case["kind"] for case in DATA["cases"]]
    assert len(kinds) == len(set(kinds)) >= 25


@pytest.mark.parametrize("name", hint_gallery.FRAMEWORKS)
def test_stored_texts_are_of_these_calls_and_of_no_machine(name: str) -> None:
    found = STORED["frameworks"][name]
    assert found["version"]
    assert len(found["outcomes"]) == len(DATA["cases"]), "run: python scripts/hint_gallery.py --run"
    assert {key for outcome in found["outcomes"] for key in outcome} <= {"told", "ran"}
    told = json.dumps(found, ensure_ascii=False)
    assert str(ROOT) not in told
    assert OF_A_MACHINE.search(told) is None
