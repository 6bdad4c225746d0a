"""Results that say neither by an id nor by a name which call they are for: by place where one call is left."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.providers import MODULES

from toolgen_transcripts import Text, ToolCall, ToolResult, Transcript, Turn, check, repair

Messages = list[dict[str, Any]]
NOTHING = "nothing"
OPENAI_LIKE = ("openai", "openai_responses")
PROVIDERS = (*OPENAI_LIKE, "anthropic", "bedrock", "gemini")


def said(provider: str, *turns: Turn) -> Messages:
    """Return the native messages of some turns, without the ids and names that are `NOTHING`."""
    messages: Messages = without_marks(MODULES[provider].encode_messages(Transcript(turns)).messages)
    return messages


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(member) for key, member in value.items() if member != NOTHING}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


def asked(text: str) -> Turn:
    return Turn("user", (Text(text),))


def results(provider: str, *given: tuple[str | None, str]) -> Turn:
    """Return results of these texts, each with an id (Gemini: its tool's name), or with none."""
    by_name = provider == "gemini"

    def result(id: str | None, text: str) -> ToolResult:
        if by_name:
            return ToolResult(NOTHING, (Text(text),), None, f"f_{id}" if id else NOTHING)
        return ToolResult(id or NOTHING, (Text(text),), None, None)

    return Turn("tool", tuple(result(*one) for one in given))


def history(provider: str, calls: tuple[str, ...], *given: tuple[str | None, str]) -> Messages:
    ids = [NOTHING if provider == "gemini" else id for id in calls]
    called = [ToolCall(id, f"f_{name}", {}) for id, name in zip(ids, calls, strict=True)]
    answered = [results(provider, *given)] if given else []
    return said(provider, asked("q"), Turn("assistant", tuple(called)), *answered)


def fixed(provider: str, messages: Messages) -> Messages:
    once = repair(messages, provider, model="claude-sonnet-4-5")
    assert check(once.messages, provider, model="claude-sonnet-4-5") == []
    assert repair(once.messages, provider, model="claude-sonnet-4-5").messages == once.messages
    assert once.changes
    return once.messages


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("calls", "given"),
    [
        (("a",), ((None, "R1"),)),
        (("a", "b"), (("a", "R1"), (None, "R2"))),
        (("a", "b"), ((None, "R1"), ("b", "R2"))),
        (("a", "b", "c"), (("c", "R3"), (None, "R1"), ("b", "R2"))),
    ],
)
def test_the_one_call_that_is_left_gets_it(provider: str, calls: tuple[str, ...], given: Any) -> None:
    messages = history(provider, calls, *given)
    assert 19 in {violation.rule for violation in check(messages, provider)}
    open_call = next(id for id in calls if id not in [id for id, _ in given])
    labelled = [(id or open_call, text) for id, text in given]
    wanted = history(provider, calls, *labelled)
    assert fixed(provider, messages) == repair(wanted, provider).messages


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("calls", "given"),
    [
        (("a", "b"), ((None, "R1"), (None, "R2"))),
        (("a", "b", "c"), (("b", "R0"), (None, "R1"))),
        (("a",), (("a", "R0"), (None, "R1"))),
        (("a",), ((None, "R1"), (None, "R2"))),
    ],
)
def test_where_nobody_knows_whose_it_is_it_stays_as_text(
    provider: str, calls: tuple[str, ...], given: Any
) -> None:
    messages = history(provider, calls, *given)
    assert 1 in {violation.rule for violation in check(messages, provider)}
    text = json.dumps(fixed(provider, messages))
    for _, result in given:
        assert result in text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_any_call_it_stays_as_text(provider: str) -> None:
    messages = said(provider, asked("q"), results(provider, (None, "R1")), asked("go on"))
    assert 1 in {violation.rule for violation in check(messages, provider)}
    assert "R1" in json.dumps(fixed(provider, messages))


def test_the_name_of_no_tool_that_was_called_is_no_name() -> None:
    messages = [*history("openai", ("a",)), {"role": "tool", "name": "other", "content": "R1"}]
    assert "[result of other: R1]" in json.dumps(fixed("openai", messages))
