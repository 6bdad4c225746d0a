"""The output folder: what is planned, shown and swapped in, and everything that must not be touched."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.support import for_each

from toolgen import SpecError
from toolgen.compiler.python.layout import MANIFEST
from toolgen.package.output import write
from toolgen.package.output.manifest import is_inside

PACKAGE = {
    "__init__.py": "",
    "create.py": "a = 1\n",
    "sub/__init__.py": "",
    "sub/find.py": "b = 2\n",
    "py.typed": "",
}


def tree(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def build(files: dict[str, str], out: Path) -> write.Plan:
    return write.write(write.plan(files, out))


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "work" / "agent_tools"
    yield folder
    assert [p.name for p in folder.parent.glob(".*")] == [], "nothing is left beside the package"


def test_a_package_is_written_whole_with_its_manifest(out: Path) -> None:
    done = build(PACKAGE, out)
    assert (done.created, done.updated, done.removed) == (tuple(sorted([*PACKAGE, MANIFEST])), (), ())
    written = tree(out)
    manifest = json.loads(written.pop(MANIFEST))
    assert written == PACKAGE
    assert list(manifest["files"]) == sorted(PACKAGE)
    assert all(len(digest) == 64 for digest in manifest["files"].values())
    assert manifest["generator"].startswith("toolgen ")


def test_the_same_again_touches_nothing(out: Path) -> None:
    build(PACKAGE, out)
    before = {path: path.stat().st_mtime_ns for path in [out, *out.rglob("*")]}
    done = build(PACKAGE, out)
    assert done.is_current
    assert write.diff(done) == ""
    assert {path: path.stat().st_mtime_ns for path in [out, *out.rglob("*")]} == before


def test_edits_are_drift_and_are_overwritten(out: Path) -> None:
    build(PACKAGE, out)
    (out / "create.py").write_bytes(b"a = 7\xff")
    (out / "sub" / "find.py").unlink()
    planned = write.plan(PACKAGE, out)
    assert (planned.created, planned.updated, planned.removed) == (("sub/find.py",), ("create.py",), ())
    shown = write.diff(planned)
    assert "-a = 7\\xff\n\\ No newline at end of file\n+a = 1\n" in shown
    assert f"--- /dev/null\n+++ {(out / 'sub/find.py').as_posix()}\n" in shown
    less = write.diff(write.plan({"__init__.py": ""}, out))
    assert f"--- {(out / 'create.py').as_posix()}\n+++ /dev/null\n" in less
    write.write(planned)
    assert tree(out)["create.py"] == "a = 1\n"


def test_in_a_checkout_with_other_line_ends_what_changed_is_written(out: Path) -> None:
    build(PACKAGE, out)
    for path in filter(Path.is_file, out.rglob("*")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    planned = write.plan({**PACKAGE, "create.py": "a = 2\n"}, out)
    assert set(planned.updated) == {"create.py", MANIFEST}
    shown = write.diff(planned)
    assert "-a = 1\n+a = 2\n" in shown
    assert "\r" not in shown
    write.write(planned)
    assert (out / "create.py").read_bytes() == b"a = 2\n"
    assert (out / "sub" / "find.py").read_bytes() == b"b = 2\r\n"
    assert write.plan({**PACKAGE, "create.py": "a = 2\n"}, out).is_current


@for_each([b"a = 1\r", b"a = 1\n\r\n", b"a = 1\r\r\n", b"a = 1"])
def test_other_edits_of_line_ends_are_drift(edit: bytes, *, out: Path) -> None:
    build(PACKAGE, out)
    (out / "create.py").write_bytes(edit)
    assert write.plan(PACKAGE, out).updated == ("create.py",)


def refused(files: dict[str, str], out: Path) -> str:
    before = tree(out.parent) if out.parent.exists() else {}
    with pytest.raises(SpecError) as caught:
        write.plan(files, out)
    assert (tree(out.parent) if out.parent.exists() else {}) == before
    (found,) = caught.value.diagnostics
    assert found.message
    assert found.hint
    return found.code


@for_each(
    [
        "",
        "{}",
        "<<<<<<< HEAD",
        '{"files": []}',
        '{"files": {"x": 1}}',
        *(json.dumps({"files": {path: "0" * 64}}) for path in ("\ud800.py", "\u00e9.py", "../x", "a\\b")),
        "[" * 9999,
    ]
)
def test_a_manifest_that_is_none_is_refused(text: str, *, out: Path) -> None:
    build(PACKAGE, out)
    (out / MANIFEST).write_text(text)
    assert refused(PACKAGE, out) == "bad-manifest"


def test_links_are_refused(tmp_path: Path) -> None:
    """A package's own files as links are in `test_hostile_files.py`."""
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "agent_tools"
    elsewhere.mkdir()
    out.symlink_to(elsewhere)
    assert refused(PACKAGE, out) == "symlink-output"
    out.unlink()
    build({"__init__.py": ""}, out)
    (out / "mine").symlink_to(elsewhere)
    (out / "sub").symlink_to(elsewhere)
    assert refused(PACKAGE, out) == "symlink-file"
    (out / "sub").unlink()
    build(PACKAGE, out)
    assert (out / "mine").is_symlink(), "a link that is in nobody's way stays"


@for_each(["../x", "/x", "a/../x", "", ".", "a//b", "C:x", "a\\b", "a\0b", "./a"])
def test_paths_that_leave_the_package_are_refused(path: str, *, out: Path) -> None:
    assert not is_inside(path)
    assert refused({path: ""}, out) == "unsafe-path"


def test_a_full_disk_leaves_the_package_as_it_was(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(PACKAGE, out)
    before = tree(out)
    room = iter(range(1))
    opened = Path.open

    def full(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if mode == "xb" and next(room, None) is None:
            raise OSError(28, "No space left on device", str(path))
        return opened(path, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match="No space left"):
        build({path: f"{text}# new\n" for path, text in PACKAGE.items()}, out)
    assert tree(out) == before


BUILDER = """
import sys
from pathlib import Path
from toolgen.package.output import write
text, out = sys.argv[1], Path(sys.argv[2])
print("ready", flush=True)
while True:
    write.write(write.plan({f"m{i}.py": text for i in range(50)}, out))
    text = text[::-1]
"""


def start(text: str, out: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", BUILDER, text, str(out)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    return child


def test_a_plan_that_is_out_of_date_is_made_again(out: Path) -> None:
    early = write.plan({"a.py": ""}, out)
    build({"a.py": "", "b.py": ""}, out)
    done = write.write(early)
    assert done.removed == ("b.py",)
    assert tree(out).keys() == {"a.py", MANIFEST}


def test_builders_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    out = tmp_path / "agent_tools"
    children = [start(text, out) for text in ("12", "34")]
    time.sleep(0.3)
    alive = [child.poll() for child in children]
    for child in children:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert alive == [None, None], "no builder failed"
    build({"m0.py": "3"}, out)
    assert tree(out).keys() == {"m0.py", MANIFEST}
