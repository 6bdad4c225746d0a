"""What is fuzzed holds for the seeds, and for every input that was found to break it once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import fuzz
import pytest
from fuzz_harnesses import HARNESSES
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT


def test_every_harness_has_seeds() -> None:
    assert tuple(HARNESSES) == fuzz.NAMES
    assert all(fuzz.seeds(name) for name in fuzz.NAMES)


@pytest.mark.parametrize("name", HARNESSES)
def test_seeds_and_findings_hold(name: str) -> None:
    for data in fuzz.seeds(name):
        HARNESSES[name](data)
        HARNESSES[name](data[: len(data) // 2])


def test_what_breaks_a_harness_is_found_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def breaks(data: bytes) -> None:
        assert b"null" not in data

    monkeypatch.setattr(fuzz, "CORPUS", tmp_path_factory.mktemp("corpus"))
    monkeypatch.setattr(fuzz, "seeds", lambda name: [b"{}"])
    monkeypatch.setitem(HARNESSES, "stream", breaks)
    executed, found = fuzz.with_hypothesis("stream", 20, seed=1)
    assert executed
    assert [path.read_bytes() for path in found] == [found[0].read_bytes()]
    assert b"null" in found[0].read_bytes()


PLACES = st.integers(0, 10**6)


@given(
    st.sampled_from([b'{"a": [1, {"b": null}], "c": "x"}', b"[]", b"5", b"{", b"\xff"]),
    st.lists(
        st.tuples(PLACES, PLACES, st.sampled_from(fuzz.CHANGES), st.sampled_from(fuzz.VALUES)), max_size=5
    ),
)
def test_a_tree_that_is_changed_stays_json(data: bytes, changes: list[tuple[int, int, str, Any]]) -> None:
    before = repr(fuzz.VALUES)
    changed = fuzz.changed_tree(data, changes)
    if data in (b"{", b"\xff"):
        assert changed == data
    else:
        json.loads(changed)
    assert repr(fuzz.VALUES) == before


def test_wrong_usage_is_an_exit_of_2() -> None:
    command = [sys.executable, ROOT / "scripts" / "fuzz.py", "strem"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no such harness: strem" in done.stderr
