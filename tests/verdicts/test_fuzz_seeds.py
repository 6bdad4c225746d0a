"""What is fuzzed holds for the seeds, and for every input that was found to break it once."""

from __future__ import annotations

import fuzz
import pytest
from helpers.fuzz_harnesses import HARNESSES


def test_every_harness_has_seeds() -> None:
    assert tuple(HARNESSES) == fuzz.NAMES
    assert all(fuzz.seeds(name) for name in fuzz.NAMES)


@pytest.mark.parametrize("name", HARNESSES)
def test_seeds_and_findings_hold(name: str) -> None:
    for data in fuzz.seeds(name):
        HARNESSES[name](data)
        HARNESSES[name](data[: len(data) // 2])
