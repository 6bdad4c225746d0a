"""Texts of errors: codes are read before the wording, wherever SDKs print them; substrings may lie."""

from __future__ import annotations

from typing import Any

from helpers.support import for_each, for_each_at_once, table
from hypothesis import given, settings, strategies as st

from toolgen_runtime import ToolErrorKind
from toolgen_runtime.calls.handler_errors import classify_handler_error
from toolgen_transcripts import explain_provider_error
from toolgen_transcripts.errors import LLMErrorKind, classify_llm_error, classify_mcp_error
from toolgen_transcripts.errors.codes_in_text import facts_in

TEXTS = table("error_texts.json")
LLM: list[list[str]] = TEXTS["llm"]
MCP: list[list[str]] = TEXTS["mcp"]
WORDS: list[list[str]] = TEXTS["words"]


@for_each_at_once([*LLM, *WORDS])
def test_texts_of_model_apis(kind: Any, text: Any) -> None:
    for error in (text, RuntimeError(text)):
        found = classify_llm_error(error)
        assert (found.kind, found.decided_by) == (kind, "default" if kind == "unknown" else "message")
        again = kind in ("rate_limit", "timeout", "network_error", "server_error")
        assert found.retryable == (again or "Failed to call a function" in text)  # the model's own mistake
    for spelt in (text.upper(), text.lower()) if [kind, text] in WORDS and "ETIMEDOUT" not in text else ():
        assert classify_llm_error(spelt).kind == kind


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_a_kind(text: str) -> None:
    assert isinstance(classify_llm_error(text).kind, LLMErrorKind)
    assert isinstance(classify_mcp_error(text).kind, ToolErrorKind)


@for_each_at_once(MCP)
def test_texts_of_mcp(kind: Any, text: Any) -> None:
    assert classify_mcp_error(text).kind == kind


@for_each(TEXTS["facts"])
def test_what_stands_in_a_text(text: str, facts: list[Any]) -> None:
    found = facts_in(text)
    assert [found.codes[0] if found.codes else None, found.rpc_code, found.status] == facts


def test_a_handlers_text_is_not_read_as_the_mcp_servers() -> None:
    for text in (
        "Error code: 401 - no",
        "MCP error -32602: Invalid params",
        "HTTP 503",
        "Output validation error",
    ):
        assert classify_handler_error(ValueError(text)).kind == "execution_error"


QUOTA = table("error_responses.json")["quota"]
REFUSALS = [row["text"] for row in table("provider_errors.json")]


@for_each(QUOTA)
def test_a_quota_is_used_up_unless_the_text_says_when_to_try_again(error: Any, kind: str) -> None:
    assert classify_llm_error(error).kind == kind


def rule_of(text: str) -> int | None:
    rule = explain_provider_error(text)
    return None if rule is None else rule.number


@for_each_at_once(REFUSALS)
def test_what_a_rule_explains_is_a_request_that_was_refused(text: Any) -> None:
    found = classify_llm_error(text)
    own_mistake = rule_of(text) == 33
    assert (found.kind, found.retryable) == ("model_error", own_mistake)
