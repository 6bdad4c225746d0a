"""`fit`, by properties over histories of every provider, and its choices by example."""

from __future__ import annotations

import copy
from importlib import import_module
from itertools import product
from typing import Any

import pytest
from helpers.histories import LISTS, PROVIDERS, history
from helpers.support import for_each
from hypothesis import given, settings, strategies as st

from toolgen_transcripts import ToolResult, check, estimate_tokens, fit

Message = dict[str, Any]


def is_own(message: Message, provider: str) -> bool:
    """Whether a message is what the user said, by the provider's own format."""
    if message.get("role", message.get("type")) not in ("user", "user_input"):
        return False
    content = message.get("parts") if provider == "gemini" else message.get("content")
    results = ("toolResult", "functionResponse", "tool_use_id")
    return isinstance(content, str) or not any(key in part for part in content or () for key in results)


def own(messages: list[Message], provider: str) -> list[Message]:
    return [m for m in messages if is_own(m, provider)]


@for_each(PROVIDERS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0.01, 1.2), keep=st.integers(1, 3))
def test_what_is_kept_is_sound(provider: str, *, seed: int, share: float, keep: int) -> None:
    messages = history(provider, seed)
    before = copy.deepcopy(messages)
    total = sum(map(estimate_tokens, messages))
    budget = max(1, int(total * share))
    fitted = fit(messages, provider, max_tokens=budget, keep=keep)
    assert messages == before
    assert check(fitted.messages, provider) == []
    rest = iter(messages)
    assert all(any(m == given for given in rest) for m in fitted.messages)  # in order, nothing made up
    assert len(fitted.messages) + len(fitted.dropped) == len(messages)
    assert fitted.tokens == sum(map(estimate_tokens, fitted.messages))
    spoken = [m for m in fitted.messages if m.get("role") != "system"]
    assert is_own(spoken[0], provider)
    assert own(fitted.messages, provider)[-keep:] == own(messages, provider)[-keep:]
    if total <= budget:
        assert (fitted.messages, fitted.dropped) == (messages, [])
    if keep == 1:  # the last message is short here
        assert fitted.tokens <= max(budget, estimate_tokens(messages[-1]) + estimate_tokens(messages[0]))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def call(id: str, *before: Message) -> Message:
    return {
        "role": "assistant",
        "content": [*before, {"type": "tool_use", "id": id, "name": "f", "input": {}}],
    }


def result(id: str) -> Message:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}


def one(message: Any) -> int:
    return 1


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
LOOP = [user("a"), call("t1"), result("t1"), call("t2"), result("t2"), call("t3"), result("t3")]


def test_a_long_loop_keeps_its_question_and_its_newest_rounds() -> None:
    assert fit(LOOP, "anthropic", max_tokens=5, counter=one).messages == [LOOP[0], *LOOP[3:]]
    assert fit(LOOP, "anthropic", max_tokens=4, counter=one).messages == [LOOP[0], *LOOP[5:]]
    least = fit(LOOP, "anthropic", max_tokens=1, counter=one)
    assert (least.messages, least.tokens) == ([LOOP[0], *LOOP[5:]], 3)
    assert least.dropped == LOOP[1:5]


def test_calls_stay_with_the_reasoning_that_led_to_them() -> None:
    thought = [user("a"), call("t1", THOUGHT), result("t1"), call("t2"), result("t2")]
    assert fit(thought, "anthropic", max_tokens=3, counter=one).messages == thought
    answered = [*thought, {"role": "assistant", "content": "b"}]
    assert fit(answered, "anthropic", max_tokens=3, counter=one).messages == [answered[0], answered[5]]
    again = [*thought, call("t3", THOUGHT), result("t3")]
    assert fit(again, "anthropic", max_tokens=4, counter=one).messages == [thought[0], *again[5:]]


def test_older_turns_go_first_and_keep_says_how_many_stay() -> None:
    messages = [
        user("a"),
        {"role": "assistant", "content": "b"},
        user("c"),
        {"role": "assistant", "content": "d"},
        user("e"),
    ]
    assert fit(messages, "anthropic", max_tokens=4, counter=one).messages == messages[2:]
    assert fit(messages, "anthropic", max_tokens=1, counter=one).messages == messages[4:]
    assert fit(messages, "anthropic", max_tokens=1, counter=one, keep=2).messages == messages[2:]
    assert fit(messages, "anthropic", max_tokens=1, counter=one, keep=9).messages == messages


def test_system_messages_stay_and_an_answer_without_a_question_goes() -> None:
    system = {"role": "system", "content": "Be brief."}
    hello = {"role": "assistant", "content": "Hello!"}
    messages = [system, hello, user("a"), hello, system, user("b")]
    assert fit(messages, "openai", max_tokens=5, counter=one).messages == [system, *messages[2:]]
    for budget in (3, 4):  # there is room for the answer at 4, and not for its question
        assert fit(messages, "openai", max_tokens=budget, counter=one).messages == [system, system, user("b")]


def test_a_result_of_2023_stays_with_its_call() -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    answered = [call, {"role": "function", "name": "f", "content": "42"}]
    kept = fit([user("a"), *answered, user("b")], "openai", max_tokens=3, counter=one).messages
    assert kept == [user("b")]


