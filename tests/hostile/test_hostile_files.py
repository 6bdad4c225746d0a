"""What stands where toolgen reads and writes: links, pipes, sockets and devices, in every place."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from helpers.support import for_each

from toolgen import SpecError
from toolgen.compiler.python.layout import MANIFEST
from toolgen.compiler.schema.ref_dirs import Documents, RefDir
from toolgen.package.output import write
from toolgen.package.output.text_file import write_text_file

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")

FILES = {"__init__.py": "", "create.py": "a = 1\n", "sub/find.py": "b = 2\n"}


def _node(path: Path, kind: int, device: int = 0) -> None:
    try:
        os.mknod(path, kind | 0o600, device)
    except PermissionError:
        pytest.skip("only root makes these here")


def _device(path: Path) -> None:
    _node(path, stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero


STANDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": lambda path: _node(path, stat.S_IFSOCK),
    "device": _device,
    "folder": Path.mkdir,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "dangling link": lambda path: path.symlink_to("nowhere"),
}


@for_each(product(STANDS, [MANIFEST, "sub/find.py"]))
def test_what_is_no_file_in_a_package_is_refused_at_once(kind: str, place: str, *, tmp_path: Path) -> None:
    out = tmp_path / "agent_tools"
    write.write(write.plan(FILES, out))
    (out / place).unlink()
    STANDS[kind](out / place)
    with pytest.raises(SpecError) as refused:
        write.write(write.plan(FILES, out))
    codes = {d.code for d in refused.value.diagnostics}
    assert codes <= {"foreign-file", "symlink-file", "bad-manifest", "foreign-folder"}
    assert os.path.lexists(out / place)
    assert [path.name for path in tmp_path.iterdir()] == ["agent_tools"]


# -- one text file --------------------------------------------------------------------------------------------


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    """Run as root, `-o /dev/null` would otherwise replace the device for everybody."""
    device = tmp_path / "device"
    _device(device)
    before = os.stat(device)
    write_text_file(device, "text\n")
    assert (os.stat(device).st_ino, os.stat(device).st_mode) == (before.st_ino, before.st_mode)
    assert os.listdir(tmp_path) == ["device"]


@for_each(["old", None], ids=["a file", "nothing"])
def test_a_link_stays_and_what_it_names_is_written(named: str | None, *, tmp_path: Path) -> None:
    target, link = tmp_path / "elsewhere" / "target.json", tmp_path / "link.json"
    target.parent.mkdir()
    if named is not None:
        target.write_text(named)
        target.chmod(0o640)
    link.symlink_to(target)
    write_text_file(link, "new\n")
    assert (os.readlink(link), target.read_text()) == (str(target), "new\n")
    assert named is None or stat.S_IMODE(target.stat().st_mode) == 0o640


@for_each(["pipe", "dangling link", "link to a file", "file"])
def test_what_stands_under_the_name_of_the_stage_is_not_written_through(kind: str, *, tmp_path: Path) -> None:
    """In a folder that others write, that name may be theirs."""
    other, stage = tmp_path / "other", tmp_path / ".x.json.toolgen-new"
    other.write_text("mine")
    made = {**STANDS, "link to a file": lambda p: p.symlink_to(other), "file": lambda p: p.write_text("half")}
    made[kind](stage)
    write_text_file(tmp_path / "x.json", "new\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "other": "mine",
        "x.json": "new\n",
    }


# -- folders of references ------------------------------------------------------------------------------------


@for_each([None, "https://x.test/"])
def test_no_link_leads_out_of_a_folder_of_references(uri: str | None, *, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.json", tmp_path / "refs"
    folder.mkdir()
    outside.write_text('{"$id": "https://x.test/link.json", "const": "secret"}')
    (folder / "link.json").symlink_to(outside)
    (folder / "loop.json").symlink_to("loop.json")
    os.mkfifo(folder / "pipe.json")
    (folder / "here.json").write_text('{"$id": "https://x.test/here.json"}')
    documents = Documents([RefDir(folder, uri)])
    for name in ("link", "loop", "pipe"):
        assert documents.read(f"https://x.test/{name}.json") is None
    assert documents.read("https://x.test/here.json") is not None
