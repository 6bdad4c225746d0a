"""The table of diagnostic codes: closed, documented, and every code in use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from helpers.support import PACKAGES, ROOT

from toolgen.cli.blocks import SITE, address_of
from toolgen.compiler.diagnostics import CODES, Diagnostic, Place, SpecError
from toolgen.compiler.lint_codes import LINT_CODES

SOURCE = PACKAGES["toolgen"]
TABLES = ("diagnostic_codes.py", "lint_codes.py")
EVERY = {**CODES, **LINT_CODES}
CODE = re.compile(r"[a-z]+(-[a-z]+)+\Z")


def trees() -> dict[str, ast.Module]:
    """The source of the generator by file, without the tables themselves."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in TABLES
    }


def strings(tree: ast.AST) -> Iterator[str]:
    return (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def codes(tree: ast.AST) -> Iterator[str]:
    return (text for text in strings(tree) if CODE.match(text))


def functions(tree: ast.AST) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(name that a call bears, function) of every function; a constructor is called by its class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
            yield from ((node.name, function) for function in made)


def position(function: ast.FunctionDef) -> int | None:
    """The position of a parameter `code: str` in a call of the function; None without one."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    names = [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]
    if "code" not in names:
        return None
    annotation = next(argument.annotation for argument in arguments if argument.arg == "code")
    is_text = isinstance(annotation, ast.Name) and annotation.id == "str"
    return names.index("code") if is_text else None


def given_codes() -> Iterator[tuple[str, str]]:
    """(file, code) of every literal that is given as the code of a diagnostic, directly or through a function."""
    positions = {"Diagnostic": {1}, "Problem": {1}}
    files = trees()
    for file, tree in files.items():
        for called, node in functions(tree):
            if (at := position(node)) is not None:
                positions.setdefault(called, set()).add(at)
                yield from ((file, text) for default in node.args.defaults for text in codes(default))
    for file, tree in files.items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            given = [call.args[at] for at in positions.get(name, ()) if at < len(call.args)]
            given += [keyword.value for keyword in call.keywords if keyword.arg == "code"]
            yield from ((file, text) for argument in given for text in codes(argument))


def row(code: str) -> str:
    entry = CODES[code]
    levels = ", ".join(entry.levels)
    return f'| <a id="{code}"></a>`{code}` | {levels} | {entry.meaning} | {entry.fix} |'


def test_the_docs_have_the_whole_table() -> None:
    text = (ROOT / "docs" / "diagnostics.md").read_text("utf-8")
    shown = [line for line in text.splitlines() if line.startswith("| <a")]
    assert shown == [row(code) for code in CODES]


@pytest.mark.parametrize("code", EVERY)
def test_the_address_of_a_code_is_a_place_on_its_page(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SITE, raising=False)
    page, _, anchor = address_of(code).partition("#")
    text = (ROOT / page).read_text("utf-8")
    # A heading of one lower-case word is its own anchor, on GitHub and on the site.
    assert text.count(f'<a id="{anchor}"></a>') + text.splitlines().count(f"## {anchor}") == 1


def test_every_code_is_emitted_and_every_emitted_code_is_in_the_table() -> None:
    given = {*given_codes()}
    assert set(EVERY) - {code for _, code in given} == set()
    assert {(file, code) for file, code in given if code not in EVERY} == set()


def test_a_code_reads_as_a_word_and_its_texts_as_sentences() -> None:
    for code, entry in EVERY.items():
        assert CODE.match(code), code
        assert entry.levels, code
        for text in (entry.meaning, entry.fix):
            assert re.match(r"([A-Z`]|toolgen ).*[.]\Z", text), (code, text)
            assert "|" not in text, (code, text)


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
