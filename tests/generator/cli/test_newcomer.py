"""The command line with what newcomers give it: one clear error with the place, the problem and the fix; exit 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import toolgen

from toolgen.cli.reports import WRITERS

TOOL = {"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}
FILES: dict[str, bytes] = {
    "good.json": json.dumps({"tools": [TOOL]}).encode(),
    "comma.json": b'{"tools": [{"name": "a",}]}',
    "surrogate.json": b'{"tools": [{"name": "\\ud800", "inputSchema": {"type": "object"}}]}',
    "badtype.json": json.dumps(
        {"tools": [{**TOOL, "inputSchema": {"type": "strin"}, "name": "n"}, TOOL]}
    ).encode(),
    "empty/readme.txt": b"",
}
CASES: dict[str, tuple[list[str], str]] = {
    "an empty path": (["lint", ""], "error[no-such-file] no such file or folder (correct the path)"),
    "a pattern": (["lint", "*.jsn"], "*.jsn: error[no-such-file] no such file or folder (name a folder, or files"),
    "a file as a folder": (["lint", "good.json/x"], "error[no-such-file] no such file or folder (correct the path)"),
    "a folder without specs": (["lint", "empty"], "empty: error[empty-folder] no spec files"),
    "all left out": (
        ["lint", ".", "--exclude", "*"], "error[empty-folder] all spec files in this folder are excluded (correct --ex",
    ),
    "half a character": (["list", "surrogate.json"], "error[lone-surrogate]"),
    "a file that cannot be read": (["list", "comma.json"], "comma.json:1:25: error[bad-json] a comma before '}'"),
    "sarif where none can be": (
        ["lint", "good.json", "--sarif", "good.json/x.sarif"], "good.json/x.sarif: error[write-failed]",
    ),
    "a tool of a file that cannot be read": (["explain", "-s", "comma.json", "a", "{}"], "comma.json:1:25: error"),
    "a new tool that does not build": (["diff", "good.json", "badtype.json"], "error[invalid-keyword]"),
    "docs of a file": (["docs", "good.json"], "good.json:1:1: error[bad-package] is a file, not a package"),
    "docs of a folder": (["docs", "empty"], "empty: error[bad-package] is a folder without an __init__.py"),
    "a URL and more": (["pull", "http://a", "b"], "error[bad-server] there are words after the URL (give the URL"),
    "a URL of another kind": (["proxy", "ftp://a"], "error[bad-server] the URL is not one of a server (give http://HOST"),
    "a URL without a host": (["pull", "http://"], "error[bad-server] the URL is not one of a server"),
    "no command": (["proxy", "--", ""], "error[bad-server] the command is empty (name a program after --)"),
    "a header that is none": (["pull", "--header", "X:\u00e9", "http://a"], "'X' is not a header name, or its value"),
    "no program": (["pull", "--", "no-such-program"], "there is no program 'no-such-program' (use a program that is"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _in_a_folder_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(data)


@pytest.mark.parametrize("case", CASES)
def test_an_error_is_one_line_with_the_fix(case: str) -> None:
    args, said = CASES[case]
    result = toolgen(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    line, *last = result.stderr.splitlines()
    assert said in line
    assert line.endswith(")") or "#/" in line
    assert last == (["Found 1 error. Nothing was written."] if args[0] in WRITERS else [])


def test_standard_input_is_one_side_of_a_comparison() -> None:
    result = toolgen("diff", "-", "good.json", stdin=FILES["good.json"])
    assert (result.exit_code, result.stdout) == (0, "no changes\n")


def test_init_keeps_line_ends_and_says_what_is_in_its_way() -> None:
    file = Path("pyproject.toml")
    file.write_bytes(b'[project]\r\nname = "x"\r\n')
    assert toolgen("init").exit_code == 0
    text = file.read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") > 4
    file.unlink()
    Path("specs").rename("others")
    Path("specs").write_text("")
    result = toolgen("init")
    assert (result.exit_code, "specs:1:1: error[write-failed]" in result.stderr) == (2, True), result.stderr
