"""The pages of `docs` and `audit` at the widths of a desk and a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import browser, faults, needs_browser
from helpers.commands import toolgen

from toolgen import compile_tools
from toolgen.commands.docs.page import entries, render

WIDTHS = (1280, 390)
SAMPLE = '{\n  "filter": {\n      "owner": "me"\n  }\n}'
LONG = "\n".join(f"Line {number} of a long description." for number in range(40))
WRONG = {"selector": "a" * 300, "ofset": 1}
TOOLS = [
    {
        "name": "delete_everything_that_was_ever_written_to_the_warehouse_of_records",
        "description": f"Deletes rows.\n{SAMPLE}\n{'x' * 400}",
        "annotations": {"destructiveHint": True},
        "inputSchema": {
            "type": "object",
            "properties": {
                "selector": {"type": "string", "enum": ["y" * 200], "description": "z" * 300},
                "offset": {"type": "integer", "description": LONG},
            },
            "required": ["offset"],
            "additionalProperties": False,
        },
    },
    {"name": "read", "description": LONG, "inputSchema": {"type": "object"}},
]
INDENT = """() => {
  const text = document.querySelector('.text').firstChild, at = text.data.indexOf('"owner"');
  const left = (from, to) => {
    const range = document.createRange();
    range.setStart(text, from); range.setEnd(text, to);
    return range.getBoundingClientRect().left;
  };
  return left(at, at + 1) - left(0, 1);
}"""


def catalogue(tmp_path: Path) -> Path:
    file = tmp_path / "tools.html"
    file.write_text(render("warehouse", entries({"": compile_tools(TOOLS)})), "utf-8")
    return file


def audit(tmp_path: Path) -> Path:
    calls = [{"tool": TOOLS[0]["name"], "arguments": WRONG}] * 1234 + [{"tool": "read", "arguments": {}}]
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, calls)))
    (tmp_path / "specs.json").write_text(json.dumps({"tools": TOOLS}))
    file = tmp_path / "audit.html"
    given = ["audit", str(tmp_path / "calls.jsonl"), "--specs", str(tmp_path / "specs.json")]
    assert toolgen(*given, "--html", str(file), "-q", "--jobs", "1").exit_code == 0
    return file


@needs_browser
@pytest.mark.parametrize("made", [catalogue, audit])
def test_nothing_is_cut_off_in_a_browser(made: Any, tmp_path: Path) -> None:
    file = made(tmp_path)
    with browser() as chromium:
        for width in WIDTHS:
            page = chromium.new_page(viewport={"width": width, "height": 900})
            page.goto(file.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            assert faults(page) == {"beyond": [], "wider": [], "broken": []}, width


@needs_browser
def test_json_keeps_its_shape_and_long_texts_fold_in_a_browser(tmp_path: Path) -> None:
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 390, "height": 900})
        page.goto(catalogue(tmp_path).as_uri())
        assert page.evaluate(INDENT) > 10
        assert page.locator("#tool-read").inner_text().count("Line ") < 20
        page.locator("#tool-read summary", has_text="More").click()
        assert page.locator("#tool-read").inner_text().count("Line ") == 40
        assert page.locator("article .danger").inner_text() == "can delete or overwrite data"
