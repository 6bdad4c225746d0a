"""The core of the stream assemblers, by ConverseStream events: order, interleaving, judgement at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import pytest
from helpers.support import for_each, table

from toolgen_runtime import MISSING
from toolgen_transcripts import codec_for
from toolgen_transcripts.bedrock.messages import API
from toolgen_transcripts.bedrock.stream import StreamAssembler
from toolgen_transcripts.streams.assembly import number
from toolgen_transcripts.streams.result import Completed, Delta
from toolgen_transcripts.testing import call, stream_events

Event = dict[str, Any]


def assemble(events: Iterable[Event]) -> tuple[list[Delta], Completed]:
    assembler = StreamAssembler()
    deltas = [delta for event in events for delta in assembler.feed(event)]
    return deltas, assembler.finish()


def message(*content: Any) -> list[Event]:
    return stream_events(content, "tool_use", 12)


def start(index: int, id: str | None = "t1", name: str | None = "weather") -> Event:
    use = {key: value for key, value in (("toolUseId", id), ("name", name)) if value is not None}
    return {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": index}}


def piece(index: int, **use: Any) -> Event:
    return {"contentBlockDelta": {"delta": {"toolUse": use}, "contentBlockIndex": index}}


def stop(index: int) -> Event:
    return {"contentBlockStop": {"contentBlockIndex": index}}


BEGIN: Event = {"messageStart": {"role": "assistant"}}
END: Event = {"messageStop": {"stopReason": "tool_use"}}


def one_call(*pieces: str) -> list[Event]:
    return [BEGIN, start(0), *(piece(0, input=p) for p in pieces), stop(0), END]


def interleavings(*queues: list[Event]) -> Iterator[list[Event]]:
    """Every merge of the queues that keeps each one's order."""
    if len(queues) == 1:
        yield queues[0]
        return
    first, rest = queues[0], queues[1:]
    for merged in interleavings(*rest):
        total = len(first) + len(merged)
        for places in combinations(range(total), len(first)):
            mine, theirs = iter(first), iter(merged)
            chosen = set(places)
            yield [next(mine if at in chosen else theirs) for at in range(total)]


def call_events(index: int, *pieces: str) -> list[Event]:
    return [start(index, f"t{index}", f"tool{index}"), *(piece(index, input=p) for p in pieces), stop(index)]


def test_every_interleaving_of_three_calls_is_the_sequential_message() -> None:
    queues = [call_events(0, '{"a":', "1}"), call_events(1, '{"b": 2}'), call_events(2)]
    _, sequential = assemble([BEGIN, *queues[0], *queues[1], *queues[2], END])
    assert [made.input for made in sequential.ready_calls] == [{"a": 1}, {"b": 2}, {}]
    merges = list(interleavings(*queues))
    assert len(merges) == 1260  # 9! / (4! 3! 2!)
    for merge in merges:
        assert assemble([BEGIN, *merge, END])[1] == sequential


ARGUMENTS = [
    # text, the constraint broken (None: ready), the input
    ("", None, {}),
    ("{}", None, {}),
    ('{"a": [1, null]}', None, {"a": [1, None]}),
    (" ", "any", MISSING),
    ('{"a": NaN}', "json", MISSING),
    ('{"a": -Infinity}', "json", MISSING),
    ('{"a": 1, "a": 2}', "duplicate_key", MISSING),
    ('{"a": 1}{"a": 1}', "json", MISSING),
    ('{"city": "Par', "any", MISSING),
    ("[1]", "type", MISSING),
    ("null", "type", MISSING),
    ('"{}"', "type", MISSING),
    ("Paris", "any", MISSING),
    # as Anthropic's `eager_input_streaming` may end, which is not checked
    ('{"a": ', "any", MISSING),
    ('{"a": 1,}', "any", MISSING),
    ('{"a": 1}}', "any", MISSING),
]


@for_each(ARGUMENTS)
def test_only_an_empty_buffer_means_an_empty_object(
    written: str, constraint: str | None, payload: Any
) -> None:
    _, done = assemble(one_call(*written))
    (made,) = done.calls
    assert made.input == payload
    assert made.ready == (constraint is None)
    assert not done.truncated
    if constraint not in (None, "any"):
        assert [issue.constraint for issue in made.issues] == [constraint]


