"""Recorded streams: the turn is the message that the provider's own SDK accumulates, block by block."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from helpers.providers import MODULES, assembled
from helpers.sdk_accumulators import ACCUMULATED, told
from helpers.support import SHARED

from toolgen_transcripts import Block, Opaque, Transcript, Turn, decode_response

Event = dict[str, Any]

RECORDED = SHARED / "data" / "recorded-streams.jsonl"
STARTS = {"anthropic": "message_start", "openai_responses": "response.created"}


def messages(row: Event) -> Iterator[list[Event]]:
    """Yield the events of each message of a recording, which may hold several."""
    events: list[Event] = []
    for event in row["events"]:
        if events and event.get("type") == STARTS.get(row["provider"], object):
            yield events
            events = []
        events.append(event)
    yield events


STREAMS = [
    pytest.param(row["provider"], events, id=f"{row['provider']}-{row['source']}-{number}")
    for row in map(json.loads, RECORDED.read_text("utf-8").splitlines() if RECORDED.is_file() else ())
    for number, events in enumerate(messages(row))
] or [pytest.param("", [], marks=pytest.mark.skip(reason="no recorded streams here (set TOOLGEN_SHARED)"))]


def written_back(provider: str, turn: Turn) -> str:
    """Return the messages of a turn as text, in which 1 is not 1.0 and the order of members says nothing."""
    return json.dumps(told(MODULES[provider].encode_messages(Transcript((turn,))).messages), sort_keys=True)


@pytest.mark.parametrize(("provider", "events"), STREAMS)
def test_a_stream_is_the_message_that_the_sdk_accumulates(provider: str, events: list[Event]) -> None:
    sdk, accumulate = ACCUMULATED[provider]
    pytest.importorskip(sdk, reason=f"{sdk} is not installed")
    done = assembled(provider, events)
    try:
        response = accumulate(events)
    except Exception as error:
        pytest.skip(f"the SDK does not take this stream: {type(error).__name__}")
    whole = decode_response(response, provider)
    assert written_back(provider, done.turn()) == written_back(provider, whole.turn)
    assert [told_block(block) for block in done.turn().blocks] == [told_block(b) for b in whole.turn.blocks]
    assert [(c.id, c.name, c.input, c.ready) for c in done.calls] == [
        (c.id, c.name, c.input, c.ready) for c in whole.calls
    ]
    assert whole.stop_reason in (done.stop_reason, None)


def told_block(block: Block) -> Block:
    return replace(block, value=told(block.value)) if isinstance(block, Opaque) else block
