"""Ctrl-C while a package or the cache is written: whatever the moment, nothing is left behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import NEW, OLD, build, foreign, interrupted_at, put_foreign, state

from toolgen import cache
from toolgen.cache import Entry
from toolgen.output.interrupts import interrupts_held, raise_held_interrupt
from toolgen.output.plan import plan
from toolgen.python.layout import MANIFEST

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@posix
@pytest.mark.parametrize("kind", ["first", "beside foreign files"])
def test_a_build_interrupted_at_any_step_leaves_the_old_or_the_new_package(kind: str, tmp_path: Path) -> None:
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
        step += 1
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


@pytest.fixture
def handler() -> Iterator[None]:
    """The handler that raises, where whoever runs the tests ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handler")
@pytest.mark.parametrize(("asked", "expected"), [(True, ["begun"]), (False, ["begun", "ended"])])
def test_an_interrupt_is_held_until_it_is_asked_for_or_the_block_ends(
    asked: bool, expected: list[str]
) -> None:
    done: list[str] = []

    def work() -> None:
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            done.append("begun")
            if asked:
                raise_held_interrupt()
            done.append("ended")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == expected
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interrupts_held():
        raise_held_interrupt()  # it was raised once, and is forgotten


def test_a_thread_writes_without_a_handler(tmp_path: Path) -> None:
    """Only the main thread may set one."""
    out = tmp_path / "agent_tools"
    thread = threading.Thread(target=build, args=(OLD, out))
    thread.start()
    thread.join()
    assert (state(out), (out / MANIFEST).is_file()) == ("old", True)
