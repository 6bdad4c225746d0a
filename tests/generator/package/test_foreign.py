"""What is in the output folder and is not toolgen's: no build moves, copies, changes or deletes it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.package_folders import (
    NEW,
    OLD,
    VERSIONS,
    build,
    foreign,
    imported,
    killed_at,
    put_foreign,
    state,
)
from helpers.support import for_each

from toolgen import SpecError
from toolgen.compiler.python.layout import STAGE
from toolgen.package.output import write
from toolgen.package.output.plan import plan

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "agent_tools"
    build(OLD, folder)
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can get at."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def assert_is(out: Path, version: str) -> None:
    """The package is this one, whole, nothing is left over, and a build would change nothing."""
    assert state(out) == version
    assert plan(VERSIONS[version], out).is_current
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert not os.path.lexists(out / STAGE)
    assert not [path for path in out.rglob("*") if path.name.endswith(STAGE)]


# -- what is there before --------------------------------------------------------------------------------------


def test_nothing_foreign_is_touched(out: Path) -> None:
    put_foreign(out)
    before, folder = foreign(out), out.stat()
    for version in ("new", "old", "new"):
        build(VERSIONS[version], out)
        assert foreign(out) == before
        assert_is(out, version)
    assert (out.stat().st_ino, out.stat().st_mode) == (folder.st_ino, folder.st_mode)


def test_old_bytecode_goes_where_foreign_files_stay(out: Path) -> None:
    put_foreign(out)
    for name in ("kept.cpython-311.pyc", "edited.cpython-311.opt-1.pyc", "gone.cpython-311.pyc"):
        (out / "__pycache__" / name).write_text("compiled")
    build(NEW, out)
    left = {path.name for path in (out / "__pycache__").iterdir()}
    assert left == {"kept.cpython-311.pyc", "notes.txt", "other.cpython-311.pyc"}


# -- what gets in the way ----------------------------------------------------------------------------------------


IN_THE_WAY = [
    (path, kind)
    for path in ("fresh.py", "entered", "entered/__init__.py")
    for kind in ("file", "folder", "link")
    if (path, kind) != ("entered", "folder")  # a folder is what the package needs there
]


@for_each(IN_THE_WAY)
def test_a_foreign_file_in_the_way_is_refused(path: str, kind: str, *, out: Path) -> None:
    put_foreign(out)
    target = out / path
    target.parent.mkdir(exist_ok=True)
    {"file": target.touch, "folder": target.mkdir, "link": lambda: target.symlink_to("nowhere")}[kind]()
    before = foreign(out)
    with pytest.raises(SpecError) as caught:
        build(NEW, out)
    assert caught.value.diagnostics[0].code in ("foreign-file", "symlink-file")
    assert foreign(out) == before
    os.rename(target, out / "elsewhere")
    build(NEW, out)
    assert state(out) == "new"


@for_each(["file", "link", "folder"])
def test_a_name_that_is_taken_is_said(kind: str, *, out: Path) -> None:
    stage = out / STAGE
    if kind == "folder":
        stage.mkdir()
    {"file": stage.touch, "folder": (stage / "mine").mkdir, "link": lambda: stage.symlink_to(out.parent)}[
        kind
    ]()
    with pytest.raises(SpecError) as caught:
        build(NEW, out)
    (found,) = caught.value.diagnostics
    assert (found.code, found.place.file) == ("name-taken", stage.as_posix())
    assert "delete it" in found.hint
    assert state(out) == "old"
    os.rename(stage, out.parent / "elsewhere")
    build(NEW, out)
    assert state(out) == "new"


# -- what is cut short ---------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(("kind", "then"), [("first", "new"), ("beside foreign files", "old")])
def test_a_build_killed_at_any_step_leaves_nothing_mixed(
    kind: str, then: str, stride: int, tmp_path: Path
) -> None:
    """The package is whole, or importing it says that it is not; the next build makes it so, whichever it is.

    By default it is killed at each fifth step.
    """
    step, died, seen = 0, True, set()
    while died:
        out = tmp_path / str(step) / "agent_tools"
        out.parent.mkdir()
        if kind != "first":
            build(OLD, out)
        if kind == "beside foreign files":
            put_foreign(out)
        before = foreign(out)
        died = killed_at(step, lambda out=out: build(NEW, out))  # type: ignore[misc]
        found = state(out)
        seen.add(found)
        assert {path: foreign(out).get(path) for path in before} == before
        if found is None:
            assert (out / "__init__.py").read_text() == write.GUARD
            assert not any(plan(files, out).is_current for files in VERSIONS.values())
        build(VERSIONS[then], out)
        assert foreign(out) == before
        assert_is(out, then)
        step += stride
    assert seen == {"absent" if kind == "first" else "old", "new", None}
    assert step > 30


@posix
def test_subpackages_cannot_be_imported_while_they_are_mixed(tmp_path: Path) -> None:
    """A process that has the package's index already gets no mixed toolset, either."""
    versions = {
        version: {
            "__init__.py": "",
            **{f"sub/{name}.py": f"V = '{version}'\n" for name in ("__init__", "a", "b")},
        }
        for version in ("old", "new")
    }
    step, died = 0, True
    while died:
        out = tmp_path / str(step) / "agent_tools"
        build(versions["old"], out)
        died = killed_at(step, lambda out=out: build(versions["new"], out))  # type: ignore[misc]
        texts = {(out / "sub" / f"{name}.py").read_text() for name in ("__init__", "a", "b")}
        assert len(texts) == 1 or write.GUARD in texts
        step += 1


def test_a_package_that_is_not_whole_cannot_be_imported(out: Path) -> None:
    assert imported(out) == "same old old"
    (out / "__init__.py").write_text(write.GUARD)
    said = imported(out)
    assert said.startswith("ImportError: agent_tools is being written, or was not written to its end")
    assert "toolgen build" in said


@posix
@for_each(["agent_tools", "agent_tools/_models", "."])
def test_permissions_are_respected(folder: str, *, open_folder: Path) -> None:
    """A folder that may not be written: the package is as it was; where only the parent may not, it is built."""
    out = open_folder / "agent_tools"
    build(OLD, out)
    target = open_folder / folder
    user = 65534 if os.geteuid() == 0 else None
    if user is not None:
        for path in (open_folder, *open_folder.rglob("*")):
            os.chown(path, user, user)
    target.chmod(0o500)

    def work() -> None:
        if user is not None:
            os.setresuid(user, user, user)
        if folder == ".":
            build(NEW, out)
            return
        with pytest.raises(PermissionError):
            build(NEW, out)

    assert not killed_at(10_000, work)
    target.chmod(0o700)
    assert_is(out, "new" if folder == "." else "old")
