"""The pages of `docs` and `audit` at the widths of a desk and a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers.browser import browser, faults, needs_browser
from helpers.commands import toolgen
from helpers.support import for_each, obj, write_json

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
        "inputSchema": obj(
            "offset",
            closed=True,
            selector={"type": "string", "enum": ["y" * 200], "description": "z" * 300},
            offset={"type": "integer", "description": LONG},
        ),
    },
    {"name": "read", "description": LONG, "inputSchema": {"type": "object"}},
]


def catalogue(tmp_path: Path) -> Path:
    file = tmp_path / "tools.html"
    file.write_text(render("warehouse", entries({"": compile_tools(TOOLS)})), "utf-8")
    return file


def audit(tmp_path: Path) -> Path:
    calls = [{"tool": TOOLS[0]["name"], "arguments": WRONG}] * 1234 + [{"tool": "read", "arguments": {}}]
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, calls)))
    write_json(tmp_path / "specs.json", {"tools": TOOLS})
    file = tmp_path / "audit.html"
    given = ["audit", str(tmp_path / "calls.jsonl"), "--specs", str(tmp_path / "specs.json")]
    assert toolgen(*given, "--html", str(file), "-q", "--jobs", "1").exit_code == 0
    return file


@needs_browser
@for_each([catalogue, audit])
def test_nothing_is_cut_off_in_a_browser(made: Any, *, tmp_path: Path) -> None:
    file = made(tmp_path)
    with browser() as chromium:
        for width in WIDTHS:
            page = chromium.new_page(viewport={"width": width, "height": 900})
            page.goto(file.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            assert faults(page) == {"beyond": [], "wider": [], "broken": []}, width
