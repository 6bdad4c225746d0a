"""Whole requests with odd values anywhere in them: a verdict, and a repair that holds."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_odd_messages import DATA, HISTORIES, mutated

from toolgen_runtime.provider_rules.rule import RuleId
from toolgen_runtime.transcript import check, fit, repair

CUSTOM = [
    {"type": "custom_tool_call", "call_id": "c9", "name": "sql", "input": "SELECT 1"},
    {"type": "custom_tool_call_output", "call_id": "c9", "output": "1"},
]
LISTS = {"gemini": "contents", "openai_responses": "input"}
REQUESTS: dict[str, dict[str, Any]] = {
    provider: {**request, LISTS.get(provider, "messages"): HISTORIES[provider]}
    for provider, request in DATA["requests"].items()
}
REQUESTS["openai_responses"]["input"] = [*HISTORIES["openai_responses"], *CUSTOM]
CALLERS = {29, 40, 47}
"""The rules that only the caller can fix."""


def not_messages(error: TypeError) -> bool:
    return str(error).startswith(("message ", "messages must be"))


@st.composite
def odd_requests(draw: Any) -> tuple[str, dict[str, Any]]:
    provider = draw(st.sampled_from(list(REQUESTS)))
    return provider, mutated(draw, REQUESTS[provider], 0)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(odd_requests())
def test_odd_requests_get_a_verdict_and_a_repair_that_holds(case: tuple[str, dict[str, Any]]) -> None:
    provider, request = case
    before = repr(request)
    try:
        found = check(request, provider)
    except TypeError as error:
        if not not_messages(error):
            raise
        return
    fixed = repair(request, provider)
    fit(request, provider, max_tokens=30)
    assert repr(request) == before
    assert {v.rule for v in fixed.remaining} <= CALLERS
    assert not found or fixed.changes or fixed.remaining
    if any(v.rule == RuleId.OTHER_PROVIDER for v in fixed.remaining):  # such a request is refused whole
        assert not fixed.changes
        return
    model = request.get("modelId" if provider == "bedrock" else "model")
    said = {"model": model if isinstance(model, str) else None, "tools": fixed.tools}
    again = repair(copy.deepcopy(fixed.messages), provider, **said)
    assert not [change for change in again.changes if change.rule != 7]
