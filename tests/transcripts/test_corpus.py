"""The corpus: nothing is found in its requests and nothing in them is changed; answers are what the SDKs read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import corpus
import corpus_answers as answers
import corpus_sdks as sdks
import pytest
from helpers.support import SHARED, JsonObject, for_each, for_each_at_once

from toolgen_transcripts import check, estimate_tokens, fit, repair
from toolgen_transcripts.codec.wire import wire_of


def params(of: Callable[[str], Iterable[JsonObject]]) -> list[Any]:
    """Return the rows of every provider, for parametrized tests."""
    return [pytest.param(p, row, id=f"{p}-{row['name']}") for p in corpus.PROVIDERS for row in of(p)]


ROWS = params(corpus.rows)
ANSWERS = params(lambda provider: answers.read_rows(f"responses/{provider}"))
ROUND = [each for each in ROWS if not each.values[1].get("renamed")]
STREAMS = params(lambda provider: answers.read_rows(f"streams/{provider}"))


def messages_of(request: JsonObject, provider: str) -> list[Any]:
    shape = wire_of(provider).messages
    given = request.get(shape.list_key) or []
    return [shape.text_message(given)] if isinstance(given, str) else given


@for_each_at_once(ROWS)
def test_what_servers_take_is_left_alone(provider: Any, row: Any) -> None:
    request_ = row["request"]
    before = copy.deepcopy(request_)
    assert check(request_, provider) == []
    fixed = repair(request_, provider)
    assert (fixed.changes, fixed.remaining) == ((), ())
    assert fixed.messages == messages_of(request_, provider)
    assert fixed.system == request_.get(wire_of(provider).messages.system_key)
    assert request_ == before


@for_each_at_once(ROUND)
def test_a_request_comes_back_as_it_was(provider: Any, row: Any) -> None:
    request_ = row["request"]
    module = corpus.MODULES[provider]
    assert module.encode_messages(module.decode_messages(request_)).messages == messages_of(
        request_, provider
    )


@for_each_at_once(ROWS)
def test_what_is_kept_of_a_request_breaks_no_rule(provider: Any, row: Any) -> None:
    request_ = row["request"]
    given = messages_of(request_, provider)
    for budget in {1, sum(map(estimate_tokens, given)) // 2 + 1}:
        fitted = fit(request_, provider, max_tokens=budget)
        assert check({**request_, wire_of(provider).messages.list_key: fitted.messages}, provider) == []


def test_the_page_is_what_the_program_says() -> None:
    assert corpus.PAGE.read_text("utf-8") == corpus.page(), "run: python scripts/corpus.py"


def _called(id: str, **more: Any) -> list[JsonObject]:
    call = {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}, **more}
    result = {"role": "tool", "tool_call_id": id, "content": "x"}
    return [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]}, result]


_UNION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "anyOf": [{}]}}}
_THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
_PENDING = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
_ASKED = {"role": "user", "content": "q"}


@for_each(
    [
        ("openai", {"messages": _called("x" * 90)}, "gpt-5", "glm-4.7", "invalid-label"),
        ("openai", {"messages": [_ASKED], "tools": [_UNION]}, "gpt-5", "glm-4.7", "root-union"),
        ("openai_responses", {"input": [_ASKED, _THOUGHT, _ASKED]}, "o4-mini", "grok-4", "torn-reasoning"),
    ]
)
def test_limits_of_openai_are_those_of_its_own_models(
    provider: str, request_: JsonObject, model: str, other: str, slug: str
) -> None:
    assert slug in {violation.slug for violation in check(request_, provider, model=model)}
    assert check(request_, provider, model=other) == []


def test_only_an_async_tool_may_answer_later() -> None:
    tool = {"type": "function", "name": "f", "parameters": {"type": "object"}}
    request = {"input": [_ASKED, _PENDING, _ASKED], "tools": [tool]}
    assert [violation.slug for violation in check(request, "openai_responses")] == ["missing-result"]
    assert check({**request, "tools": [{**tool, "async": True}]}, "openai_responses") == []


@for_each_at_once(ANSWERS)
def test_a_response_says_what_its_sdk_read(provider: Any, row: Any) -> None:
    said, read = answers.decoded(row, provider)
    assert read == row["read"]
    assert answers.back(said.turn, provider) == answers.native_turn(row, provider)


@for_each_at_once(STREAMS)
def test_a_stream_says_what_its_sdk_read(provider: Any, row: Any) -> None:
    done, read = answers.assembled(row, provider)
    assert read == row["read"]
    assert answers.losses(done.turn(), provider) <= (set() if done.blocks else {"turn-dropped"})


@for_each_at_once(STREAMS)
def test_a_stream_that_is_cut_has_no_call_that_is_ready(provider: Any, row: Any) -> None:
    ends = wire_of(provider).stream.end
    last = max(at for at, event in enumerate(row["events"]) if ends in str(event) or at == 0)
    for at in range(0, last, 1 + last // 12):
        done, _ = answers.assembled({"events": row["events"][:at]}, provider)
        assert (done.truncated, done.ready_calls) == (True, ())


@for_each(corpus.PROVIDERS)
def test_the_sdk_still_reads_it_so(provider: str) -> None:
    sdk = {"bedrock": "boto3", "gemini": "google.genai", "openai_responses": "openai"}.get(provider, provider)
    pytest.importorskip(sdk, reason=f"{sdk} is not installed")
    for kind in ("responses", "streams"):
        for row in answers.read_rows(f"{kind}/{provider}")[::4]:  # scripts/corpus.py --record reads them all
            assert sdks.READ[provider](row) == row["read"], row["name"]


RECORDED = SHARED / "data" / "recorded-streams.jsonl"
STARTS = {"anthropic": "message_start", "openai_responses": "response.created"}


def recorded() -> Iterator[Any]:
    """Yield the provider and the events of each message of the recordings, which may hold several."""
    lines = RECORDED.read_text("utf-8").splitlines() if RECORDED.is_file() else ()
    for row in map(json.loads, lines):
        provider, events = row["provider"], list[Any]()
        for event in [*row["events"], None]:
            if events and (event is None or event.get("type") == STARTS.get(provider, object)):
                yield pytest.param(provider, events, id=f"{provider}-{row['source']}")
                events = []
            events.append(event)


@for_each_at_once(recorded())
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_recorded_stream_says_what_the_sdk_reads(provider: Any, events: Any) -> None:
    done, said = answers.assembled({"events": events}, provider)
    assert answers.losses(done.turn(), provider) <= (set() if done.blocks else {"turn-dropped"})
    try:
        read = sdks.READ[provider]({"events": events})
    except Exception as error:
        pytest.skip(f"the SDK does not take this stream: {type(error).__name__}")
    if not read["reasoning"]:  # in members that the SDK does not know
        said["reasoning"] = ""
    # xAI's server runs calls of its own
    read["calls"] = [call for call in read["calls"] if not str(call[0]).startswith("xs_")]
    assert said == read
