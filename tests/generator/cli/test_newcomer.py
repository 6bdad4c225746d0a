"""The command line with what newcomers give it: one clear error with the place, the problem and the fix; exit 2."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from helpers.commands import failure, toolgen

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
CASES = {
    "lint ''": "error[no-such-file] no such file or folder (correct the path)",
    "lint '*.jsn'": "*.jsn: error[no-such-file] no such file or folder (pass folders or files; the shell",
    "lint good.json/x": "error[no-such-file] no such file or folder (correct the path)",
    "lint empty": "empty: error[empty-folder] no spec files",
    "lint . --exclude '*'": "error[empty-folder] all spec files in this folder are excluded (correct --ex",
    "list surrogate.json": "error[lone-surrogate]",
    "list comma.json": "comma.json:1:25: error[bad-json] a comma before '}'",
    "lint good.json --sarif good.json/x.sarif": "good.json/x.sarif: error[write-failed]",
    "explain -s comma.json a '{}'": "comma.json:1:25: error",
    "diff good.json badtype.json": "error[invalid-keyword]",
    "docs good.json": "good.json:1:1: error[bad-package] is a file, not a package",
    "docs empty": "empty: error[bad-package] is a folder without an __init__.py",
    "pull http://a b": "error[bad-server] there are words after the URL (give the URL",
    "proxy ftp://a": "error[bad-server] the URL is not one of a server (give http://HOST",
    "pull http://": "error[bad-server] the URL is not one of a server",
    "proxy -- ''": "error[bad-server] the command is empty (name a program after --)",
    "pull --header 'X:é' http://a": "'X' is not a header name, or its value",
    "pull -- no-such-program": "there is no program 'no-such-program' (use a program that is",
}
"""A command as it is typed, and what its one error says."""


@pytest.fixture(autouse=True)
def _in_a_folder_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(data)


@pytest.mark.parametrize("line", CASES)
def test_an_error_is_one_line_with_the_fix(line: str) -> None:
    args = shlex.split(line)
    error, *last = failure(*args).splitlines()
    assert CASES[line] in error
    assert error.endswith(")") or "#/" in error
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
    assert "specs:1:1: error[write-failed]" in failure("init")
