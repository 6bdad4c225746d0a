"""A rebuild makes what changed and nothing else, and gives to the byte what a build from nothing gives."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen as run_toolgen
from helpers.support import JsonObject, for_each, python, write_json

import toolgen.compiler.schema.lower
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.python.layout import MANIFEST
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.load import load, read_value
from toolgen.package import cache
from toolgen.package.build import BuildOptions, Built, build
from toolgen.package.output.manifest import digest
from toolgen.package.output.on_disk import PackageOnDisk, read_package
from toolgen.package.output.plan import plan
from toolgen.package.output.write import write

PING = {"name": "ping", "description": "Pings.", "schema": {"properties": {"host": {"type": "string"}}}}
PONG = {
    "name": "pong",
    "description": "Pongs.",
    "schema": {"properties": {"at": {"anyOf": [{"type": "null"}]}}},
}
LOOSE = {"name": "loose", "schema": {"pattern": "a[ab]{200}c"}}
"""A tool of which there is something to say at each build."""

EDITS: dict[str, tuple[list[Any], set[str]]] = {
    "nothing": ([PING, PONG, LOOSE], set()),
    "a description": ([{**PING, "description": "Pings a host."}, PONG, LOOSE], {"ping.py"}),
    "annotations": ([{**PING, "annotations": {"readOnlyHint": True}}, PONG, LOOSE], {"ping.py"}),
    "a schema": ([{**PING, "schema": {"type": "object"}}, PONG, LOOSE], {"ping.py", "_models/ping.py"}),
    "a tool less": ([PONG, LOOSE], {"__init__.py"}),
    "a tool more": ([PING, PONG, LOOSE, {**PONG, "name": "p"}], {"p.py", "_models/p.py", "__init__.py"}),
    "the order": ([LOOSE, PONG, PING], set()),
    "a name": ([{**PING, "name": "Pong"}, PONG, LOOSE], {"__init__.py"}),
}


def built(tools: list[Any], previous: PackageOnDisk | None = None, **options: Any) -> Built:
    return build(read_value(tools).groups, BuildOptions(**options), None, previous)


def package(folder: Path, tools: list[Any], **options: Any) -> dict[str, bytes]:
    """What stands in a folder after a build into it, as `toolgen build` does it."""
    on_disk = read_package(folder, cache.load(folder))
    made = built(tools, on_disk, **options)
    planned = plan(made.files, folder, on_disk)
    write(planned)
    cache.save(folder, made.entries(planned.digests))
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the tools whose schemas are read anew."""
    names: list[str] = []
    lower = toolgen.compiler.schema.lower.lower

    def counted(spec: Any, options: Any) -> Any:
        names.append(spec.name)
        return lower(spec, options)

    monkeypatch.setattr(toolgen.compiler.schema.lower, "lower", counted)
    return names


@pytest.mark.parametrize("edit", EDITS)
def test_a_rebuild_gives_what_a_fresh_build_gives(edit: str, tmp_path: Path, lowered: list[str]) -> None:
    before = package(tmp_path / "one", [PING, PONG, LOOSE])
    lowered.clear()
    tools, _ = EDITS[edit]
    after = package(tmp_path / "one", tools)
    assert len(lowered) == len([t for t in tools if t not in (PING, PONG, LOOSE)]), (
        "only what changed is read"
    )
    assert after == package(tmp_path / "two", tools)
    assert {p for p in after if after[p] != before.get(p)} - {"toolgen-manifest.json"} >= EDITS[edit][1]


def test_what_was_edited_is_made_again(tmp_path: Path, lowered: list[str]) -> None:
    whole = package(tmp_path / "one", [PING, PONG])
    for path in whole.keys() - {"toolgen-manifest.json"}:
        lowered.clear()
        (tmp_path / "one" / path).write_bytes(whole[path] + b"# edited\n")
        assert package(tmp_path / "one", [PING, PONG]) == whole
        assert set(lowered) == {name for name in ("ping", "pong") if f"{name}.py" in path}


WARNED: dict[str, tuple[JsonObject, str]] = {
    "slow-pattern": ({"properties": {"x/~": {"pattern": r"^(a+)\1$"}}}, "/properties/x~1~0/pattern"),
    "misspelled-keyword": ({"$id": "http://x/", "$ref": "y", "requird": ["\U0001f680"]}, "/requird"),
    "elsewhere": ({"$ref": "http://x/y"}, ""),
}
"""What a build warns of, and where in the schema; the last in a schema of `--ref-dir`, so at the tool."""


