"""The table of diagnostic codes: closed, documented, and every code in use."""

from __future__ import annotations

import pytest
from helpers.support import PACKAGES, ROOT

from toolgen import SpecError
from toolgen.cli.blocks import SITE, address_of
from toolgen.compiler.diagnostics import CODES, Diagnostic, Place
from toolgen.compiler.lint_codes import LINT_CODES

SOURCE = PACKAGES["toolgen"]
TABLES = ("diagnostic_codes.py", "lint_codes.py")
EVERY = {**CODES, **LINT_CODES}


def row(code: str) -> str:
    entry = CODES[code]
    anchor = f'<a id="{code}"></a>[`{code}`](#{code})'
    return f"| {anchor} | {', '.join(entry.levels)} | {entry.meaning} | {entry.fix} |"


def test_the_docs_have_the_whole_table_with_an_anchor_for_each_code() -> None:
    text = (ROOT / "docs" / "diagnostics.md").read_text("utf-8")
    shown = [line for line in text.splitlines() if line.startswith("| <a ")]
    assert shown == [row(code) for code in CODES]


def test_the_address_of_each_code_is_a_place_on_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SITE, raising=False)
    pages = {page: (ROOT / page).read_text("utf-8") for page in ("docs/diagnostics.md", "docs/lint.md")}
    for code in EVERY:
        page, _, anchor = address_of(code).partition("#")
        # A heading of one lower-case word is its own anchor, on GitHub and on the site.
        places = pages[page].count(f'<a id="{anchor}"></a>') + pages[page].splitlines().count(f"## {anchor}")
        assert places == 1, code


def test_every_code_is_given_somewhere() -> None:
    """No other code can be given: `Diagnostic` refuses it."""
    texts = [path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path.name not in TABLES]
    source = "".join(texts)
    assert [code for code in EVERY if f'"{code}"' not in source] == []


def test_another_code_or_level_is_refused() -> None:
    with pytest.raises(ValueError, match="not a diagnostic code: 'no-such-code'"):
        Diagnostic(Place(""), "no-such-code", "m")
    with pytest.raises(ValueError, match="not a diagnostic of level 'error'"):
        Diagnostic(Place(""), "hosted-tool", "m")
    assert Diagnostic(Place("a.json", "/x"), "bad-name", "m", "h", "t").level == "error"


def test_the_text_of_an_error_has_the_first_ten_problems() -> None:
    problems = [Diagnostic(Place("a.json", f"/{n}"), "bad-name", f"problem {n}") for n in range(44)]
    lines = str(SpecError(problems)).splitlines()
    assert (len(lines), lines[-1]) == (11, "and 34 more, in .diagnostics")
    assert len(SpecError(problems).diagnostics) == 44
