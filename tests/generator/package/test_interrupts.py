"""Ctrl-C while a package or the cache is written: whatever the moment, nothing is left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.package_folders import NEW, OLD, build, foreign, interrupted_at, put_foreign, state

from toolgen.package import cache
from toolgen.package.cache import Entry
from toolgen.package.output.plan import plan

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@posix
@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["first", "beside foreign files"])
def test_a_build_interrupted_at_any_step_leaves_the_old_or_the_new_package(
    kind: str, stride: int, tmp_path: Path
) -> None:
    """By default it is interrupted at each third step."""
    step, seen, stopped = 0, set(), True
    while stopped:
        home = tmp_path / str(step)
        out = home / "folder" / "below" / "agent_tools"
        home.mkdir()
        if kind != "first":
            build(OLD, out)
        if kind == "beside foreign files":
            put_foreign(out)
        before = foreign(out)
        stopped = interrupted_at(step, lambda out=out: build(NEW, out))  # type: ignore[misc]
        seen.add(found := state(out))
        assert foreign(out) == before
        if found == "absent":
            assert list(home.iterdir()) == []
        else:
            assert [path.name for path in out.parent.iterdir()] == [out.name]
            assert plan({"old": OLD, "new": NEW}[str(found)], out).is_current
        step += stride
    assert seen == {"absent" if kind == "first" else "old", "new"}
    assert step > 12


@posix
def test_an_entry_of_the_cache_is_the_old_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, seen, stopped = 0, [], True
    while stopped:
        folder = tmp_path / str(step)
        monkeypatch.setenv(cache.VARIABLE, str(folder))
        cache.save(tmp_path, {"a": Entry("old", "", [])})
        stopped = interrupted_at(step, lambda: cache.save(tmp_path, {"a": Entry("new", "", [])}))
        seen.append(cache.load(tmp_path)["a"].fingerprint)
        assert len(list(folder.iterdir())) == 1
        step += 1
    assert set(seen) == {"old", "new"}
