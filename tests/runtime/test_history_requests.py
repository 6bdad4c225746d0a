"""Whole requests are read whole, and nothing that servers take is damaged."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from toolgen_runtime.transcript import check, repair

Message = dict[str, Any]
CLAUDE_45 = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
LLAMA_4 = "us.meta.llama4-maverick-17b-instruct-v1:0"
PIXTRAL = "us.mistral.pixtral-large-2502-v1:0"
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


def user(*content: Any) -> Message:
    return {"role": "user", "content": list(content)}


def assistant(*content: Any) -> Message:
    return {"role": "assistant", "content": list(content)}


def use(id: str = "t1", name: str = "f", **more: Any) -> Message:
    return {"toolUse": {"toolUseId": id, "name": name, "input": {}, **more}}


def result(id: str = "t1", *content: Any, **more: Any) -> Message:
    return {"toolResult": {"toolUseId": id, "content": list(content or [{"text": "grey"}]), **more}}


TEXT = {"text": "Weather?"}
PNG = {"image": {"format": "png", "source": {"bytes": b"x"}}}
CALLS = [user(TEXT), assistant(use()), user(result())]
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
    whole = request(CALLS, toolConfig=FORCED, modelId=CLAUDE_45, **THINKING)
    assert [v.rule for v in check(whole, "bedrock", tools=CONFIG)] == []
    assert [v.rule for v in check(whole, "bedrock", tools=None)] == [7]
    assert [v.rule for v in check(whole, "bedrock", thinking=False)] == []
    whole["messages"] = [*CALLS, assistant(TEXT)]
    assert [v.rule for v in check(whole, "bedrock", thinking=False, model="other")] == [14]


def test_a_repaired_request_has_its_tools_and_its_system_prompt() -> None:
    fixed = repair(
        request(CALLS, toolConfig=FORCED, system=[{"text": "x"}, {"text": ""}], **THINKING), "bedrock"
    )
    assert fixed.messages == CALLS
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
