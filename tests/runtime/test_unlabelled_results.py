"""Results that say neither by an id nor by a name which call they are for: by place where one call is left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolgen_runtime.transcript import check, repair

Messages = list[dict[str, Any]]
OPENAI_LIKE = ("openai", "openai_responses")
PROVIDERS = (*OPENAI_LIKE, "anthropic", "bedrock", "gemini")


def said(provider: str, text: str) -> dict[str, Any]:
    if provider == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": [{"text": text}] if provider == "bedrock" else text}


def called(provider: str, *ids: str) -> Messages:
    if provider == "openai":
        calls = [
            {"id": id, "type": "function", "function": {"name": f"f_{id}", "arguments": "{}"}} for id in ids
        ]
        return [{"role": "assistant", "content": None, "tool_calls": calls}]
    if provider == "openai_responses":
        return [{"type": "function_call", "call_id": id, "name": f"f_{id}", "arguments": "{}"} for id in ids]
    if provider == "anthropic":
        uses = [{"type": "tool_use", "id": id, "name": f"f_{id}", "input": {}} for id in ids]
        return [{"role": "assistant", "content": uses}]
    if provider == "bedrock":
        blocks = [{"toolUse": {"toolUseId": id, "name": f"f_{id}", "input": {}}} for id in ids]
        return [{"role": "assistant", "content": blocks}]
    return [{"role": "model", "parts": [{"functionCall": {"name": f"f_{id}", "args": {}}} for id in ids]}]


def results(provider: str, *given: tuple[str | None, str]) -> Messages:
    """Return results of these texts, each with an id (Gemini: its tool's name), or with none."""
    if provider == "openai":
        return [
            {"role": "tool", "content": text, **({"tool_call_id": id} if id else {})} for id, text in given
        ]
    if provider == "openai_responses":
        return [
            {"type": "function_call_output", "output": text, **({"call_id": id} if id else {})}
            for id, text in given
        ]
    if provider == "anthropic":
        blocks = [
            {"type": "tool_result", "content": text, **({"tool_use_id": id} if id else {})}
            for id, text in given
        ]
        return [{"role": "user", "content": blocks}]
    if provider == "bedrock":
        native = [
            {"toolResult": {"content": [{"text": text}], **({"toolUseId": id} if id else {})}}
            for id, text in given
        ]
        return [{"role": "user", "content": native}]
    parts = [
        {"functionResponse": {"response": {"output": text}, **({"name": f"f_{id}"} if id else {})}}
        for id, text in given
    ]
    return [{"role": "user", "parts": parts}]


def history(provider: str, calls: tuple[str, ...], *given: tuple[str | None, str]) -> Messages:
    return [said(provider, "q"), *called(provider, *calls), *results(provider, *given)]


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
    messages = [said(provider, "q"), *results(provider, (None, "R1")), said(provider, "go on")]
    assert 1 in {violation.rule for violation in check(messages, provider)}
    assert "R1" in json.dumps(fixed(provider, messages))


def test_the_name_of_no_tool_that_was_called_is_no_name() -> None:
    messages = [
        *history("openai", ("a",)),
        {"role": "tool", "name": "other", "content": "R1"},
    ]
    assert "[result of other: R1]" in json.dumps(fixed("openai", messages))