@pytest.mark.parametrize("warned", WARNED)
def test_what_there_is_to_say_is_said_at_each_build(
    warned: str, tmp_path: Path, lowered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("refs").mkdir()
    Path("refs/y").write_text('{"properties": {"a": {"maxLenght": 5}}}')
    options: JsonObject = {"ref_dirs": (RefDir(Path("refs"), "http://x/"),), "slow_patterns": "allow"}
    schema, pointer = WARNED[warned]
    tool = {"name": "warned", "schema": schema}
    package(Path("one"), [PING, tool], **options)
    for file, tools in {"a.json": [PING, tool], "b.json": [PONG, PING, tool]}.items():
        lowered.clear()
        write_json(file, {"tools": tools})
        groups = load([file]).groups
        previous = read_package(Path("one"), cache.load(Path("one")))
        again = build(groups, BuildOptions(**options), None, previous).diagnostics
        assert "warned" not in lowered
        assert again == build(groups, BuildOptions(**options)).diagnostics, "at the places of this file"
        assert Place(file, f"/tools/{tools.index(tool)}/schema{pointer}") in [d.place for d in again]
        assert warned in ("elsewhere", *(d.code for d in again))


def test_what_is_said_depends_on_the_options(tmp_path: Path) -> None:
    """A pattern that was allowed is refused, and a file of `--ref-dir` that changes is read."""

    def again(folder: Path, **options: Any) -> list[tuple[str, str]]:
        previous = read_package(folder, cache.load(folder))
        return [(d.level, d.code) for d in built([tool], previous, **options).diagnostics]

    tool: JsonObject = {"name": "warned", "schema": WARNED["slow-pattern"][0]}
    package(tmp_path / "one", [tool], slow_patterns="allow")
    assert again(tmp_path / "one", slow_patterns="allow") == [("warning", "slow-pattern")]
    assert again(tmp_path / "one") == [("error", "slow-pattern")]
    schema, options = tmp_path / "y", {"ref_dirs": (RefDir(tmp_path, "http://x/"),)}
    tool["schema"] = WARNED["elsewhere"][0]
    for text, said in (('{"maxLenght": 5}', [("warning", "misspelled-keyword")]), ('{"maxLength": 5}', [])):
        schema.write_text(text)
        package(tmp_path / "two", [tool], **options)
        assert again(tmp_path / "two", **options) == said


def forged(folder: Path, path: str, data: bytes) -> None:
    """Change a file, and say in the manifest that it is so."""
    file, listing = folder / path, folder / MANIFEST
    before = digest(file.read_bytes())
    file.write_bytes(data)
    listing.write_text(listing.read_text().replace(before, digest(data)))
    assert digest(data) in listing.read_text()


@for_each(["ping.py", "_models/ping.py", "__init__.py", "py.typed"])
def test_a_forged_manifest_keeps_no_file(path: str, *, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    whole = package(folder, [PING, PONG])
    forged(folder, path, whole[path] + b"import os\n")
    assert package(folder, [PING, PONG]) == whole


def test_an_index_of_toolsets_is_not_one_of_tools(tmp_path: Path) -> None:
    """A spec file and its only tool of one name: both packages have an index of the same names."""
    spec, out = tmp_path / "ping.json", tmp_path / "tools"
    write_json(spec, [PING])
    texts = []
    for flags in (["--namespace"], [], ["--check"]):
        assert run_toolgen("build", str(spec), "-o", str(out), *flags).exit_code == 0
        texts.append((out / "__init__.py").read_text())
    assert texts[0] != texts[1] == texts[2]


def test_another_library_makes_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = (
        "datamodel-code-generator",
        "jinja2",
        "jsonschema-specifications",
        "pydantic",
        "pydantic-core",
    )
    found = [name.lower().replace("_", "-") for name in cache._libraries()]
    assert {f"{library}-{version(library)}.dist-info" for library in libraries} <= {*found}
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    seen = set()
    for other in ("unrelated-1.0", "unrelated-2.0", *(f"{library}-0.0" for library in libraries)):
        (tmp_path / f"{other}.dist-info").mkdir()
        cache._generator.cache_clear()
        seen.add(BuildOptions().fingerprint())
    cache._generator.cache_clear()
    assert len(seen) == 1 + len(libraries), "what is unrelated changes nothing"


HEAVY = {
    "datamodel_code_generator",
    "pydantic",
    "jinja2",
    "jsonschema",
    "referencing",
    "yaml",
    "toolgen.compiler.schema.lower",
}


@for_each([("nothing", HEAVY), ("a description", {"datamodel_code_generator"})])
def test_a_rebuild_loads_no_more_than_it_needs(edit: str, unloaded: set[str], *, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "tools"
    code = (
        "import sys\nfrom toolgen.__main__ import main\n"
        f"sys.argv = ['toolgen', 'build', {str(spec)!r}, '-o', {str(out)!r}]\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules)"
    )
    write_json(spec, [PING, PONG, LOOSE])
    assert run_toolgen("build", str(spec), "-o", str(out)).exit_code == 0
    write_json(spec, EDITS[edit][0])
    ran = python("-c", code)
    assert not unloaded & set(ran.stdout.split())
    assert (out / "ping.py").exists()
