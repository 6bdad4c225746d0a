"""A new limit is its row and its name in a dialect: every part of a copy of the sources then knows it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.support import for_each, obj, python

import toolgen
import toolgen_runtime
import toolgen_templates

ROW_BEFORE = '    Keyword("pattern", shapes.PATTERN, "string"),\n'
ROWS = """\
    _limit("minBytes", "string", BYTES, AT_LEAST),
    _limit("maxBytes", "string", BYTES, AT_MOST),
"""
MEASURE_BEFORE = 'ITEMS: Final = Measure("item", "len({v})", len)\n'
MEASURE = """\
BYTES: Final = Measure(
    "byte", "len({v}.encode('utf-8', 'surrogatepass'))", lambda text: len(text.encode("utf-8", "surrogatepass"))
)
"""
VOCABULARY = '    _VOCAB_2020 + "validation": _VALIDATION_2019,\n'
NAMED = '    _VOCAB_2020 + "validation": {**_VALIDATION_2019, **_shapes("minBytes maxBytes")},\n'


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages with `minBytes` and `maxBytes`."""
    folder = tmp_path_factory.mktemp("sources")
    for package in (toolgen, toolgen_runtime, toolgen_templates):
        place = Path(next(iter(package.__path__)))
        shutil.copytree(place, folder / place.name, ignore=shutil.ignore_patterns("__pycache__"))
    rows, dialects = (
        folder / "toolgen_runtime/schema/keywords.py",
        folder / "toolgen/compiler/schema/dialects.py",
    )
    for file, before, after in (
        (rows, ROW_BEFORE, ROWS + ROW_BEFORE),
        (rows, MEASURE_BEFORE, MEASURE + MEASURE_BEFORE),
        (dialects, VOCABULARY, NAMED),
    ):
        text = file.read_text()
        assert text.count(before) == 1
        file.write_text(text.replace(before, after))
    return folder


def spec(**limits: int) -> str:
    """A spec of `save`, whose name has these limits."""
    field = {"type": "string", "description": "A name for the file.", **limits}
    schema = obj("name", closed=True, name=field)
    return json.dumps([{"name": "save", "description": "Save a file under a name.", "inputSchema": schema}])


LONG = json.dumps({"name": "\u00e9" * 5})
FITS = json.dumps({"name": "\u00e9" * 4})
EXPORTS = {
    "openai": '"maxBytes": 9',
    "gemini": '"maxBytes": 9',
    "bedrock": '"maxBytes": 9',
    "python-stubs": "at most 9 bytes",
    "typescript-stubs": "at most 9 bytes",
}
FILES = {
    "nine.json": spec(maxBytes=9),
    "three.json": spec(maxBytes=3),
    "none.json": spec(maxBytes=0),
    "characters.json": spec(maxLength=9),
    "both.json": spec(minBytes=2, maxBytes=9),
    "against.json": spec(minBytes=5, maxBytes=3),
    "calls.jsonl": f'{{"tool": "save", "arguments": {LONG}}}\n' * 3,
}
COMMANDS = {
    "long": f"explain save '{LONG}' -s nine.json",
    "fits": f"explain save '{FITS}' -s nine.json",
    "less": "diff nine.json three.json --all",
    "more": "diff three.json nine.json --all",
    "same": "diff nine.json nine.json --all",
    "from nothing": "diff none.json three.json --all",
    "audit": "audit calls.jsonl --specs nine.json",
    "build": "build both.json -o tools",
    "docs": "docs tools -o page.html",
    "bytes": "list -v nine.json",
    "characters": "list -v characters.json",
    "contradictory": "lint against.json",
    "right": "lint both.json",
    "strict": "export nine.json --to openai --strict auto",
    **{shape: f"export nine.json --to {shape}" for shape in EXPORTS},
}
RUN = """
import json, shlex, sys
from click.testing import CliRunner
from toolgen.cli import program
said = {}
for name, line in json.load(sys.stdin).items():
    done = CliRunner().invoke(program, shlex.split(line), prog_name="toolgen")
    said[name] = done.exit_code, done.stdout, done.stderr
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def folder(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run, on these files."""
    folder = tmp_path_factory.mktemp("commands")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def said(sources: Path, folder: Path) -> dict[str, tuple[int, str, str]]:
    """The exit code of each command, what it printed, and its messages; one process runs them all."""
    environment = {**os.environ, "PYTHONPATH": str(sources), "TOOLGEN_CACHE_DIR": str(folder / "cache")}
    done = python("-c", RUN, cwd=folder, env=environment, input=json.dumps(COMMANDS))
    found: dict[str, tuple[int, str, str]] = json.loads(done.stdout)
    for _, _, messages in found.values():
        assert "Traceback" not in messages
    return found


SAYS: list[tuple[str, int, str]] = [
    ("fits", 0, "valid"),
    ("long", 1, "maxBytes"),
    ("long", 1, "at most 9 bytes"),
    ("less", 1, "breaking"),
    ("less", 1, '"name": "'),  # the payload that breaks
    ("more", 0, "safe"),
    ("same", 0, "no change"),
    ("from nothing", 0, "safe"),
    ("audit", 0, "at most 9 bytes"),
    ("bytes", 0, "name*: string (at most 9 bytes)"),
    ("characters", 0, "name*: string (at most 9 characters)"),
    ("build", 0, ""),
    ("docs", 0, ""),
    (
        "contradictory",
        1,
        "error[contradictory-bounds] tool 'save': minBytes 5 and maxBytes 3 allow no string",
    ),
    *((shape, 0, text) for shape, text in EXPORTS.items()),
    (
        "strict",
        0,
        "warning[lossy-export] tool 'save': maxBytes: not in the strict schema: the description says it instead",
    ),
    ("strict", 0, '"description": "A name for the file. (at most 9 bytes)"'),
]


@for_each(SAYS)
def test_every_command_knows_it(
    command: str, code: int, text: str, *, said: dict[str, tuple[int, str, str]]
) -> None:
    exit_code, *streams = said[command]
    assert (exit_code, text in "".join(streams)) == (code, True)


def test_generated_files_know_it(said: dict[str, tuple[int, str, str]], folder: Path) -> None:
    text = (folder / "tools" / "save.py").read_text()
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) > 9:" in text
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) < 2:" in text
    assert "9 bytes" in (folder / "page.html").read_text()
    assert "contradictory" not in "".join(said["right"][1:])
    assert '"maxBytes"' not in said["strict"][1], "a strict subset has it in words"