def test_results_for_calls_that_the_server_has_stay() -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "42"}
    items = [
        output,
        {"role": "assistant", "content": "So."},
        user("a"),
        {"role": "assistant", "content": "b"},
        user("c"),
    ]
    request = {"input": items, "previous_response_id": "resp_1"}
    assert fit(request, "openai_responses", max_tokens=1, counter=one).messages == [*items[:2], items[4]]
    assert fit(items, "openai_responses", max_tokens=1, counter=one).messages == [items[4]]


@for_each(PROVIDERS)
def test_a_whole_request_and_nothing_at_all(provider: str) -> None:
    messages = history(provider, 3)
    key = LISTS.get(provider, "messages")
    whole = fit({key: messages}, provider, max_tokens=200)
    assert whole == fit(messages, provider, max_tokens=200)
    assert fit([], provider, max_tokens=1).messages == []


@for_each(
    [
        {"max_tokens": 0},
        {"max_tokens": -1},
        {"max_tokens": 9, "keep": 0},
        {"max_tokens": 9, "clear_results": 0},
    ]
)
def test_a_budget_is_positive(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="positive"):
        fit([], "openai", **{"max_tokens": 9, **wrong})


def results_of(messages: list[Message], provider: str) -> list[ToolResult]:
    decoded = import_module(f"toolgen_transcripts.{provider}").decode_messages(messages)
    return [result for turn in decoded for result in turn.results]


@for_each(product([1, 3], PROVIDERS))
def test_old_results_are_cleared_before_anything_is_dropped(rounds: int, provider: str) -> None:
    messages = history(provider, 7, turns=8)
    total = sum(map(estimate_tokens, messages))
    whole = fit(messages, provider, max_tokens=total, clear_results=rounds)
    assert (whole.messages, whole.cleared) == (messages, [])
    fitted = fit(messages, provider, max_tokens=total - 1, clear_results=rounds)
    assert (len(fitted.messages), fitted.dropped) == (len(messages), [])
    assert fitted.cleared
    assert fitted.tokens == sum(map(estimate_tokens, fitted.messages)) < total
    assert check(fitted.messages, provider) == []
    changed = [i for i, m in enumerate(fitted.messages) if m != messages[i]]
    assert [messages[i] for i in changed] == fitted.cleared
    before, after = results_of(messages, provider), results_of(fitted.messages, provider)
    assert [(r.id, r.is_error) for r in after] == [(r.id, r.is_error) for r in before]
    newest = [m for m in fitted.messages[-(2 * rounds) :] if m in fitted.cleared]
    assert newest == []
    less = fit(messages, provider, max_tokens=total // 4, clear_results=rounds)
    assert less.dropped
    assert check(less.messages, provider) == []


def test_a_cleared_result_says_so_and_stays_an_error() -> None:
    long = {"type": "tool_result", "tool_use_id": "t1", "content": "x" * 400, "is_error": True}
    loop = [LOOP[0], LOOP[1], {"role": "user", "content": [long]}, *LOOP[3:]]
    fitted = fit(loop, "anthropic", max_tokens=sum(map(estimate_tokens, loop)) - 1, clear_results=1)
    assert fitted.cleared == [loop[2]]
    (note,) = fitted.messages[2]["content"]
    assert (note["tool_use_id"], note["is_error"]) == ("t1", True)
    assert "cleared" in note["content"][0]["text"]
    assert fitted.messages[3:] == loop[3:]  # shorter than the note


def test_the_estimate_counts_media_by_their_size_at_most() -> None:
    assert estimate_tokens(user("x" * 400)) == estimate_tokens(user("")) + 100
    picture = {"image": {"format": "png", "source": {"bytes": b"x" * 10**6}}}
    assert 1600 < estimate_tokens({"role": "user", "content": [picture]}) < 1640
    assert estimate_tokens(user("data:image/png;base64," + "A" * 10**6)) < 1640
    assert estimate_tokens(user("天" * 400)) > 300


SUMMARIES: dict[str, Message] = {
    "anthropic": {"role": "assistant", "content": [{"type": "compaction", "content": "They want grey."}]},
    "openai_responses": {"type": "compaction", "encrypted_content": "xyz"},
}


@pytest.mark.parametrize("provider", SUMMARIES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0.01, 1.2), keep=st.integers(1, 2))
def test_a_summary_stays_and_what_it_stands_for_goes_first(
    provider: str, seed: int, share: float, keep: int
) -> None:
    summary = SUMMARIES[provider]
    before, after = history(provider, seed), history(provider, seed + 1)
    messages = [*before, summary, *after]
    total = sum(map(estimate_tokens, messages))
    fitted = fit(messages, provider, max_tokens=max(1, int(total * share)), keep=keep)
    assert summary in fitted.messages
    assert len(fitted.messages) + len(fitted.dropped) == len(messages)
    if fitted.dropped:
        assert fitted.messages[0] == summary
        assert fitted.messages[-1] == messages[-1]
        rules = {violation.slug for violation in check(fitted.messages, provider)}
        assert rules <= {violation.slug for violation in check(messages, provider)}


def test_only_what_follows_the_summary_counts() -> None:
    summary = SUMMARIES["anthropic"]
    recent = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    old = {"role": "user", "content": "old " * 3000}
    messages = [old, summary, *recent, {"role": "user", "content": "go"}]
    assert fit(messages, "anthropic", max_tokens=80).messages == messages[1:]
    assert fit(messages, "anthropic", max_tokens=1).messages == [summary, messages[-1]]
    failed = {"role": "assistant", "content": [{"type": "compaction", "content": None}]}
    assert failed not in fit([old, failed, *messages[2:]], "anthropic", max_tokens=30).messages
