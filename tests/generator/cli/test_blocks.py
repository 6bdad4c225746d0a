"""A diagnostic on a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import toolgen
from helpers.support import for_each

from toolgen.cli.blocks import SITE, block
from toolgen.compiler.diagnostics import Diagnostic, Place

TEXT = '{"tools": [\n\t{"name": "a", "schema": {"type": "strng"}}\n]}\n'
PLACE = Place("tools.json", "/tools/0/schema/type")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(SITE, raising=False)
    Path("tools.json").write_text(TEXT)


def shown(place: Place, width: int = 80, message: str = "'type' is wrong", hint: str = "write it") -> str:
    return block(Diagnostic(place, "invalid-keyword", message, hint, "a"), "red", coloured=False, width=width)


def test_a_diagnostic_shows_its_line_a_caret_and_the_fix() -> None:
    assert shown(PLACE).splitlines() == [
        "error[invalid-keyword] tool 'a': 'type' is wrong",
        "  --> tools.json:2:35  #/tools/0/schema/type",
        '    2 |  {"name": "a", "schema": {"type": "strng"}}',
        "      |                                   ^",
        "  help: write it",
    ]


@for_each([40, 60, 80, 120])
def test_long_texts_are_wrapped_and_long_lines_cut(width: int) -> None:
    Path("tools.json").write_text(
        '{"a": "' + "x" * 500 + '", "type": "\x7f\u202e", "z": "' + "y" * 500 + '"}'
    )
    said = shown(Place("tools.json", "/type"), width, "word " * 60, "help " * 60)
    assert all(len(line) <= width for line in said.splitlines())
    assert "\x7f" not in said
    assert "\u202e" not in said
    source, caret = re.findall(r"^ +[0-9]* \| (.*)$", said, re.M)
    assert source[caret.index("^")] == '"'
    assert source[: caret.index("^")].endswith('"type": ')


def test_a_code_is_a_link_where_the_site_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def coloured(code: str) -> str:
        level = "error" if code == "invalid-keyword" else "warning"
        return block(Diagnostic(Place(""), code, "m", level=level), "red", coloured=True, width=80)

    assert "\x1b]8" not in coloured("invalid-keyword")
    monkeypatch.setenv(SITE, "https://docs.example/")
    assert "\x1b]8;;https://docs.example/diagnostics.html#invalid-keyword\x1b\\" in coloured(
        "invalid-keyword"
    )
    assert "https://docs.example/lint.html#no-description" in coloured("no-description")
    monkeypatch.setenv(SITE, "https://docs.example/\x1b\\evil")
    assert "evil" not in coloured("invalid-keyword")


def test_notes_come_after_the_result_and_counts_last(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tools.json").write_text(
        '[{"type": "web_search_20250305", "name": "w"}, {"name": "a", "schema": {"dependencies": {"x": ["y"]}}}]'
    )
    done = toolgen("build", "tools.json")
    assert re.findall(r"(warning|note)\[|(Found .*)", done.stderr) == [("warning", ""), ("note", "")]
    assert done.output.index("agent_tools: 1 tool built") < done.output.index("note[hosted-tool]")
    failed = toolgen("explain", "b", "{}", "-s", "tools.json")
    assert "note[" not in failed.stderr
