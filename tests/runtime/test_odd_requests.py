"""Whole requests with odd values anywhere in them: a verdict, and a repair that holds."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_odd_messages import HISTORIES, mutated

from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.transcript import check, fit, repair

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
POINT = {"cachePoint": {"type": "default"}}
CUSTOM = [
    {"type": "custom_tool_call", "call_id": "c9", "name": "sql", "input": "SELECT 1"},
    {"type": "custom_tool_call_output", "call_id": "c9", "output": "1"},
]
REQUESTS: dict[str, dict[str, Any]] = {
    "bedrock": {
        "modelId": "us.anthropic.claude-sonnet-4-20250514-v1:0",
        "messages": HISTORIES["bedrock"],
        "system": [{"text": "Be brief."}, POINT],
        "toolConfig": {
            "tools": [
                {"toolSpec": {"name": "f", "strict": True, "inputSchema": {"json": CLOSED}}},
                POINT,
                {"systemTool": {"name": "n"}},
            ],
            "toolChoice": {"auto": {}},
        },
        "additionalModelRequestFields": {"thinking": {"type": "enabled"}},
    },
    "anthropic": {
        "model": "claude-3-7-sonnet-20250219",
        "messages": HISTORIES["anthropic"],
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            {"name": "f", "input_schema": CLOSED, "strict": True},
            {"type": "web_search_20250305", "name": "web_search"},
        ],
        "tool_choice": {"type": "tool", "name": "f"},
        "thinking": {"type": "enabled"},
    },
    "openai": {
        "model": "deepseek-v4-pro",
        "messages": HISTORIES["openai"],
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "d", "parameters": CLOSED}},
            {"type": "custom", "custom": {"name": "x"}},
        ],
        "extra_body": {"thinking": {"type": "enabled"}},
    },
    "openai_responses": {
        "model": "gpt-4o",
        "input": [*HISTORIES["openai_responses"], *CUSTOM],
        "instructions": "Be brief.",
        "tools": [{"type": "function", "name": "f", "parameters": CLOSED}, {"type": "tool_search"}],
    },
    "gemini": {
        "model": "gemini-3-pro-preview",
        "contents": HISTORIES["gemini"],
        "config": {
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "f", "parameters": {"type": "OBJECT"}},
                        {"name": "g", "parametersJsonSchema": CLOSED},
                    ]
                },
                {"googleSearch": {}},
            ],
            "system_instruction": {"parts": [{"text": "Be brief."}]},
        },
    },
}
LISTS = {"gemini": "contents", "openai_responses": "input"}
CALLERS = {29, 40, 47}
"""The rules that only the caller can fix."""


def not_messages(error: TypeError) -> bool:
    return str(error).startswith(("message ", "messages are"))


@st.composite
def odd_requests(draw: Any) -> tuple[str, dict[str, Any]]:
    provider = draw(st.sampled_from(list(REQUESTS)))
    return provider, mutated(draw, REQUESTS[provider], 0)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
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
