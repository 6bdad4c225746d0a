"""Whole requests are read whole, and nothing that servers take is damaged."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import pytest
from histories import assistant, result, use, user

from toolgen_runtime.providers import bedrock, gemini, openai
from toolgen_runtime.transcript import check, repair

Message = dict[str, Any]
CLAUDE_45 = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
LLAMA_4 = "us.meta.llama4-maverick-17b-instruct-v1:0"
PIXTRAL = "us.mistral.pixtral-large-2502-v1:0"
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


TEXT = {"text": "Weather?"}
PNG = {"image": {"format": "png", "source": {"bytes": b"x"}}}
CALLS = [user(TEXT), assistant(use()), user(result())]
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
THOUGHT_CALLS = [user(TEXT), assistant(THOUGHT, use()), user(result())]
CONFIG = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": OBJECT}}}]}
FORCED = {**CONFIG, "toolChoice": {"any": {}}}
THINKING = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "42"}
HI = {"role": "user", "content": "Hi"}


def request(messages: Any = None, **more: Any) -> Message:
    return {"messages": [user(TEXT)] if messages is None else messages, **more}


@pytest.mark.parametrize(
    ("provider", "whole", "rules"),
    [
        ("bedrock", request(CALLS), [7]),
        ("bedrock", request(CALLS, toolConfig=CONFIG), []),
        ("bedrock", request(toolConfig=FORCED, **THINKING), [28]),
        ("bedrock", request(toolConfig=FORCED), []),
        ("bedrock", request(toolConfig={"tools": []}), [21]),
        ("bedrock", request([*CALLS, assistant(TEXT)], toolConfig=CONFIG, modelId="x"), [14]),
        ("bedrock", request([*CALLS, assistant(TEXT)], toolConfig=CONFIG, modelId=CLAUDE_45), []),
        ("bedrock", request(system=[{"text": ""}]), [8]),
        ("bedrock", request(system=[{"text": "x"}, {"text": " "}]), [9]),
        (
            "anthropic",
            request([{"role": "user", "content": "q"}], system=[{"type": "text", "text": ""}]),
            [8],
        ),
        (
            "anthropic",
            request(
                [HI],
                tools=[{"name": "a b", "input_schema": {"type": "object"}}],
                tool_choice={"type": "any"},
                thinking={"type": "enabled", "budget_tokens": 1024},
            ),
            [19, 28],
        ),
        (
            "anthropic",
            request(
                [HI],
                tools=[{"name": "f", "input_schema": {"type": "object"}}],
                tool_choice={"type": "any"},
                thinking={"type": "adaptive"},
            ),
            [],
        ),
        ("openai", request([HI], tools=[], model="gpt-5-mini"), [21]),
        ("openai", request([HI], tools=[], model="meta-llama/llama-3.1-8b-instruct"), []),
        (
            "gemini",
            {
                "contents": [{"parts": [{"text": "q"}]}],
                "config": {"tools": [{"functionDeclarations": [{"name": ""}]}]},
            },
            [19],
        ),
        (
            "openai_responses",
            {"input": "Hi", "tools": [{"type": "function", "name": "a b", "parameters": OBJECT}]},
            [19],
        ),
    ],
)
def test_a_whole_request_is_read_whole(provider: str, whole: Message, rules: list[int]) -> None:
    before = copy.deepcopy(whole)
    assert [v.rule for v in check(whole, provider)] == rules
    fixed = repair(whole, provider)
    assert whole == before
    assert sorted({c.rule for c in fixed.changes}) == rules
    assert not fixed.remaining


def test_what_is_given_by_hand_wins() -> None:
    whole = request(THOUGHT_CALLS, toolConfig=FORCED, modelId=CLAUDE_45, **THINKING)
    assert [v.rule for v in check(whole, "bedrock", tools=CONFIG)] == []
    assert [v.rule for v in check(whole, "bedrock", tools=None)] == [7]
    assert [v.rule for v in check(whole, "bedrock", thinking=False)] == []
    whole["messages"] = [*CALLS, assistant(TEXT)]
    assert [v.rule for v in check(whole, "bedrock", thinking=False, model="other")] == [14]


def test_a_repaired_request_has_its_tools_and_its_system_prompt() -> None:
    fixed = repair(
        request(THOUGHT_CALLS, toolConfig=FORCED, system=[{"text": "x"}, {"text": ""}], **THINKING), "bedrock"
    )
    assert fixed.messages == THOUGHT_CALLS
    assert fixed.tools == {**CONFIG, "toolChoice": {"auto": {}}}
    assert fixed.system == [{"text": "x"}]
    assert repair(request(system=[{"text": ""}]), "bedrock").system is None


@pytest.mark.parametrize(
    "state",
    [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}, {"conversation": {"id": "conv_1"}}, {}],
)
def test_with_state_at_the_server_a_result_is_no_orphan(state: Message) -> None:
    items = [OUTPUT] if state else [{"type": "item_reference", "id": "fc_1"}, OUTPUT]
    whole = {"input": items, **state}
    assert check(whole, "openai_responses") == []
    fixed = repair(whole, "openai_responses")
    assert (fixed.messages, fixed.changes) == (items, ())
    if not state:
        assert check(items, "openai_responses") == []
    # what is wrong beside it is fixed, and the result stays
    call = {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"}
    broken = {**whole, "input": [*items, call, HI]}
    assert [v.rule for v in check(broken, "openai_responses")] == [2]
    mended = repair(broken, "openai_responses")
    assert mended.messages[: len(items)] == items
    assert not mended.remaining


def test_without_state_it_is() -> None:
    assert [v.rule for v in check([OUTPUT], "openai_responses")] == [1]
    assert repair([OUTPUT], "openai_responses").messages == []


def gemini_block(key: str, schema: Any, group: str = "functionDeclarations") -> Message:
    return {"tools": [{group: [{"name": "f", "description": "x", **({key: schema} if key else {})}]}]}


@pytest.mark.parametrize("group", ["functionDeclarations", "function_declarations"])
@pytest.mark.parametrize(
    ("key", "schema"),
    [
        ("parameters", {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}),
        ("parameters", {"type": "object", "properties": {}}),
        ("parametersJsonSchema", OBJECT),
        ("parameters_json_schema", OBJECT),
        ("parameters_json_schema", {"properties": {"a": {}}}),
        ("", None),
    ],
)
def test_geminis_tools_in_every_form_are_left_alone(group: str, key: str, schema: Any) -> None:
    messages = [{"role": "user", "parts": [{"text": "q"}]}]
    tools = gemini_block(key, schema, group)
    alone = {"tools": tools["tools"][0]}
    for block in (tools, alone):
        assert check(messages, "gemini", tools=block) == []
        assert repair(messages, "gemini", tools=block).tools == block


@pytest.mark.parametrize("key", ["parameters", "parametersJsonSchema", "parameters_json_schema"])
def test_a_root_that_is_no_object_is_found_in_every_form(key: str) -> None:
    messages = [{"role": "user", "parts": [{"text": "q"}]}]
    block = gemini_block(key, {"type": "STRING" if key == "parameters" else "string"})
    (violation,) = check(messages, "gemini", tools=block)
    assert (violation.rule, violation.place) == (22, f"tools.0.functionDeclarations.0.{key}")
    fixed = repair(messages, "gemini", tools=block)
    assert fixed.tools is not None
    assert list(fixed.tools["tools"][0]["functionDeclarations"][0]) == ["name", "description", key]
    assert not fixed.remaining


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "tool_search"},
        {"type": "tool_search", "execution": "client", "description": "x", "parameters": OBJECT},
        {"type": "namespace", "name": "crm", "tools": []},
        {"type": "custom", "name": "sql", "format": {"type": "text"}},
        {"type": "openrouter:web_search", "parameters": {"max_results": 3}},
        {"type": "mcp", "server_label": "x", "server_url": "https://x.test"},
        {"type": "some_later_tool", "parameters": {"type": "strange"}},
        {"type": "function", "name": "f"},
    ],
)
def test_a_tool_is_the_servers_by_its_type(tool: Message) -> None:
    block = {"tools": [tool, {"type": "function", "name": "g", "parameters": OBJECT}]}
    assert check([HI], "openai_responses", tools=block) == []
    assert repair([HI], "openai_responses", tools=block).tools == block


SERVED = [
    user(TEXT),
    assistant(
        use("s1", "nova_code_interpreter", type="server_tool_use"),
        result("s1", {"json": {"stdOut": "4"}}, type="nova_code_interpreter_result"),
        {"text": "It is 4."},
    ),
    user({"text": "And?"}),
]


def test_what_the_server_ran_itself_is_left_alone() -> None:
    assert check(SERVED, "bedrock") == []
    assert repair(SERVED, "bedrock").messages == SERVED
    both = [user(TEXT), assistant(*SERVED[1]["content"][:2], use()), user({"text": "And?"})]
    fixed = repair(both, "bedrock")
    assert [c.rule for c in fixed.changes] == [2]
    assert fixed.messages[1] == both[1]


def test_a_paused_turn_of_the_servers_tools_is_no_prefill() -> None:
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    messages = [HI, assistant({"type": "text", "text": "Searching."}, search)]
    assert check(messages, "anthropic") == []
    assert [v.rule for v in check([HI, assistant({"type": "text", "text": "So"})], "anthropic")] == [14]


@pytest.mark.parametrize(
    ("provider", "model", "messages"),
    [
        ("bedrock", LLAMA_4, [user(TEXT), assistant(use()), user(result(status="success"))]),
        ("bedrock", LLAMA_4, [user(TEXT), assistant(use()), user(result("t1", PNG))]),
        (
            "bedrock",
            PIXTRAL,
            [user(TEXT), assistant(use("tooluse_abc")), user(result("tooluse_abc", PNG, status="error"))],
        ),
        ("bedrock", CLAUDE_45, [assistant(TEXT), user(TEXT)]),
        ("anthropic", "claude-sonnet-4-5", [{"role": "assistant", "content": "Hi"}, HI]),
        ("anthropic", "claude-haiku-4-5-20251001", [{"role": "assistant", "content": "Hi"}, HI]),
        ("bedrock", CLAUDE_45, [user(TEXT, {"text": "\n"}, {"cachePoint": {"type": "default"}})]),
    ],
)
def test_what_servers_were_seen_to_take_is_left_alone(
    provider: str, model: str, messages: list[Message]
) -> None:
    assert check(messages, provider, model=model) == []
    assert repair(messages, provider, model=model).messages == messages


def test_an_older_claude_wants_a_user_first_and_ids_once() -> None:
    twice = [*CALLS, assistant(use()), user(result())]
    for model, rules in ((CLAUDE_45, []), ("anthropic.claude-3-7-sonnet-20250219-v1:0", [6])):
        assert [v.rule for v in check(twice, "bedrock", model=model)] == rules
    old = "claude-3-7-sonnet-20250219"
    assert [
        v.rule for v in check([assistant({"type": "text", "text": "Hi"}), HI], "anthropic", model=old)
    ] == [13]


OLDER = [
    HI,
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
    {"role": "function", "name": "f", "content": "42"},
    {"role": "assistant", "content": "It is 42."},
]


def test_openais_older_calls_are_read_and_left_alone() -> None:
    assert check(OLDER, "openai") == []
    assert repair(OLDER, "openai").messages == OLDER
    transcript = openai.decode_messages(OLDER)
    assert [c.input for t in transcript for c in t.calls] == [{"a": 1}]
    assert openai.encode_messages(transcript).messages == OLDER
    converted = bedrock.encode_messages(transcript).messages
    assert check(converted, "bedrock", model=CLAUDE_45) == []
    call, answer = converted[1]["content"][0]["toolUse"], converted[2]["content"][0]["toolResult"]
    assert (call["toolUseId"], call["input"]) == (answer["toolUseId"], {"a": 1})


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
    assert check(GEMINI_DUMP, "gemini") == []
    assert repair(GEMINI_DUMP, "gemini").messages == GEMINI_DUMP
    transcript = gemini.decode_messages(GEMINI_DUMP)
    assert gemini.encode_messages(transcript).messages == GEMINI_DUMP
    assert [(c.name, c.input) for t in transcript for c in t.calls] == [("f", {"a": 1})]
    assert [type(b).__name__ for b in transcript.turns[3].blocks] == ["Media", "Media"]
    assert [v.rule for v in check(GEMINI_DUMP[:2], "gemini")] == [2]
    assert [v.rule for v in check([GEMINI_DUMP[0], *GEMINI_DUMP[2:]], "gemini")] == [1]
    bad = [{"role": "user", "parts": [{"function_response": {"name": "f", "response": [1]}}]}]
    assert 18 in [v.rule for v in check([*GEMINI_DUMP[:2], *bad], "gemini")]
    fixed = repair([*GEMINI_DUMP[:2], *bad], "gemini")
    assert not fixed.remaining
    response = {"candidates": [{"content": GEMINI_DUMP[1], "finish_reason": "STOP"}]}
    assert gemini.parse_tool_uses(response) == [{"id": None, "name": "f", "input": {"a": 1}}]


def test_bytes_and_decimals_in_inputs_are_written() -> None:
    """Numbers come from DynamoDB as Decimal."""
    odd = {"a": Decimal("1.5"), "b": Decimal(2), "c": b"x"}
    messages = [
        user(TEXT),
        assistant({"toolUse": {"toolUseId": "t1", "name": "f", "input": odd}}),
        user(result()),
    ]
    assert check(messages, "bedrock") == []
    assert repair(messages, "bedrock").messages == messages
    (call,) = openai.encode_messages(bedrock.decode_messages(messages)).messages[1]["tool_calls"]
    assert call["function"]["arguments"] == '{"a":1.5,"b":2,"c":"eA=="}'


def custom(id: str = "c1") -> Message:
    return {"type": "custom_tool_call", "call_id": id, "name": "sql", "input": "SELECT 1"}


def custom_output(id: str = "c1") -> Message:
    return {"type": "custom_tool_call_output", "call_id": id, "output": "1"}


CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
CHAT_CUSTOM = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
CHAT_RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1"}


@pytest.mark.parametrize(
    ("provider", "messages", "rules"),
    [
        ("openai_responses", [HI, custom(), custom_output(), HI], []),
        ("openai_responses", [HI, custom(), HI], [2]),
        ("openai_responses", [HI, custom_output(), HI], [1]),
        ("openai_responses", [HI, custom(), custom_output(), custom_output()], [5]),
        ("openai_responses", [HI, custom(), custom(), custom_output()], [2, 6]),
        ("openai_responses", [HI, CALL, custom("c2"), OUTPUT, custom_output("c2")], []),
        ("openai_responses", [HI, CALL, custom("c2"), custom_output("c2"), OUTPUT], []),
        ("openai_responses", [HI, CALL, custom("c2"), OUTPUT], [2]),
        ("openai_responses", [HI, custom("bad id!"), custom_output("bad id!")], [19, 19]),
        (
            "openai_responses",
            [
                HI,
                {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}},
                OUTPUT,
            ],
            [],
        ),
        (
            "openai_responses",
            [
                HI,
                {"type": "shell_call", "call_id": "c1", "action": {}},
                {"type": "shell_call_output", "call_id": "c1", "output": []},
            ],
            [],
        ),
        ("openai", [HI, {"role": "assistant", "tool_calls": [CHAT_CUSTOM]}, CHAT_RESULT], []),
        ("openai", [HI, {"role": "assistant", "tool_calls": [CHAT_CUSTOM]}, HI], [2]),
    ],
)
def test_calls_that_are_not_functions_are_paired(
    provider: str, messages: list[Message], rules: list[int]
) -> None:
    assert sorted(v.rule for v in check(messages, provider)) == rules
    fixed = repair(messages, provider)
    assert check(fixed.messages, provider) == []
    assert not fixed.remaining
    if not rules:
        assert fixed.messages == messages
    calls = [m for m in fixed.messages if m.get("type") == "custom_tool_call"]
    outputs = [m for m in fixed.messages if m.get("type") == "custom_tool_call_output"]
    assert [c["call_id"] for c in calls] == [o["call_id"] for o in outputs] or rules == [1]
    assert all(c["input"] == "SELECT 1" for c in calls)
