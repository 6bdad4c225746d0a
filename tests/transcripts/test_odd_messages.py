"""Odd values in histories, responses and events: a verdict or an error that says so, never any other exception."""

from __future__ import annotations

import copy
import datetime
import json
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import pytest
from helpers.histories import LISTS
from helpers.providers import MODULES
from helpers.support import TEST_DATA, JsonObject, for_each, for_each_at_once
from hypothesis import HealthCheck, given, settings, strategies as st

from toolgen_transcripts import check, fit, repair
from toolgen_transcripts.codec.errors import ProviderResponseError


def _native(value: JsonObject) -> JsonObject:
    """Return Bedrock's sources with bytes, which JSON does not have."""
    data = value.get("bytes")
    return {**value, "bytes": data.encode()} if isinstance(data, str) else value


DATA = json.loads((TEST_DATA / "provider_messages.json").read_text("utf-8"), object_hook=_native)
HISTORIES: dict[str, list[JsonObject]] = DATA["histories"]
RESPONSES: dict[str, JsonObject] = DATA["responses"]
EVENTS: dict[str, list[JsonObject]] = DATA["events"]
PROVIDERS = list(HISTORIES)
ODD: list[Any] = [
    None, True, 0, 7, -1, 1.5, float("nan"), 10**400, "", " ", "x", "\ud800", b"x", [], [1], ["user"], [[]], {},
    {"a": 1}, {None: {}}, {("a",): b"x"}, (1, 2), {1}, print, Decimal("1.5"), datetime.date(2020, 1, 1),
    {"type": "text"}, {"type": "text", "text": "t"}, {"text": "t"}, [None], [{"text": "t"}], "tool_use",
]  # fmt: skip
KEYS: list[Any] = [None, 7, ("a",), b"k", "extra", "content", "role", "type", "tool_calls"]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [at, *(place for key, part in inner for place in places(part, (*at, key)))]