CASES = table("provider_streams.json")["streams"]


@for_each(CASES["odd_calls"])
def test_an_odd_call_is_not_ready_and_says_why(case: str, events: list[Event], said: str) -> None:
    """The other call of the message, which is sound, stays ready."""
    _, done = assemble([BEGIN, *events, *call_events(9, "{}"), END])
    odd, sound = done.calls
    reasons = [*odd.problems, *(str(issue.expected) for issue in odd.issues)]
    assert any(said in reason for reason in reasons), reasons
    assert not odd.ready
    assert sound.ready
    assert odd.id != ""
    assert odd.name != ""


@for_each(CASES["odd_messages"])
def test_an_odd_message_has_no_ready_call(case: str, events: list[Event], why: str) -> None:
    _, done = assemble([BEGIN, *call_events(0, "{}"), *events, END])
    assert done.truncated
    assert why in done.why
    assert "secret" not in done.why
    assert not done.ready_calls


def test_names_and_ids_come_back_in_their_own_form() -> None:
    codec = codec_for("bedrock", ["a.b", "long " * 30])
    for name in ("a.b", "long " * 30):
        assembler = StreamAssembler(codec=codec)
        events = message(call(codec.encode_id("id with spaces"), codec.encode_name(name), {}))
        deltas = [delta for event in events for delta in assembler.feed(event)]
        (made,) = assembler.finish().ready_calls
        assert (made.id, made.name) == ("id with spaces", name)
        assert {(d.call_id, d.name) for d in deltas} == {("id with spaces", name)}


def test_a_stream_that_raises_is_truncated_and_keeps_the_error() -> None:
    broken = ConnectionError("half of a secret response")

    def stream() -> Iterator[Event]:
        yield from one_call('{"a": 1}')[:-1]
        raise broken

    assembler = StreamAssembler()
    assert [delta.kind for delta in assembler.read(stream())] == ["call", "arguments"]
    done = assembler.finish()
    assert done.error is broken
    assert done.why == "the stream broke off with ConnectionError"
    assert not done.ready_calls


def test_feed_error_does_the_same() -> None:
    assembler = StreamAssembler()
    for event in one_call("{}"):
        assembler.feed(event)
    assembler.feed_error(TimeoutError())
    assembler.feed_error(ConnectionError())
    done = assembler.finish()
    assert isinstance(done.error, TimeoutError)
    assert done.truncated


async def _asynchronous(events: list[Event], error: Exception | None) -> Any:
    for event in events:
        yield event
    if error is not None:
        raise error


@for_each([None, ConnectionError()])
def test_an_asynchronous_stream(error: Exception | None) -> None:
    import asyncio

    async def run() -> tuple[int, Completed]:
        assembler = StreamAssembler()
        deltas = [delta async for delta in assembler.aread(_asynchronous(one_call("{", "}"), error))]
        return len(deltas), assembler.finish()

    count, done = asyncio.run(run())
    assert count == 3
    assert done.truncated == (error is not None)
    assert done.error is error


def test_misuse_gives_one_clear_error() -> None:
    assembler = StreamAssembler()
    with pytest.raises(TypeError, match="not list"):
        assembler.feed([])
    done = assembler.finish()
    assert assembler.finish() is done
    with pytest.raises(RuntimeError, match="new StreamAssembler"):
        assembler.feed(BEGIN)


def test_each_block_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[Any] = []
    decode = type(API).decode_block

    def decode_block(api: Any, block: Any, decoding: Any) -> Any:
        decoded.append(block)
        return decode(api, block, decoding)

    monkeypatch.setattr(type(API), "decode_block", decode_block)
    said = {"text": "Hm."}
    _, done = assemble(message(said, call("t1", "f", {"a": 1}), said, call("t2", "f", {"a": 1})))
    assert len(decoded) == len(done.blocks) == 4
    assert [call.id for call in done.ready_calls] == ["t1", "t2"]


def test_a_boolean_is_no_index() -> None:
    assert number({"index": True}, "index") is None
