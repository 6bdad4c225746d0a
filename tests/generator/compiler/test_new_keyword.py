"""A new limit is its row and its name in a dialect: every part of a copy of the sources then knows it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.support import python

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
    schema = {
        "type": "object",
        "properties": {"name": field},
        "required": ["name"],
        "additionalProperties": False,
    }
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
COMMANDS: dict[str, tuple[str, ...]] = {
    "long": ("explain", "save", LONG, "-s", "nine.json"),
    "fits": ("explain", "save", FITS, "-s", "nine.json"),
    "less": ("diff", "nine.json", "three.json", "--all"),
    "more": ("diff", "three.json", "nine.json", "--all"),
    "same": ("diff", "nine.json", "nine.json", "--all"),
    "from nothing": ("diff", "none.json", "three.json", "--all"),
    "audit": ("audit", "calls.jsonl", "--specs", "nine.json"),
    "build": ("build", "both.json", "-o", "tools"),
    "docs": ("docs", "tools", "-o", "page.html"),
    "bytes": ("list", "-v", "nine.json"),
    "characters": ("list", "-v", "characters.json"),
    "contradictory": ("lint", "against.json"),
    "right": ("lint", "both.json"),
    "strict": ("export", "nine.json", "--to", "openai", "--strict", "auto"),
    **{shape: ("export", "nine.json", "--to", shape) for shape in EXPORTS},
}
RUN = """
import json, sys
from click.testing import CliRunner
from toolgen.cli import program
said = {}
for name, words in json.load(sys.stdin).items():
    done = CliRunner().invoke(program, words, prog_name="toolgen")
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


Said = dict[str, tuple[int, str, str]]


def test_check(said: Said) -> None:
    assert "valid" in said["fits"][1].splitlines()[0]
    assert "maxBytes" in said["long"][1]
    assert "at most 9 bytes" in said["long"][1]


@pytest.mark.parametrize(
    ("case", "kind"), [("less", "breaking"), ("more", "safe"), ("same", None), ("from nothing", "safe")]
)
def test_diff(said: Said, case: str, kind: str | None) -> None:
    code, text, _ = said[case]
    assert code == (1 if kind == "breaking" else 0)
    assert (kind or "no change") in text.lower()
    if kind == "breaking":
        assert '"name": "' in text  # the payload that breaks


def test_audit(said: Said) -> None:
    assert "at most 9 bytes" in said["audit"][1]


def test_golden(said: Said, folder: Path) -> None:
    assert said["build"][0] == 0
    text = (folder / "tools" / "save.py").read_text()
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) > 9:" in text
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) < 2:" in text


def test_list(said: Said) -> None:
    assert "name*: string (at most 9 bytes)" in said["bytes"][1]
    assert said["bytes"][1].replace("nine", "characters") == said["characters"][1].replace(
        "9 characters", "9 bytes"
    )


def test_docs(said: Said, folder: Path) -> None:
    assert said["docs"][0] == 0
    assert "9 bytes" in (folder / "page.html").read_text()


def test_lint(said: Said) -> None:
    text = said["contradictory"][1] + said["contradictory"][2]
    assert "error[contradictory-bounds] tool 'save': minBytes 5 and maxBytes 3 allow no string" in text
    assert "contradictory" not in said["right"][1] + said["right"][2]


@pytest.mark.parametrize("shape", EXPORTS)
def test_export(said: Said, shape: str) -> None:
    assert EXPORTS[shape] in said[shape][1]


def test_a_strict_subset_without_it_is_a_named_loss(said: Said) -> None:
    _, text, messages = said["strict"]
    assert "warning[lossy-export] tool 'save': maxBytes: told in the description" in messages
    assert '"description": "A name for the file. (at most 9 bytes)"' in text
    assert '"maxBytes"' not in text
