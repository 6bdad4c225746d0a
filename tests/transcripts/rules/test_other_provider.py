"""Rule 47: another provider's messages, and requests without messages, are named by `check` and left by `repair`."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from helpers.histories import LISTS, PROVIDERS
from helpers.providers import MODULES
from helpers.support import for_each, for_each_at_once

from toolgen_transcripts import Text, ToolCall, ToolResult, Transcript, Turn, check, repair

SAID = Transcript(
    (
        Turn("user", (Text("Weather in Oslo?"),)),
        Turn("assistant", (Text("I look."), ToolCall("c1", "weather", {"city": "Oslo"}))),
        Turn("tool", (ToolResult("c1", (Text("grey"),)),)),
        Turn("assistant", (Text("Grey."),)),
        Turn("user", (Text("And tomorrow?"),)),
    )
)


def messages_of(provider: str) -> Any:
    return MODULES[provider].encode_messages(SAID).messages


@for_each_at_once((*pair, whole) for pair in permutations(PROVIDERS, 2) for whole in (False, True))
def test_messages_of_another_provider_are_named_and_left(own: Any, other: Any, whole: Any) -> None:
    messages = messages_of(own)
    given = {LISTS.get(other, "messages"): messages, "model": "m"} if whole else messages
    (violation,) = check(given, other)
    assert violation.slug == "other-provider"
    assert violation.message.endswith(f"looks like one of {own}")
    repaired = repair(given, other)
    assert (repaired.messages, repaired.changes, repaired.remaining) == (
        messages,
        (),
        (violation,),
    )
    assert check(messages, own, model="claude-sonnet-4") == []


@for_each_at_once(permutations(PROVIDERS, 2))
def test_a_request_without_its_messages_is_named(own: Any, other: Any) -> None:
    if LISTS.get(own) == LISTS.get(other):
        return
    request = {LISTS.get(own, "messages"): messages_of(own), "model": "m"}
    (violation,) = check(request, other)
    wanted = f"the request has no '{LISTS.get(other, 'messages')}'; it looks like a request to {own}"
    assert (violation.slug, violation.message) == ("other-provider", wanted)
    assert repair(request, other).remaining == (violation,)


def test_a_request_that_says_nothing_is_named() -> None:
    (violation,) = check({"model": "gpt-5"}, "openai")
    assert violation.message == "the request has no 'messages'"
    assert check({"model": "gpt-5", "previous_response_id": "resp_1"}, "openai_responses") == []


PLAIN = [
    # what several APIs take is nobody's alone
    ("openai", [{"role": "user", "content": "Hi"}]),
    ("anthropic", [{"role": "user", "content": "Hi"}]),
    ("openai_responses", [{"role": "user", "content": "Hi"}]),
    ("openai", [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]),
    # Mistral's reasoning, LiteLLM's cache points
    ("openai", [{"role": "user", "content": [{"type": "thinking", "thinking": [{"type": "text"}]}]}]),
    ("gemini", [{"parts": [{"text": "Hi"}]}]),
    ("gemini_interactions", {"input": "Hi"}),
    ("gemini_interactions", {"input": {"type": "text", "text": "Hi"}}),
    ("gemini_interactions", [{"type": "text", "text": "Hi"}, {"type": "image", "uri": "https://x"}]),
    ("gemini_interactions", [{"type": "user_input", "content": "Hi"}]),  # as the documentation has it
    ("gemini_interactions", [{"type": "file_search_call", "id": "c"}]),
    ("openai_responses", [{"type": "file_search_call", "id": "c", "queries": [], "status": "completed"}]),
]


@for_each(PLAIN)
def test_what_the_provider_takes_is_its_own(provider: str, messages: Any) -> None:
    assert check(messages, provider) == []


def test_a_part_without_an_id_is_no_call_of_another_api() -> None:
    """Without the orphan result, which `repair` drops, the rest looked like Anthropic's."""
    odd = [{"type": "text", "text": "q"}, {"type": "tool_use", "file": {}}]
    assert check([{"role": "user", "content": odd}], "openai") == []
    messages = [{"role": "user", "content": odd}, {"role": "tool", "tool_call_id": "t1", "content": "r"}]
    fixed = repair(messages, "openai")
    assert fixed.changes
    assert not fixed.remaining
    assert not repair(fixed.messages, "openai").changes
