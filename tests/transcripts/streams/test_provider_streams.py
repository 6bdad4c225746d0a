"""Every provider's stream reader: the same message from each, cut after every event; what is odd about each."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.providers import MODULES, assembled
from helpers.support import for_each, for_each_at_once, table

from toolgen_transcripts import Text, ToolCall, Transcript, anthropic, bedrock, openai, openai_responses
from toolgen_transcripts.testing import call, stream_events, text

Event = dict[str, Any]


TABLES = table("provider_streams.json")["provider_streams"]
BEDROCK = [text("Let me look."), call("t1", "weather", {"city": "Paris"}), call("t2", "ping", "")]
EVENTS: dict[str, list[Event]] = {"bedrock": stream_events(BEDROCK, "tool_use", 5), **TABLES["events"]}
"""By provider the events of the same message: text, then two calls."""


def end_of(provider: str) -> int:
    """The number of events from the one that ends the message on."""
    return 2 if provider in ("bedrock", "openai") else 1


@pytest.mark.parametrize("provider", EVENTS)
def test_the_same_message_from_every_provider(provider: str) -> None:
    done = assembled(provider, EVENTS[provider])
    assert done.turn().blocks == (
        Text("Let me look."),
        ToolCall("t1", "weather", {"city": "Paris"}),
        ToolCall("t2", "ping", {}),
    )
    assert [made.ready for made in done.calls] == [True, True]
    assert not done.truncated
    assert done.usage


@pytest.mark.parametrize("provider", EVENTS)
def test_deltas_add_up_to_the_message(provider: str) -> None:
    assembler = MODULES[provider].StreamAssembler()
    deltas = [delta for event in EVENTS[provider] for delta in assembler.feed(event)]
    done = assembler.finish()
    assert "".join(d.text for d in deltas if d.kind == "text") == done.text
    for made in done.calls:
        mine = [d for d in deltas if d.call_id == made.id]
        assert mine[0].kind == "call"
        assert {d.name for d in mine} == {made.name}
        assert "".join(d.text for d in mine) == made.arguments


@pytest.mark.parametrize("provider", EVENTS)
def test_a_stream_cut_after_any_event_has_no_ready_call(provider: str) -> None:
    """SDKs drop a cut frame without a word: a cut within a frame is one before it."""
    events = EVENTS[provider]
    ending = len(events) - end_of(provider) + 1
    for count in range(len(events) + 1):
        done = assembled(provider, events[:count])
        assert done.truncated == (count < ending), count
        assert len(done.ready_calls) == (0 if count < ending else 2), count


@for_each(TABLES["unfinished"])
def test_any_other_end_leaves_no_call_ready(provider: str, ending: Event, why: str) -> None:
    done = assembled(provider, [*EVENTS[provider][: -end_of(provider)], ending])
    assert done.truncated
    assert why in done.why
    assert "secret" not in done.why
    assert len(done.calls) == 2
    assert all(made.truncated for made in done.calls)


def test_openai_reads_the_first_choice() -> None:
    events = [
        {"choices": [{"index": index, "delta": {"content": text}, "finish_reason": reason}]}
        for index, text, reason in ((0, "A", None), (1, "B", "stop"), (0, None, "length"))
    ]
    done = assembled("openai", events)
    assert (done.text, done.stop_reason) == ("A", "length")


OUTCOMES: dict[str, tuple[str, list[Event], Event]] = TABLES["outcomes"]
"""A provider, events, and what becomes of them; of a call that is not ready its problems in place of its input."""


@for_each_at_once(OUTCOMES.values())
def test_what_becomes_of_a_stream(provider: Any, events: Any, expected: Any) -> None:
    """What is sent back is the message that the provider's own SDK makes of the events."""
    module, done = MODULES[provider], assembled(provider, events)
    sent = module.encode_messages(Transcript((done.turn(),)))
    calls = [
        [c.id, c.name, c.kind, c.input]
        if c.ready
        else [
            c.id,
            c.name,
            c.kind,
            [*c.problems, *(f"{i.constraint}: {i.expected}" for i in c.issues)],
        ]
        for c in done.calls
    ]
    outcome = {
        "text": done.text, "calls": calls, "stop": done.stop_reason, "why": done.why, "usage": done.usage,
        "skipped": list(done.skipped), "metadata": done.metadata, "sent": sent.messages,
        "lost": [d.code for d in sent.diagnostics],
    }  # fmt: skip
    assert {key: value for key, value in outcome.items() if value} == expected
    if len(done.ready_calls) == len(done.calls):
        assert [block for turn in module.decode_messages(sent.messages) for block in turn.blocks] == list(
            done.turn().blocks
        )
    if provider == "openai_responses" and len(done.ready_calls) == len(done.calls):
        found = module.read_tool_uses({"status": "completed", "output": sent.messages})
        assert [[c.id, c.name, c.kind, c.input] for c in found if c.ready] == calls


def test_a_signature_without_a_text_is_no_blank_text_for_others() -> None:
    _, events, _ = OUTCOMES["a signature without a text"]
    turn = assembled("gemini", events).turn()
    for module in (anthropic, bedrock, openai):
        encoded = module.encode_messages(Transcript((turn,)))
        assert [d.code for d in encoded.diagnostics] == ["field-dropped"]
        (message,) = encoded.messages
        assert message["content"] in ("A", [{"type": "text", "text": "A"}], [{"text": "A"}])


def test_a_message_in_which_nothing_came_is_not_sent_back() -> None:
    for provider, module in MODULES.items():
        done = assembled(provider, [])
        assert done.blocks == ()
        encoded = module.encode_messages(Transcript((done.turn(),)))
        assert (encoded.messages, [d.code for d in encoded.diagnostics]) == ([], ["turn-dropped"])


def test_the_text_of_the_final_event_is_shown() -> None:
    _, events, _ = OUTCOMES["items of the final event alone"]
    deltas = openai_responses.StreamAssembler().feed(events[0])
    assert [(delta.kind, delta.text) for delta in deltas] == [
        ("text", "Hi"),
        ("call", ""),
        ("arguments", "{}"),
    ]


def test_an_event_that_is_nested_too_deeply_spoils_the_message() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = {"a": deep}
    for provider in MODULES:
        done = assembled(provider, [{"odd": deep}])
        assert "deeper than 200 levels" in done.why
