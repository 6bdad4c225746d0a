"""Every path that a command takes: what lies there ends in one error that says what to do, and in exit code 2."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from helpers.support import for_each

from toolgen.cli import app, program
from toolgen.compiler import input_files

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes and devices with names here")
SPEC = [{"name": "ping", "description": "Pings.", "schema": {"type": "object"}}]
PACKAGE = "sound_package"
READ = {
    ("audit", "calls"): "audit PATH -s spec.json",
    ("audit", "specs"): "audit calls.jsonl -s PATH",
    ("build", "specs"): "build PATH",
    ("diff", "old"): "diff PATH spec.json",
    ("diff", "new"): "diff spec.json PATH",
    ("explain", "payload"): "explain ping PATH -s spec.json",
    ("explain", "specs"): "explain ping {} -s PATH",
    ("export", "specs"): "export --to mcp PATH",
    ("lint", "baseline"): "lint spec.json --baseline PATH",
    ("lint", "specs"): "lint PATH",
    ("list", "specs"): "list PATH",
    ("pull", "config"): "pull --config PATH",
    ("proxy", "rules"): "proxy --rules PATH -- no-such-server",
}
"""What is read: arguments of a command by the name of a parameter."""
WRITTEN = {
    ("audit", "html"): "audit calls.jsonl -s spec.json --html PATH",
    ("build", "output"): "build spec.json -o PATH",
    ("docs", "file"): "docs sound_package -o PATH",
    ("export", "file"): "export spec.json --to mcp -o PATH",
    ("lint", "sarif"): "lint spec.json --sarif PATH",
}
FOLDERS = {
    ("audit", "package"): "audit calls.jsonl --package PATH",
    ("docs", "package"): "docs PATH",
    ("audit", "ref_dir"): "audit calls.jsonl -s spec.json --ref-dir PATH",
    ("build", "ref_dir"): "build spec.json --ref-dir PATH",
    ("explain", "ref_dir"): "explain ping {} -s spec.json --ref-dir PATH",
    ("lint", "ref_dir"): "lint spec.json --ref-dir PATH",
}
"""What is looked for as a folder."""
LISTED_ELSEWHERE = {
    ("pull", "output"),
    ("pull", "words"),
    ("init", "words"),
    ("proxy", "words"),
    ("list", "ref_dir"),
    ("export", "ref_dir"),
}
"""Of servers, which `test_pull.py` and `test_proxy.py` start; and what the command takes and does not look at."""
_NO_PATHS = (
    "absent against ask check check_results clean_env client defaults diff env everything examples exclude fail_on fix "
    "formats header ignore inherit_env jobs keep_going "
    "max_chars max_failures nulls one_page otel repairs "
    "listen namespace output_format port propose provider prune quiet repair scheduler secrets serve server "
    "shape slow_patterns strict timeout title tokens tool tools unknown_keys verbose watch write_baseline"
)
NO_PATHS = frozenset(_NO_PATHS.split())


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path.name)


def make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(input_files.MAX_BYTES + 1)


def write(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def link(target: str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(target)


def make_unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


TEXT = json.dumps(SPEC)
UNREADABLE: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "pipe": lambda path: os.mkfifo(path),
    "socket": make_socket,
    "device": link("/dev/zero"),
    "forbidden": make_unreadable,
    "link to itself": link("odd.json"),
    "link to nothing": link("nowhere"),
    "too large": make_large,
}
READABLE = {
    (("audit", "calls"), "pipe"): 0,
    (("explain", "payload"), "pipe"): 1,
}
"""Exit codes of what is no error: no calls, a payload of nothing."""
NO_RULES = (("proxy", "rules"), "pipe")
"""A pipe that nobody writes to has no rules, and the proxy then starts the server."""
BROKEN: dict[str, Callable[[Path], object]] = {
    "not UTF-8": write(b'[{"name": "\xe9"}]'),
    "NUL": write(b'[{"name": "a\x00"}]'),
    "UTF-16 without a mark": write(TEXT.encode("utf-16-le")),
    "half of UTF-16": write(TEXT.encode("utf-16")[:-1]),
    "half of UTF-32": write(TEXT.encode("utf-32")[:-1]),
}
MARKED = {name: write(TEXT.encode(name)) for name in ("utf-8-sig", "utf-16", "utf-32")}
NAMES = {"long": "a" * 5_000, "long part": f"{'b' * 300}/c.json", "below a file": "spec.json/odd.json"}


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(input_files, "MAX_BYTES", 2**24)  # less to read of what is too large
    Path("spec.json").write_text(TEXT)
    Path("calls.jsonl").write_text('{"tool": "ping", "arguments": {}}\n')
    modules, path = {*sys.modules}, [*sys.path]
    yield tmp_path
    for name in {*sys.modules} - modules:
        if name.partition(".")[0] == PACKAGE:
            del sys.modules[name]
    sys.path[:] = path
    for path in tmp_path.rglob("*"):
        if not path.is_symlink() and path.is_file():
            path.chmod(stat.S_IRWXU)


def toolgen(line: str, path: str = "", stdin: bytes | None = None) -> Result:
    """Run a command with a path, for a minute at most: a pipe would be waited for without end."""

    def late(*_: Any) -> None:
        raise TimeoutError(line)

    words = [path if word == "PATH" else word for word in line.split()]
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        return CliRunner().invoke(program, words, input=stdin, prog_name="toolgen")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def assert_one_error(result: Result, name: str) -> None:
    """One line: the place, the code, what is wrong, and in brackets what to do."""
    said = result.stderr
    assert result.exit_code == 2, said
    assert "internal-error" not in said
    assert "Traceback" not in said
    errors = [line for line in said.splitlines() if "error[" in line]
    assert len(errors) == 1, said
    assert re.search(r"error\[[a-z-]+\] .*\S \(\S.*\)", errors[0]), said
    assert name in errors[0]


def test_every_parameter_is_listed() -> None:
    """A new option that takes a path is to be tried as the others are."""
    context = click.Context(program)
    taken = {
        (name, str(parameter.name))
        for name in app.COMMANDS
        if (command := program.get_command(context, name)) is not None
        for parameter in command.params
    }
    listed = READ.keys() | WRITTEN.keys() | FOLDERS.keys() | LISTED_ELSEWHERE
    assert {pair for pair in taken if pair[1] not in NO_PATHS} == listed


def cases(table: dict[Any, Any]) -> list[Any]:
    return [pytest.param(words, id=" ".join(key)) for key, words in table.items()]


@for_each([pair for pair in product(READ, UNREADABLE) if pair not in READABLE and pair != NO_RULES])
def test_what_cannot_be_read_is_one_error(key: tuple[str, str], kind: str) -> None:
    UNREADABLE[kind](Path("odd.json"))
    if kind == "forbidden" and os.access("odd.json", os.R_OK):
        pytest.skip("this user may read everything")
    before = sorted(os.listdir())
    result = toolgen(READ[key], "odd.json")
    assert_one_error(result, "odd.json")
    if kind in ("device", "too large"):
        said = ("[too-large]", "a device, not a file", "longer than 16 MiB", "larger than ")
        assert any(text in result.stderr for text in said)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(("key", "kind"), READABLE)
def test_nothing_is_waited_for(key: tuple[str, str], kind: str) -> None:
    UNREADABLE[kind](Path("odd.json"))
    result = toolgen(READ[key], "odd.json")
    assert (result.exit_code, result.stderr) == (READABLE[key, kind], "")


@pytest.mark.parametrize("line", cases({key: words for key, words in READ.items() if key[1] != "calls"}))
@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_no_text_is_one_error(line: str, kind: str) -> None:
    BROKEN[kind](Path("odd.json"))
    assert_one_error(toolgen(line, "odd.json"), "odd.json")


@pytest.mark.parametrize("line", cases({key: words for key, words in READ.items() if key[1] != "calls"}))
@pytest.mark.parametrize("encoding", MARKED)
def test_texts_with_a_byte_order_mark_are_read(line: str, encoding: str) -> None:
    MARKED[encoding](Path("odd.json"))
    said = toolgen(line, "odd.json").stderr
    assert "bad-encoding" not in said
    assert "internal-error" not in said


@pytest.mark.parametrize("line", cases({**READ, **WRITTEN}))
@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_file_can_have_are_one_error(line: str, name: str) -> None:
    toolgen("build spec.json -o sound_package")
    assert_one_error(toolgen(line, NAMES[name]), NAMES[name][:20])


@pytest.mark.parametrize("line", cases(FOLDERS))
@pytest.mark.parametrize("kind", ["nothing", "pipe", "socket", "device", "not UTF-8", "link to itself"])
def test_what_is_no_folder_is_one_error(line: str, kind: str) -> None:
    (UNREADABLE | BROKEN)[kind](Path("odd.json"))
    assert_one_error(toolgen(line, "odd.json"), "odd.json")


UNWRITABLE: dict[str, Callable[[Path], object]] = {
    "pipe": lambda path: os.mkfifo(path),
    "socket": make_socket,
    "link to itself": link("odd.json"),
}
"""What nobody reads, or what cannot be; `test_hostile_files.py` has the devices, pipes and links that are written."""


@pytest.mark.parametrize("line", cases(WRITTEN))
@pytest.mark.parametrize("kind", UNWRITABLE)
def test_what_cannot_be_written_is_one_error(line: str, kind: str) -> None:
    toolgen("build spec.json -o sound_package")
    UNWRITABLE[kind](Path("odd.json"))
    was = os.lstat("odd.json")
    assert_one_error(toolgen(line, "odd.json"), "odd.json")
    assert os.lstat("odd.json").st_ino == was.st_ino
    assert Path("spec.json").read_text() == TEXT
    assert not [name for name in os.listdir() if "toolgen-new" in name]


@for_each(["build -", "explain ping -s spec.json -"])
def test_standard_input_is_bounded_and_decoded(line: str, *, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_one_error(toolgen(line, stdin=b'"\xe9"'), "-")
    monkeypatch.setattr(input_files, "MAX_BYTES", 1_000)
    assert_one_error(toolgen(line, stdin=b" " * 1_001), "-")
