"""What `repair` makes of media, document names, cache points, limits and missing reasoning, by example."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from histories import assistant, paper, use, user

from toolgen_runtime.history.rules.media import is_legal, legal_name
from toolgen_runtime.providers import anthropic, gemini, openai
from toolgen_runtime.transcript import (
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
    check,
    explain_provider_error,
    repair,
)

Message = dict[str, Any]
CLAUDE = "us.anthropic.claude-sonnet-4-20250514-v1:0"
NOVA = "us.amazon.nova-lite-v1:0"
TEXT = {"text": "q"}
VIDEO = {"video": {"format": "mp4", "source": {"bytes": b"x"}}}
POINT = {"cachePoint": {"type": "default"}}
EPHEMERAL = {"cache_control": {"type": "ephemeral"}}


def result(*content: Any, id: str = "t1") -> Message:
    return {"toolResult": {"toolUseId": id, "content": list(content)}}


def fixed(messages: list[Message], provider: str = "bedrock", **more: Any) -> list[Message]:
    before = copy.deepcopy(messages)
    repaired = repair(messages, provider, **more)
    assert messages == before
    assert repaired.changes
    assert not repaired.remaining
    assert check(repaired.messages, provider, **more) == []
    assert not repair(repaired.messages, provider, **more).changes
    return repaired.messages


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("a.pdf", "a"),
        ("report.final.docx", "report_final"),
        ("Jane's  notes\t1.txt", "Jane_s notes 1"),
        ("résumé.pdf", "resume"),
        ("報告書.pdf", "document"),
        ("Q3 報告.pdf", "Q3 _"),
        ("", "document"),
        (".pdf", "pdf"),
        ("x" * 300 + ".pdf", "x" * 200),
    ],
)
def test_a_documents_name_stays_as_near_as_it_may(name: str, legal: str) -> None:
    assert not is_legal(name)
    assert legal_name(name).strip("_") == legal.strip("_")
    assert is_legal(legal_name(name))


def test_documents_keep_everything_but_their_name() -> None:
    cited = {"citations": {"enabled": True}, "context": "c"}
    messages = [
        user(TEXT, paper("a.pdf", **cited), paper("a"), paper("b")),
        assistant(TEXT),
        user(TEXT, paper("b")),
    ]
    first, _, last = fixed(messages)
    assert first["content"] == [TEXT, paper("a (2)", **cited), paper("a"), paper("b")]
    assert last["content"] == [TEXT, paper("b (2)")]


def test_documents_of_results_are_renamed_too() -> None:
    messages = [user(TEXT), assistant(use()), user(result(paper("a.pdf"), TEXT))]
    assert fixed(messages)[2] == user(result(paper("a"), TEXT))


def test_media_that_the_model_does_not_take_are_named() -> None:
    s3 = {"document": {"format": "pdf", "name": "d", "source": {"s3Location": {"uri": "s3://b/d.pdf"}}}}
    made = fixed([user(TEXT, VIDEO, s3)], model=CLAUDE)
    assert made == [user(TEXT, {"text": "[video omitted]"}, {"text": "[document omitted: d]"})]
    messages = [user(TEXT, VIDEO, s3)]
    assert repair(messages, "bedrock", model=NOVA).messages == messages
    made = fixed([user(TEXT), assistant(use()), user(result(s3))], model=NOVA)
    assert made[2] == user(result({"text": "[document omitted: d]"}))


def test_the_newest_cache_points_stay() -> None:
    messages = [
        user(TEXT, POINT),
        assistant(TEXT, POINT),
        user(TEXT, POINT),
        assistant(TEXT, POINT),
        user(TEXT, POINT),
    ]
    made = fixed(messages)
    assert [m["content"][1:] for m in made] == [[], [POINT], [POINT], [POINT], [POINT]]
    tools = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}, POINT]}
    request = {"messages": messages, "toolConfig": tools, "system": [TEXT, POINT]}
    repaired = repair(request, "bedrock")
    assert [m["content"][1:] for m in repaired.messages] == [[], [], [], [POINT], [POINT]]
    assert (repaired.tools, repaired.system) == (tools, [TEXT, POINT])


def test_cache_points_that_are_members_of_blocks() -> None:
    block = {"type": "text", "text": "q", **EPHEMERAL}
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}, **EPHEMERAL}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "ok", **EPHEMERAL}
    messages = [user(block, block), assistant(call), user(answer, block)]
    made = fixed(messages, "anthropic")
    assert made[0]["content"] == [{"type": "text", "text": "q"}, block]
    assert made[1:] == messages[1:]
    whole = {
        "messages": [*messages[:2], user(answer)],
        **EPHEMERAL,
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    }
    assert [v.rule for v in check(whole, "anthropic")] == [38]
    assert not repair(whole, "anthropic").remaining


def strict(count: int, optional: int) -> Message:
    properties = {f"p{i}": {"type": "string"} for i in range(optional)}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"tools": [{"name": f"f{i}", "strict": True, "input_schema": schema} for i in range(count)]}


@pytest.mark.parametrize(("count", "optional", "kept"), [(25, 0, 20), (6, 5, 4), (20, 1, 20), (1, 25, 0)])
def test_tools_over_the_limits_are_sent_without_strict(count: int, optional: int, kept: int) -> None:
    tools = strict(count, optional)
    repaired = repair([{"role": "user", "content": "q"}], "anthropic", tools=tools)
    assert repaired.tools is not None
    assert sum("strict" in tool for tool in repaired.tools["tools"]) == kept
    assert [tool["name"] for tool in repaired.tools["tools"]] == [tool["name"] for tool in tools["tools"]]
    assert {c.rule for c in repaired.changes} == ({39} if kept < count else set())
    assert not repaired.remaining


def test_calls_without_their_thinking_become_text() -> None:
    messages = [
        user(TEXT),
        assistant(use()),
        user(result(TEXT)),
        assistant(use("t2")),
        user(result(TEXT, id="t2")),
    ]
    made = fixed(messages, thinking=True, model=CLAUDE)
    assert made[1] == assistant({"text": "[called f with {}]"})
    assert made[4] == user({"text": "[result of f: q]"})
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    for sound in (
        [user(TEXT), assistant(thought, use()), user(result(TEXT)), *messages[3:]],  # it thought once
        [*messages, assistant(TEXT), user(TEXT)],  # the user has spoken since
    ):
        assert check(sound, "bedrock", thinking=True, model=CLAUDE) == []
    assert check(messages, "bedrock", model=CLAUDE) == []


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ({"reasoning": "hm"}, "hm"),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "a"}, {"text": "b"}]}, "a\nb"),
        ({"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}, "hm"),
        ({}, "."),
        ({"refusal": "no"}, "."),
    ],
)
def test_reasoning_is_sent_back(kept: Message, text: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "tool_calls": [call], **kept}
    messages = [
        {"role": "user", "content": "q"},
        said,
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ]
    made = fixed(messages, "openai", model="kimi-k2-thinking")
    assert made == [messages[0], {**said, "reasoning_content": text}, messages[2]]


FOREIGN = Transcript(
    (
        Turn("user", (Text("q"),)),
        Turn("assistant", (ToolCall("c1", "f", {}), ToolCall("c2", "g", {}))),
        Turn("tool", (ToolResult("c1", (Text("r"),), None, "f"), ToolResult("c2", (Text("r"),), None, "g"))),
    )
)


@pytest.mark.parametrize("codec", [anthropic, openai])
def test_a_foreign_history_is_sent_to_gemini_3_with_the_value_that_skips_the_check(codec: Any) -> None:
    there = codec.decode_messages(codec.encode_messages(FOREIGN).messages)
    messages = gemini.encode_messages(there).messages
    made = fixed(messages, "gemini", model="gemini-3-pro-preview")
    assert [part.get("thoughtSignature") for part in made[1]["parts"]] == [
        "skip_thought_signature_validator",
        None,
    ]


def test_signatures_of_another_host_are_replaced() -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    snake = {"function_call": {"name": "f", "args": {}}}
    answer = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": 1}}}]}
    messages = [
        {"role": "user", "parts": [{"text": "q"}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True, "thoughtSignature": "x"},
                {**call, "thoughtSignature": "s"},
            ],
        },
        answer,
        {"role": "model", "parts": [{**snake, "thought_signature": b"s"}]},
        answer,
    ]
    made = fixed(messages, "gemini", model="gemini-3-pro-preview", moved=True)
    skip = "skip_thought_signature_validator"
    assert made[1]["parts"] == [{"text": "hm", "thought": True}, {**call, "thoughtSignature": skip}]
    assert made[3]["parts"] == [{**snake, "thought_signature": skip}]
    assert repair(messages, "gemini", model="gemini-3-pro-preview").messages == messages


def test_wrapping_an_input_keeps_what_the_block_has() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": [1], **EPHEMERAL}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    made = fixed([{"role": "user", "content": "q"}, assistant(call), user(answer)], "anthropic")
    assert made[1]["content"] == [{**call, "input": {"_payload": [1]}}]


def test_a_long_description_is_left_alone() -> None:
    """api.openai.com took 15,664 characters in December 2025, for gpt-4o-2024-08-06."""
    function = {"name": "f", "description": "x" * 15_664, "parameters": {"type": "object"}}
    tools = {"tools": [{"type": "function", "function": function}]}
    messages = [{"role": "user", "content": "q"}]
    assert check(messages, "openai", tools=tools, model="gpt-4o-2024-08-06") == []
    assert repair(messages, "openai", tools=tools, model="gpt-4o-2024-08-06").tools == tools
    explained = explain_provider_error("Invalid 'tools[0].function.description': string too long.")
    assert explained is not None
    assert explained.slug == "long-description"


def test_reasoning_of_messages_that_are_merged_is_sent_back() -> None:
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in range(2)
    ]
    said = [
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": text}
        for call, text in zip(calls, ("one", "two"), strict=True)
    ]
    answers = [{"role": "tool", "tool_call_id": call["id"], "content": "r"} for call in calls]
    made = fixed([{"role": "user", "content": "q"}, *said, *answers], "openai", model="kimi-k2-thinking")
    assert made[1]["reasoning_content"] == "one\ntwo"
    assert made[1]["tool_calls"] == calls


def test_cache_points_inside_results_and_servers_calls_are_left_out() -> None:
    part = {"type": "text", "text": "q", **EPHEMERAL}
    served = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}, **EPHEMERAL}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [part, part, part], **EPHEMERAL}
    made = fixed([user(part), assistant(served, found, call), user(answer)], "anthropic")
    bare = {"type": "text", "text": "q"}
    assert made[0] == user(bare)
    assert made[1]["content"][0] == {k: v for k, v in served.items() if k != "cache_control"}
    assert made[2] == user(answer)


def test_white_space_that_stood_before_a_cache_point_goes_with_it() -> None:
    messages = [user({"text": " "}, POINT, TEXT, *[POINT] * 4)]
    assert fixed(messages) == [user(TEXT, *[POINT] * 4)]


def test_a_document_without_a_name_is_given_one() -> None:
    nameless = {"document": {"format": "pdf", "source": {"bytes": b"x"}}}
    made = fixed([user(TEXT, nameless, paper(""))])
    assert [b["document"]["name"] for b in made[0]["content"][1:]] == ["document", "document (2)"]


@pytest.mark.parametrize(
    ("provider", "call", "answer"),
    [
        (
            "openai",
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "k1", "type": "custom", "custom": {"name": "g", "input": "x"}}],
            },
            {"role": "tool", "tool_call_id": "k1"},
        ),
        (
            "openai_responses",
            {"type": "custom_tool_call", "call_id": "k1", "name": "g", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "k1"},
        ),
    ],
)
def test_a_custom_call_is_answered_in_its_own_form(provider: str, call: Message, answer: Message) -> None:
    question = {"role": "user", "content": "q"}
    made = fixed([question, call], provider)
    assert made[:2] == [question, call]
    assert {**answer, **made[2]} == made[2]


def test_results_of_the_servers_own_calls_are_no_orphans() -> None:
    served = {"toolUse": {"toolUseId": "s1", "name": "run", "input": {}, "type": "server_tool_use"}}
    for answer in (
        result(TEXT, id="s1"),
        {"toolResult": {**result(TEXT, id="s1")["toolResult"], "type": "x"}},
    ):
        messages = [user(TEXT), assistant(served, answer, TEXT), user(TEXT)]
        assert check(messages, "bedrock") == []
        assert repair(messages, "bedrock").messages == messages
    paused = [user(TEXT), assistant(served)]
    assert check(paused, "bedrock", model="us.anthropic.claude-opus-4-6-v1") == []


def test_cited_text_is_not_stripped_of_its_citations() -> None:
    cited = {"citationsContent": {"content": [{"text": "a "}], "citations": [{"title": "t"}]}}
    messages = [user(TEXT), assistant(cited)]
    assert repair(messages, "bedrock", model=NOVA).messages == messages
