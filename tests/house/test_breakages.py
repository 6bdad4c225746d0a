"""The table of `scripts/breakages.py` is of the sources as they are: every text stands in its file, once."""

from __future__ import annotations

import tomllib

import pytest
from helpers.support import ROOT

ROOMS = tomllib.loads((ROOT / "tests" / "data" / "breakages.toml").read_text("utf-8"))

pytestmark = pytest.mark.skipif(
    not (ROOT / "generator").is_dir(), reason="the sources are not here, only the tests"
)


def test_each_text_stands_in_its_file_once() -> None:
    found = [
        (file, old)
        for room in ROOMS.values()
        for file, old, _ in room["breakages"]
        if (ROOT / file).read_text("utf-8").count(old) != 1
    ]
    assert found == []


def test_there_are_sixty_and_their_tests_exist() -> None:
    assert sum(len(room["breakages"]) for room in ROOMS.values()) >= 60
    assert [
        test for room in ROOMS.values() for test in room["tests"] if not (ROOT / "tests" / test).exists()
    ] == []
