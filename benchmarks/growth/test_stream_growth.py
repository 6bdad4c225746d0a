"""A stream takes work in proportion to its events, however small they are and however many calls are open."""

from __future__ import annotations

import pytest
from counting import lines
from helpers.providers import assembled
from helpers.support import bounded
from hostile_streams import STREAMS

SPARE = 120


@pytest.mark.parametrize("provider", STREAMS)
@pytest.mark.parametrize("calls", [1, 2], ids=["one call", "a call for each two deltas"])
def test_streams_take_work_in_proportion(provider: str, calls: int) -> None:
    def work(deltas: int) -> int:
        events = STREAMS[provider](deltas, 1 if calls == 1 else deltas // 2)
        return lines(lambda given: assembled(provider, given), events)

    once, twice = work(40), work(80)
    assert twice <= 2 * once + SPARE, (once, twice)


@pytest.mark.parametrize("provider", STREAMS)
def test_a_stream_of_very_many_deltas(provider: str) -> None:
    """What is quadratic in C shows here: joining a text of 30,000 pieces anew for each."""
    with bounded(6):
        done = assembled(provider, STREAMS[provider](30_000, 1))
        assert [call.name for call in done.calls] == ["t"]
        assert len(assembled(provider, STREAMS[provider](6_000, 3_000)).calls) == 3_000
