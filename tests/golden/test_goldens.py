"""`golden/`: whole generated packages and diagnostics, one folder a feature, locked by syrupy.

Regenerate with `pytest tests/golden --snapshot-update`, then read the diff.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.payloads import example
from helpers.support import GOLDEN, for_each, read_json
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from toolgen.compiler.schema.dialects import DEFAULT, DIALECTS, Dialect, normal_uri
from toolgen.compiler.specs.load import load
from toolgen.package.build import BuildOptions, Built, build
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.shapes import Shape

PACKAGES = sorted(path.parent.name for path in GOLDEN.glob("*/specs"))
"""One folder a feature: its specs, the package that is built from them, and payloads where there is a choice."""
DIAGNOSTICS = sorted(path.parent.name for path in GOLDEN.glob("diagnostics/*/specs"))
"""One folder a family of mistakes: specs, and what a build says of them."""


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


def payloads_of(case: str) -> dict[str, Any]:
    """Tool -> `valid` payloads, and `invalid` ones with their issues, each a path and a constraint."""
    file = GOLDEN / case / "payloads.json"
    return read_json(file) if file.is_file() else {}


def built(case: str, monkeypatch: pytest.MonkeyPatch) -> Built:
    monkeypatch.chdir(GOLDEN / case)  # so that diagnostics name relative paths
    loaded = load(["specs"], stdin=None, namespace=case == "namespaces")
    made = build(loaded.groups, BuildOptions(client=case == "client"))
    files = {} if loaded.failed else made.files  # as the command line has it
    return Built(files, [*loaded.diagnostics, *made.diagnostics], made.modules)


@for_each(PACKAGES)
def test_package(case: str, *, golden: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    made = built(case, monkeypatch)
    assert made.diagnostics == []
    folder = GOLDEN / case / package_of(case)
    for path, text in made.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        assert text == golden(name=f"{case}/{package_of(case)}/{path}"), path
    # syrupy lets files pass that no snapshot belongs to.
    found = [p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    there = {p.relative_to(folder).as_posix(): p for p in found}
    for path in there.keys() - made.files.keys():
        if request.config.option.update_snapshots:
            there.pop(path).unlink()
    assert there.keys() == made.files.keys()


@for_each(DIAGNOSTICS)
def test_diagnostics(family: str, *, golden: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    made = built(f"diagnostics/{family}", monkeypatch)
    assert bool(made.files) is all(d.level != "error" for d in made.diagnostics)
    told = "".join(f"{d}\n" for d in made.diagnostics)
    assert told == golden(name=f"diagnostics/{family}/diagnostics.txt")


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
@for_each(PACKAGES)
def test_goldens_run(case: str) -> None:
    """They are no dead text: each tool takes payloads of its schema, shows them, and refuses others."""
    written = payloads_of(case)
    tools = [tool for toolset in toolsets(case) for tool in toolset.values()]
    assert written.keys() <= {tool.name for tool in tools}
    for tool in tools:
        rows = written.get(tool.name, {"invalid": []})
        examples = rows.get("valid") or [example(tool.schema, tool.schema, full) for full in (False, True)]
        for payload in examples:
            assert tool.validate(payload) == [], (tool.name, payload)
            parsed = tool.parse_json(json.dumps(payload))
            assert parsed.model_dump(mode="json", by_alias=True, exclude_unset=True) == payload
        for row in rows["invalid"]:
            issues = [
                f"{''.join(f'/{step}' for step in i.path)} {i.constraint}"
                for i in tool.validate(row["payload"])
            ]
            assert sorted(issues) == sorted(row["issues"]), (tool.name, row["payload"])
        assert [issue.constraint for issue in tool.validate(5)][:1] == ["type"]


def used_keywords(schema: Any, dialect: Dialect) -> Iterator[tuple[str, Shape]]:
    """Every keyword in a schema and below it, with what it takes in the schema's dialect."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        shape = dialect.keywords.get(keyword)
        if shape is not None:
            yield keyword, shape
        if shape in (shapes.SCHEMA_MAP, shapes.DEPENDENCIES) or keyword in ("$defs", "definitions"):
            below = list(value.values())
        elif shape in (shapes.SCHEMA, shapes.SCHEMAS, shapes.ITEMS):
            below = value if isinstance(value, list) else [value]
        else:
            below = []
        for part in below:
            yield from used_keywords(part, dialect)


def test_every_keyword_of_every_dialect_is_in_some_golden(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a diff shows what a change makes of it, in each form that a dialect gives it."""
    seen: set[tuple[str, Shape]] = set()
    for case in PACKAGES:
        monkeypatch.chdir(GOLDEN / case)
        for spec in load(["specs"], namespace=True).tools:
            declared = (
                spec.schema.get("$schema", DEFAULT.uri) if isinstance(spec.schema, dict) else DEFAULT.uri
            )
            seen.update(used_keywords(spec.schema, DIALECTS[normal_uri(declared)]))
    expected = {row for dialect in DIALECTS.values() for row in dialect.keywords.items()}
    assert expected - seen == set()
