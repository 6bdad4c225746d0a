"""A new limit is its row and its name in a dialect: every part of a copy of the sources then knows it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import python

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
    rows, dialects = folder / "toolgen_runtime/schema/keywords.py", folder / "toolgen/schema/dialects.py"
    for file, before, after in (
        (rows, ROW_BEFORE, ROWS + ROW_BEFORE),
        (rows, MEASURE_BEFORE, MEASURE + MEASURE_BEFORE),
        (dialects, VOCABULARY, NAMED),
    ):
        text = file.read_text()
        assert text.count(before) == 1
        file.write_text(text.replace(before, after))
    return folder


def spec(folder: Path, name: str, **limits: int) -> str:
    field = {"type": "string", "description": "A name for the file.", **limits}
    schema = {
        "type": "object",
        "properties": {"name": field},
        "required": ["name"],
        "additionalProperties": False,
    }
    tool = {"name": "save", "description": "Save a file under a name.", "inputSchema": schema}
    (folder / name).write_text(json.dumps({"tools": [tool]}))
    return name


def run(sources: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(sources), "TOOLGEN_CACHE_DIR": str(folder / "cache")}
    return python(*args, check=False, cwd=folder, env=environment)


@pytest.fixture
def said(sources: Path, tmp_path: Path) -> Any:
    """Give what a command says of `save`, whose name has at most so many bytes."""

    def said(*args: str, **limits: int) -> str:
        spec(tmp_path, "tools.json", **(limits or {"maxBytes": 9}))
        done = run(sources, tmp_path, "-m", "toolgen", *args)
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout + done.stderr

    return said


LONG = json.dumps({"name": "\u00e9" * 5})
FITS = json.dumps({"name": "\u00e9" * 4})


def test_check(said: Any) -> None:
    assert "valid" in said("explain", "save", FITS, "-s", "tools.json").splitlines()[0]
    text = said("explain", "save", LONG, "-s", "tools.json")
    assert "maxBytes" in text
    assert "at most 9 bytes" in text


@pytest.mark.parametrize(
    ("before", "after", "kind"), [(9, 3, "breaking"), (3, 9, "safe"), (9, 9, None), (0, 3, "safe")]
)
def test_diff(sources: Path, tmp_path: Path, before: int, after: int, kind: str | None) -> None:
    old, new = spec(tmp_path, "old.json", maxBytes=before), spec(tmp_path, "new.json", maxBytes=after)
    done = run(sources, tmp_path, "-m", "toolgen", "diff", old, new, "--all")
    assert done.returncode == (1 if kind == "breaking" else 0)
    assert (kind or "no change") in done.stdout.lower()
    if kind == "breaking":
        assert '"name": "' in done.stdout  # the payload that breaks


def test_audit(said: Any, tmp_path: Path) -> None:
    calls = [{"tool": "save", "arguments": json.loads(LONG)}] * 3
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, calls)))
    assert "at most 9 bytes" in said("audit", "calls.jsonl", "--specs", "tools.json")


def test_golden(sources: Path, tmp_path: Path) -> None:
    old = spec(tmp_path, "tools.json", minBytes=2, maxBytes=9)
    done = run(sources, tmp_path, "-m", "toolgen", "build", old, "-o", "tools")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "tools" / "save.py").read_text()
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) > 9:" in text
    assert "if len(v_name.encode('utf-8', 'surrogatepass')) < 2:" in text


def test_list(said: Any) -> None:
    of_bytes, of_characters = said("list", "tools.json"), said("list", "tools.json", maxLength=9)
    assert "name*: string (at most 9 bytes)" in of_bytes
    assert of_bytes == of_characters.replace("character", "byte")


def test_docs(said: Any, tmp_path: Path) -> None:
    said("build", "tools.json", "-o", "tools")
    said("docs", "tools", "-o", "page.html")
    assert "at most 9 bytes" in (tmp_path / "page.html").read_text()


def test_lint(said: Any) -> None:
    text = said("lint", "tools.json", minBytes=5, maxBytes=3)
    assert "error[contradictory-bounds] tool 'save': minBytes 5 and maxBytes 3 allow no string" in text
    assert "contradictory" not in said("lint", "tools.json", minBytes=3, maxBytes=5)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("openai", '"maxBytes": 9'),
        ("gemini", '"maxBytes": 9'),
        ("bedrock", '"maxBytes": 9'),
        ("python-stubs", "at most 9 bytes"),
        ("typescript-stubs", "at most 9 bytes"),
    ],
)
def test_export(said: Any, shape: str, text: str) -> None:
    assert text in said("export", "tools.json", "--to", shape)


def test_a_strict_subset_without_it_is_a_named_loss(said: Any) -> None:
    text = said("export", "tools.json", "--to", "openai", "--strict", "auto")
    assert "warning[lossy-export] tool 'save': maxBytes: told in the description" in text
    assert '"description": "A name for the file. (at most 9 bytes)"' in text
    assert '"maxBytes"' not in text
