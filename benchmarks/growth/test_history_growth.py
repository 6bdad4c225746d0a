"""`check`, `repair` and `fit` of a history take work in proportion to it, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from counting import lines
from growing_histories import SHAPES
from helpers.provider_words import PROVIDERS
from helpers.support import bounded

import toolgen_transcripts

FEW = 10
SPARE = 200
MISTRAL = "mistral.mistral-large-2402-v1:0"
"""Wants other ids, and results that stand alone."""


def grows(provider: str, shape: str, work: Callable[[Any], object]) -> None:
    """Assert that work on twice as much takes about twice the lines of Python."""
    make = SHAPES[shape]
    # What is loaded, made or prepared at the first use, or the first that is traced, is no part of it.
    lines(work, make(PROVIDERS[provider], 2), calls=1)
    once, twice = (lines(work, make(PROVIDERS[provider], n), calls=1) for n in (FEW, 2 * FEW))
    assert twice <= 2.1 * once + SPARE, (once, twice)


PAIRS = [
    pytest.param(provider, shape, marks=[] if (turn + at) % 3 == 0 else pytest.mark.long)
    for turn, shape in enumerate(SHAPES)
    for at, provider in enumerate(PROVIDERS)
]
"""By default each shape is tried with each third provider, others in turn."""


@pytest.mark.parametrize(("provider", "shape"), PAIRS)
def test_histories_take_work_in_proportion(provider: str, shape: str) -> None:
    grows(provider, shape, lambda messages: toolgen_transcripts.repair(messages, provider))


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "id" in shape or "after text" in shape])
def test_histories_of_mistral_take_work_in_proportion(shape: str) -> None:
    grows("bedrock", shape, lambda messages: toolgen_transcripts.repair(messages, "bedrock", model=MISTRAL))


@pytest.mark.parametrize("shape", SHAPES)
def test_what_fits_is_found_with_work_in_proportion(shape: str) -> None:
    grows("bedrock", shape, lambda messages: toolgen_transcripts.fit(messages, "bedrock", max_tokens=60))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_repaired_needs_no_repair(provider: str) -> None:
    for shape in SHAPES.values():
        fixed = toolgen_transcripts.repair(shape(PROVIDERS[provider], 5), provider)
        assert toolgen_transcripts.repair(fixed.messages, provider).changes == ()


def test_calls_that_are_answered_much_later_fit_in_no_seconds() -> None:
    words = PROVIDERS["bedrock"]
    calls = [m for n in range(2_000) for m in words.said(words.call(f"c{n}"))]
    results = [m for n in range(2_000) for m in words.answered(words.result(f"c{n}"))]
    with bounded(6):
        assert toolgen_transcripts.fit(
            [*words.answered(words.text("go")), *calls, *results], "bedrock", max_tokens=60
        )
