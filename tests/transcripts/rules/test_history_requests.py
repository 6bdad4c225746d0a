"""Whole requests are read whole, and nothing that servers take is damaged."""

from __future__ import annotations

from typing import Any

from google.genai import types
from helpers.histories import assistant, result, use, user
from helpers.support import JsonObject, for_each

from toolgen_transcripts import check, gemini, repair

Message = dict[str, Any]
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
TEXT = {"text": "Weather?"}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
THOUGHT_CALLS = [user(TEXT), assistant(THOUGHT, use()), user(result())]
CONFIG = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": OBJECT}}}]}
FORCED = {**CONFIG, "toolChoice": {"any": {}}}
THINKING = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "42"}
HI = {"role": "user", "content": "Hi"}


def request(messages: Any = None, **more: Any) -> Message:
    return {"messages": [user(TEXT)] if messages is None else messages, **more}


def test_a_repaired_request_has_its_tools_and_its_system_prompt() -> None:
    fixed = repair(
        request(THOUGHT_CALLS, toolConfig=FORCED, system=[{"text": "x"}, {"text": ""}], **THINKING), "bedrock"
    )
    assert fixed.messages == THOUGHT_CALLS
    assert fixed.tools == {**CONFIG, "toolChoice": {"auto": {}}}
    assert fixed.system == [{"text": "x"}]
    assert repair(request(system=[{"text": ""}]), "bedrock").system is None


def gemini_block(key: str, schema: Any, group: str = "functionDeclarations") -> Message:
    return {"tools": [{group: [{"name": "f", "description": "x", **({key: schema} if key else {})}]}]}


@for_each(["parameters", "parametersJsonSchema", "parameters_json_schema"])
def test_a_root_that_is_no_object_is_found_in_every_form(key: str) -> None:
    messages = [{"role": "user", "parts": [{"text": "q"}]}]
    block = gemini_block(key, {"type": "STRING" if key == "parameters" else "string"})
    (violation,) = check(messages, "gemini", tools=block)
    assert (violation.rule, violation.place) == (22, f"tools.0.functionDeclarations.0.{key}")
    fixed = repair(messages, "gemini", tools=block)
    assert list(fixed.tools["tools"][0]["functionDeclarations"][0]) == ["name", "description", key]
    assert not fixed.remaining


FOREIGN: JsonObject = {
    "a keyword of JSON Schema": {"exclusiveMinimum": 0},
    "a list of types": {"type": ["integer", "null"]},
    "numbers in an enum": {"enum": [1, 2]},
    "a keyword of nobody": {"x-order": 1},
    "a condition": {"if": {"minimum": 1}},
}
TAKEN: JsonObject = {
    "texts in an enum": {"type": "string", "enum": ["1", "2"]},
    "the SDK's spelling": {"any_of": [{"type": "string", "max_length": 3}], "property_ordering": []},
    "null": {"nullable": True, "default": None, "example": 1},
}


@for_each([*FOREIGN, *TAKEN])
def test_gemini_parameters_that_are_no_openapi_schema_move_to_the_field_for_json_schema(case: str) -> None:
    """One such keyword makes the API reject the whole request; google-genai's own model of the field agrees."""
    schema = {"type": "object", "properties": {"a": {"type": "integer", **{**FOREIGN, **TAKEN}[case]}}}
    messages = [{"role": "user", "parts": [{"text": "q"}]}]
    block = gemini_block("parameters", schema)
    fixed = repair(messages, "gemini", tools=block)
    (declared,) = fixed.tools["tools"][0]["functionDeclarations"]
    assert ("parametersJsonSchema" in declared) is (case in FOREIGN)
    assert [v.rule for v in check(messages, "gemini", tools=block)] == ([24] if case in FOREIGN else [])
    if case != "numbers in an enum":  # pydantic would make texts of them; the API does not
        is_taken = True
        try:
            types.FunctionDeclaration.model_validate({"name": "f", "parameters": schema})
        except (ValueError, AttributeError):
            is_taken = False
        assert is_taken is (case in TAKEN)


GEMINI_DUMP = [
    {"role": "user", "parts": [{"text": "q", "function_call": None, "inline_data": None}]},
    {
        "role": "model",
        "parts": [
            {
                "text": None,
                "function_call": {"id": None, "name": "f", "args": {"a": 1}},
                "thought_signature": b"x",
            }
        ],
    },
    {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"output": "42"}}}]},
    {
        "role": "user",
        "parts": [
            {"inline_data": {"mime_type": "image/png", "data": b"x"}},
            {"file_data": {"file_uri": "u"}},
        ],
    },
]


def test_google_genais_dumps_are_read_in_their_own_spelling() -> None:
    transcript = gemini.decode_messages(GEMINI_DUMP)
    assert gemini.encode_messages(transcript).messages == GEMINI_DUMP
    assert [(c.name, c.input) for t in transcript for c in t.calls] == [("f", {"a": 1})]
    assert [type(b).__name__ for b in transcript.turns[3].blocks] == ["Media", "Media"]
    bad = [{"role": "user", "parts": [{"function_response": {"name": "f", "response": [1]}}]}]
    assert 18 in [v.rule for v in check([*GEMINI_DUMP[:2], *bad], "gemini")]
    fixed = repair([*GEMINI_DUMP[:2], *bad], "gemini")
    assert not fixed.remaining
    response = {"candidates": [{"content": GEMINI_DUMP[1], "finish_reason": "STOP"}]}
    assert gemini.parse_tool_uses(response) == [{"id": None, "name": "f", "input": {"a": 1}}]


def test_with_state_at_the_server_a_result_stays_beside_a_repair() -> None:
    call = {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"}
    whole = {"input": [OUTPUT, call, HI], "previous_response_id": "resp_1"}
    assert repair(whole, "openai_responses").messages[:2] == [OUTPUT, call]


def chat_call(**more: Any) -> list[Message]:
    function = {"name": "f", "arguments": "{}"}
    called = {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        **more,
    }
    return [HI, called, {"role": "tool", "tool_call_id": "c1", "content": "x"}]


@for_each(
    [
        ("deepseek-reasoner", None, [43]),
        ("deepseek-reasoner", "https://api.deepseek.com/v1", [43]),
        ("deepseek-reasoner", "hyper.charm.land", []),
        ("gpt-4o", None, [70]),
        ("gpt-4o", "api.openai.com", [70]),
        ("gpt-4o", "https://openrouter.ai/api/v1", []),
        (None, "https://example.openai.azure.com", [70]),
        (None, "localhost:8000", []),
    ]
)
def test_the_host_decides_whose_limits_a_request_has(
    model: str | None, host: str | None, rules: list[int]
) -> None:
    messages = chat_call() if 43 in rules or (model or "").startswith("deepseek") else []
    messages = messages or [HI, {"role": "assistant", "content": "Hi", "tool_calls": []}, HI]
    assert [v.rule for v in check(messages, "openai", model=model, host=host)] == rules
    fixed = repair(messages, "openai", model=model, host=host)
    assert not fixed.remaining
    assert {change.rule for change in fixed.changes} == set(rules)


def test_messages_that_a_repair_leaves_alone_are_the_given_ones() -> None:
    system = {"role": "system", "content": "s", "x-trace": [1]}
    fixed = repair([system, *chat_call()[:2], HI], "openai", model="gpt-4o")
    assert fixed.messages[0] == system
    assert fixed.messages[-1] == HI
    fixed.messages[0]["x-trace"].append(2)
    assert system["x-trace"] == [1]
