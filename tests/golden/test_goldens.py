"""`golden/`: whole generated packages and diagnostics, one folder a case, locked by syrupy.

Regenerate with `pytest tests/golden --snapshot-update`, then read the diff.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from payloads import example
from support import GOLDEN
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from toolgen.build import BuildOptions, Built, build
from toolgen.specs.load import load

CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
PAYLOADS: dict[str, list[Any]] = {
    "save_tree": [{"root": {"name": "a", "children": [{"name": "b", "children": []}]}, "tag": "ab"}],
    "arrays": [{}, {"pair": ["a", 1], "some": [1, "x"], "rest": [True, "x"]}],
    "objects": [{"x-a": "b"}, {"card": "1", "name": "n", "other": 5}],
    "combined": [{"mode": "fast"}, {"mode": "safe", "value": None, "size": 6, "word": "ok", "extra": "abc"}],
    "older": [{}, {"point": [1, 2.5], "a": 1, "b": 2, "c": 3, "d": 4}],
}
"""Valid payloads of the tools for which `example` knows none."""
PACKAGES = [case for case in CASES if case != "diagnostics"]


class GoldenFile(SingleFileSnapshotExtension):
    """A snapshot is the file that its name says, below `golden/`."""

    _write_mode = WriteMode.TEXT
    file_extension = ""

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        return str(GOLDEN / str(index))

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        return str(index)


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


def package_of(case: str) -> str:
    return f"{case}_tools"


def built(case: str, monkeypatch: pytest.MonkeyPatch) -> Built:
    monkeypatch.chdir(GOLDEN / case)  # so that diagnostics name relative paths
    loaded = load(["specs"], stdin=None, namespace=case == "namespaces")
    made = build(loaded.groups, BuildOptions(package_of(case)))
    return Built(made.files, (*loaded.diagnostics, *made.diagnostics), made.modules)


@pytest.mark.parametrize("case", PACKAGES)
def test_package(
    case: str, golden: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    made = built(case, monkeypatch)
    assert made.diagnostics == ()
    folder = GOLDEN / case / package_of(case)
    for path, text in made.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        assert text == golden(name=f"{case}/{package_of(case)}/{path}"), path
    # syrupy lets files pass that no snapshot belongs to.
    there = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.suffix in (".py", ".typed")}
    for path in there.keys() - made.files.keys():
        if request.config.option.update_snapshots:
            there.pop(path).unlink()
    assert there.keys() == made.files.keys()


def test_diagnostics(golden: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    made = built("diagnostics", monkeypatch)
    assert made.files == {}
    assert "".join(f"{d}\n" for d in made.diagnostics) == golden(name="diagnostics/diagnostics.txt")


@pytest.fixture
def importable() -> Iterator[None]:
    folders = [str(GOLDEN / case) for case in PACKAGES]
    sys.path[:0] = folders
    yield
    for folder in folders:
        sys.path.remove(folder)


def toolsets(case: str) -> Iterator[Any]:
    package = importlib.import_module(package_of(case))
    yield from package.toolsets.values() if case == "namespaces" else [package.toolset]


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("case", PACKAGES)
def test_goldens_run(case: str) -> None:
    """They are no dead text: each tool takes a payload of its schema, shows it, and refuses another kind."""
    for toolset in toolsets(case):
        for tool in toolset.values():
            examples = [example(tool.schema, tool.schema, full) for full in (False, True)]
            for payload in PAYLOADS.get(tool.name, examples):
                assert tool.validate(payload) == [], (tool.name, payload)
                parsed = tool.parse_json(json.dumps(payload))
                assert parsed.model_dump(mode="json", by_alias=True, exclude_unset=True) == payload
            assert [issue.constraint for issue in tool.validate(5)][:1] == ["type"]


@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]], ids=lambda c: c[0])
def test_goldens_pass_strict_type_checks(checker: list[str], tmp_path: Path) -> None:
    packages = [str(GOLDEN / case / package_of(case)) for case in PACKAGES]
    if checker[0] == "pyright":
        config = tmp_path / "pyrightconfig.json"
        config.write_text(json.dumps({"typeCheckingMode": "strict", "include": packages}))
        arguments = ["pyright", "-p", str(config), "--pythonpath", sys.executable]
    else:
        arguments = [*checker, "--cache-dir", str(tmp_path), *packages]
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_goldens_are_payload_only() -> None:
    """Results get no generated validator: a tool's module offers payload functions alone."""
    for path in GOLDEN.rglob("*_tools/*.py"):
        assert "output" not in path.read_text("utf-8").lower(), path