def mutated(draw: Any, value: Any, least: int) -> Any:
    """A copy with some values below the top (`least` levels of it) replaced, dropped or put beside others."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        below = [place for place in places(value) if len(place) > least]
        if not below:
            break
        *steps, key = draw(st.sampled_from(below))
        holder = value
        for step in steps:
            holder = holder[step]
        odd = copy.deepcopy(draw(st.sampled_from(ODD)))
        how = draw(st.sampled_from(["replace", "replace", "replace", "drop", "add"]))
        if how == "drop":
            del holder[key]
        elif how == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(KEYS))] = odd
        else:
            holder[key] = odd
    return value


@st.composite
def odd(draw: Any, samples: JsonObject, least: int) -> tuple[str, Any]:
    """A provider, and its sample with odd values in it."""
    provider = draw(st.sampled_from(list(samples)))
    return provider, mutated(draw, samples[provider], least)


slow = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@slow
@given(odd(HISTORIES, 1))
def test_odd_histories_get_a_verdict_and_a_repair_that_holds(case: tuple[str, list[Any]]) -> None:
    provider, messages = case
    before = repr(messages)
    module = MODULES[provider]
    module.encode_messages(module.decode_messages(messages))
    violations = check(messages, provider)
    fixed = repair(messages, provider)
    assert repr(messages) == before
    assert not fixed.remaining
    assert not check(fixed.messages, provider)
    again = repair(fixed.messages, provider)
    assert not again.changes
    assert repr(again.messages) == repr(fixed.messages)
    if violations:
        assert fixed.changes


@slow
@given(odd(RESPONSES, 0))
def test_odd_responses_are_read_or_refused(case: tuple[str, Any]) -> None:
    provider, response = case
    module = MODULES[provider]
    try:
        uses = module.parse_tool_uses(response)
    except ProviderResponseError:
        uses = None
    try:
        calls = module.read_tool_uses(response)
    except ProviderResponseError:
        assert uses is None
        return
    if uses is not None:
        assert [call.input for call in calls if call.ready] == [use["input"] for use in uses]


@slow
@given(odd(EVENTS, 1))
def test_odd_events_are_taken(case: tuple[str, list[Any]]) -> None:
    provider, events = case
    assembler = MODULES[provider].StreamAssembler()
    for event in events:
        if isinstance(event, dict):
            assembler.feed(event)
        else:
            with pytest.raises(TypeError):
                assembler.feed(event)
    done = assembler.finish()
    done.turn()
    assert all(isinstance(kind, str) for kind in done.skipped)
    assert all(isinstance(call.input, dict) and call.name for call in done.ready_calls)


CUSTOM = [
    {"type": "custom_tool_call", "call_id": "c9", "name": "sql", "input": "SELECT 1"},
    {"type": "custom_tool_call_output", "call_id": "c9", "output": "1"},
]
REQUESTS: dict[str, JsonObject] = {
    provider: {**request, LISTS.get(provider, "messages"): HISTORIES[provider]}
    for provider, request in DATA["requests"].items()
}
REQUESTS["openai_responses"]["input"] = [*HISTORIES["openai_responses"], *CUSTOM]
CALLERS = {29, 40, 47, 48}
"""The rules that only the caller can fix."""


@slow
@given(odd(REQUESTS, 0))
def test_odd_requests_get_a_verdict_and_a_repair_that_holds(case: tuple[str, JsonObject]) -> None:
    provider, request = case
    before = repr(request)
    try:
        found = check(request, provider)
    except TypeError as error:
        assert str(error).startswith(("message ", "messages must be"))  # noqa: PT017
        return
    fixed = repair(request, provider)
    fit(request, provider, max_tokens=30)
    assert repr(request) == before
    # A schema of Gemini that mixes OpenAPI's spelling with other keywords has no one reading: it is only reported.
    left = [v for v in fixed.remaining if not v.message.endswith("is not in OpenAPI's subset")]
    assert {v.rule for v in left} <= CALLERS
    assert not found or fixed.changes or fixed.remaining
    if any(v.slug == "other-provider" for v in fixed.remaining):  # such a request is refused whole
        assert not fixed.changes
        return
    model = request.get("modelId" if provider == "bedrock" else "model")
    said = {"model": model if isinstance(model, str) else None, "tools": fixed.tools}
    again = repair(copy.deepcopy(fixed.messages), provider, **said)
    assert not [change for change in again.changes if change.rule != 7]


@for_each([{}, {"name": "f"}, {"arguments": None}, {"arguments": {}}])
def test_a_call_without_arguments_is_repaired_at_once(function: JsonObject) -> None:
    """An empty function once passed, got a name, and was only then found to lack its arguments."""
    call = {"id": "t1", "type": "function", "function": function}
    history = [HISTORIES["openai"][0], {"role": "assistant", "tool_calls": [call]}, HISTORIES["openai"][3]]
    assert 17 in [violation.rule for violation in check(history, "openai")]
    fixed = repair(history, "openai")
    assert not fixed.remaining
    assert not repair(fixed.messages, "openai").changes


CONTENT = {"gemini": "parts"}


@for_each_at_once(product(PROVIDERS, ["role", "content"], [["user"], {"a": 1}, 7, True, b"x", (1,)]))
def test_a_role_or_content_of_the_wrong_type_is_a_violation(provider: Any, key: Any, odd: Any) -> None:
    content = CONTENT.get(provider, "content")
    role, user = ("type", "user_input") if provider == "gemini_interactions" else ("role", "user")
    block = {"text": "q"} if provider in ("bedrock", "gemini") else {"type": "text", "text": "q"}
    message = {role: user, content: [block]} | {content if key == "content" else role: odd}
    violation = check([message], provider)[0]
    place = f"{LISTS.get(provider, 'messages')}.0.{content if key == 'content' else role}"
    assert violation.rule == 0
    assert violation.place.startswith(place)  # (1,) is a list, its element is wrong
    assert place in violation.message
    fixed = repair([message], provider)
    assert [change.rule for change in fixed.changes] == [0]
    assert fixed.changes[0].place == violation.place
    assert not fixed.remaining
    (made,) = fixed.messages
    assert made[role] == user
    if key == "content":
        said = str(made[content])
        assert any(text in said for text in ("7", "true", "eA==", '"a":1', "user", "1"))


@for_each_at_once(product(PROVIDERS, [5, "text", None, ["x"], b"x", object(), dict]))
def test_an_element_that_is_not_a_message_is_a_type_error(provider: Any, odd: Any) -> None:
    messages = [HISTORIES[provider][0], odd]
    decode = MODULES[provider].decode_messages
    for ask in (decode, partial(check, provider=provider), partial(repair, provider=provider)):
        with pytest.raises(TypeError, match="message 1 is not a mapping"):
            ask(messages)


class Dumped:
    """An object of an SDK, as far as anybody here knows."""

    def __init__(self, value: JsonObject) -> None:
        self.value = value

    def model_dump(self) -> JsonObject:
        return self.value


@for_each(PROVIDERS)
def test_objects_with_model_dump_are_messages(provider: str) -> None:
    history = HISTORIES[provider]
    objects = [Dumped(message) for message in history]
    module = MODULES[provider]
    assert module.decode_messages(objects) == module.decode_messages(history)
    assert check(objects, provider) == check(history, provider)
    assert repair(objects, provider) == repair(history, provider)
