"""The cache of builds: where it is, whom it trusts, how big it gets, and that nothing depends on it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from helpers.support import for_each

from toolgen.package import cache
from toolgen.package.cache import Entry

ENTRIES = {"a.py": Entry("1", "2", []), "sub/b.py": Entry("3", "4", [["/a", "code", "m", "h", "warning"]])}
OTHERS = {"a.py": Entry("5", "6", [])}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_is_kept_is_found_by_the_package(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "agent_tools"
    assert cache.load(out) == {}
    cache.save(out, ENTRIES)
    assert cache.load(out) == cache.load(tmp_path / "x" / ".." / "agent_tools") == ENTRIES
    assert cache.load(tmp_path / "other") == {}
    cache.save(out, OTHERS)
    assert cache.load(out) == OTHERS


@for_each([b"", b"{", b"[1]", b'"x"', b"null", b"\xff", b"[" * 99_999, b'{"a.py": 1}', b"\0" * 99])
def test_a_broken_cache_is_none(data: bytes, *, folder: Path, tmp_path: Path) -> None:
    cache.save(tmp_path, ENTRIES)
    only(folder).write_bytes(data)
    assert cache.load(tmp_path) == {}
    cache.save(tmp_path, ENTRIES)
    assert cache.load(tmp_path) == ENTRIES


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_what_others_may_write_is_not_trusted(folder: Path, tmp_path: Path) -> None:
    cache.save(tmp_path, ENTRIES)
    file = only(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for mode in (0o620, 0o602, 0o666):
        file.chmod(mode)
        assert cache.load(tmp_path) == {}
    file.chmod(0o644)
    assert cache.load(tmp_path) == ENTRIES
    if os.geteuid() == 0:
        os.chown(file, 12345, -1)
        assert cache.load(tmp_path) == {}


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        monkeypatch.setenv(cache.VARIABLE, str(place))
        cache.save(tmp_path, ENTRIES)
        assert cache.load(tmp_path) == {}
    assert (tmp_path / "file").read_text() == "mine"


def test_the_oldest_are_forgotten(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_PACKAGES", 3)
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    os.utime(folder / "notes.txt", (1, 1))
    for turn in range(6):
        cache.save(tmp_path / str(turn), ENTRIES)
        for path in folder.glob("built-*"):  # each a minute older than the one after it
            os.utime(path, (0, path.stat().st_mtime - 60))
    assert [turn for turn in range(6) if cache.load(tmp_path / str(turn)) == ENTRIES] == [3, 4, 5]
    assert (folder / "notes.txt").exists(), "only what the cache wrote is deleted"


@pytest.mark.skipif(sys.platform != "linux", reason="the custom of Linux")
def test_the_folder_is_the_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    for given, expected in {
        "": ".cache/toolgen",
        "relative": ".cache/toolgen",
        f"{tmp_path}/x": "x/toolgen",
    }.items():
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        cache.save(tmp_path, ENTRIES)
        assert only(tmp_path / expected).name.startswith("built-")
        assert cache.load(tmp_path) == ENTRIES
    assert not Path("relative").exists()
