"""`repair`, by properties over random broken histories of every provider, and its policies by example."""

from __future__ import annotations

import copy
import json
from itertools import product
from typing import Any

import pytest
from helpers.histories import assistant, paper, result, use, user
from helpers.history_cases import ROWS
from helpers.provider_words import PROVIDERS
from helpers.support import JsonObject, for_each, for_each_at_once
from hypothesis import HealthCheck, given, settings, strategies as st

from toolgen_transcripts import ToolCall, ToolResult, Turn, check, codec_for, explain_provider_error, repair
from toolgen_transcripts.codec.wrapped import WRAPPED
from toolgen_transcripts.rules.history.documents import is_legal, legal_name
from toolgen_transcripts.rules.request import Request

Message = dict[str, Any]
MODELS = {
    "bedrock": [
        None,
        "anthropic.claude-3-7-sonnet-20250219-v1:0",
        "us.anthropic.claude-opus-4-6-v1",
        "meta.llama3-1-70b-instruct-v1:0",
        "us.meta.llama3-2-90b-instruct-v1:0",
        "mistral.mistral-large-2407-v1:0",
        "amazon.nova-pro-v1:0",
        "us.mistral.pixtral-large-2502-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
    "anthropic": [None, "claude-3-haiku-20240307", "claude-sonnet-4-5"],
    "openai": [None, "mistral-large-latest", "deepseek-v4-pro"],
    "openai_responses": [None],
    "gemini": [None, "gemini-3-pro-preview"],
    "gemini_interactions": [None],
}
IDS = st.sampled_from(["t1", "t2", "t3", "t1_1", "bad id!", "x" * 70, "", None])
NAMES = st.sampled_from(["f", "get_weather", "a.b", "", "天気"])
TEXTS = st.sampled_from(["", "  ", "hi", "done \n"])
JSON = st.sampled_from([{}, {"a": 1}, {WRAPPED: [1]}, [1], "s", None, 3])


def some(pairs: JsonObject) -> JsonObject:
    """Without what is None: a null is an absent key."""
    return {k: v for k, v in pairs.items() if v is not None}


CALL = {"id": "t2", "type": "custom", "custom": {"name": "f", "input": "x"}}
CUSTOM = {"type": "custom_tool_call", "call_id": "t2", "name": "f", "input": "x"}
SOURCES: tuple[Message, ...] = ({"bytes": b"x"}, {"s3Location": {"uri": "s3://b/k"}})
MEDIA: list[Message] = [
    {"image": {"format": "png", "source": {"bytes": b"x"}}},
    {"video": {"format": "mp4", "source": {"bytes": b"x"}}},
    *(paper(name, source=source) for name in ("d", "a.pdf", "報告.pdf", "d  e") for source in SOURCES),
]
INNER = [*MEDIA, {"json": {}}, {"json": [1]}, {"text": " "}]
OTHERS: dict[str, list[Message]] = {
    "bedrock": [
        *MEDIA,
        {"cachePoint": {"type": "default"}},
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
        *(result("t1", block, status=status) for block in INNER for status in ("error", "success")),
        {"toolResult": {"toolUseId": "t2", "content": [], "status": "error"}},
        {"toolUse": {"toolUseId": "t1", "name": "f"}},
    ],
    "anthropic": [
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "tool_result", "tool_use_id": "t1", "content": [], "is_error": True},
    ],
    "openai": [CALL, {"role": "tool", "tool_call_id": "t2", "content": ""}],
    "openai_responses": [
        {"type": "reasoning", "id": "rs", "summary": []},
        CUSTOM,
        {"type": "custom_tool_call_output", "call_id": "t2", "output": "x"},
    ],
    "gemini": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}],
    "gemini_interactions": [],
}
"""What else a message of a provider may have."""


@st.composite
def histories(draw: Any, provider: str) -> list[Message]:
    words = PROVIDERS[provider]
    messages: list[Message] = []
    for _ in range(draw(st.integers(0, 7))):
        parts: list[Message] = []
        for kind in draw(st.lists(st.sampled_from("tccrro"), max_size=4)):
            part = words.text(draw(TEXTS))
            if kind == "c":
                part = words.call(draw(IDS))
                called = next((part[k] for k in ("function", "functionCall", "toolUse") if k in part), part)
                key = next(key for key in ("input", "args", "arguments") if key in called)
                payload = draw(JSON)
                called |= {"name": draw(NAMES)}
                called[key] = json.dumps(payload) if isinstance(called[key], str) else payload
            elif kind == "r":
                part = words.result(draw(IDS))
            elif kind == "o" and OTHERS[provider]:
                part = draw(st.sampled_from(OTHERS[provider]))
            parts.append(part)
        messages += words.said(*parts) if draw(st.booleans()) else words.answered(*parts)
    return copy.deepcopy(messages)


HISTORIES = {provider: histories(provider) for provider in OTHERS}


def turns_of(messages: list[Message], provider: str) -> tuple[Turn, ...]:
    return Request.of(messages, provider).turns


def calls_of(messages: list[Message], provider: str) -> list[ToolCall]:
    return [c for t in turns_of(messages, provider) if t.role == "assistant" for c in t.calls]


def results_of(messages: list[Message], provider: str) -> list[ToolResult]:
    return [r for t in turns_of(messages, provider) for r in t.results]


def is_made_up(result: ToolResult) -> bool:
    return "no result was recorded" in json.dumps([getattr(b, "text", "") for b in result.content])


@pytest.mark.parametrize("provider", HISTORIES)
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_repair_by_properties(provider: str, data: st.DataObject) -> None:
    messages = data.draw(HISTORIES[provider])
    model = data.draw(st.sampled_from(MODELS[provider]))
    more: JsonObject = {
        "model": model,
        "thinking": data.draw(st.sampled_from([None, True])),
        "moved": data.draw(st.booleans()),
    }
    before = copy.deepcopy(messages)
    broken = check(messages, provider, **more)
    repaired = repair(messages, provider, **more)
    assert messages == before
    assert repaired.remaining == ()
    assert check(repaired.messages, provider, **more) == []
    assert repair(before, provider, **more) == repaired
    again = repair(repaired.messages, provider, **more)
    assert (again.messages, again.changes) == (repaired.messages, ())
    assert bool(repaired.changes) == bool(broken)
    if not broken:
        assert repaired.messages == messages
    if 42 not in {c.rule for c in repaired.changes}:  # which sends calls as text
        no_call_disappears(messages, repaired, provider)


def test_thinking_is_judged_of_what_is_sent() -> None:
    """A user's message that says nothing goes; then the calls before it are the last, and lack their thinking."""
    blank: list[Message] = [{"role": "user", "content": []}, {"role": "user", "content": [{"text": ""}]}]
    use = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
    messages: list[Message] = [{"role": "assistant", "content": [use]}, *blank]
    repaired = repair(messages, "bedrock", thinking=True)
    assert repaired.remaining == ()
    assert not calls_of(repaired.messages, "bedrock")


def no_call_disappears(messages: list[Message], repaired: Any, provider: str) -> None:
    """As many calls as before in the same order; every made-up result is logged, says so and is an error."""
    old, new = calls_of(messages, provider), calls_of(repaired.messages, provider)
    assert len(new) == len(old)
    assert [c.input for c in new] == [c.input for c in old] or 17 in {c.rule for c in repaired.changes}
    made = [r for r in results_of(repaired.messages, provider) if is_made_up(r)]
    assert len(made) == sum(c.action == "error result added" for c in repaired.changes)
    if provider in ("anthropic", "gemini"):
        assert all(r.is_error for r in made)
    gone = ("dropped", "turned into text")
    dropped = sum(c.rule in (1, 5) and any(word in c.action for word in gone) for c in repaired.changes)
    lost = len(results_of(messages, provider)) - (len(results_of(repaired.messages, provider)) - len(made))
    assert lost == 0 or dropped


TOOLS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "inputSchema": st.sampled_from(
            [
                {"json": s}
                for s in (
                    {"type": "object"},
                    {},
                    {"type": "array", "items": {}},
                    {"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]},
                    {"type": "object", "properties": {"a": {"type": "strange"}}, "anyOf": []},
                    {"type": "object", "properties": {"a": {"minLength": -1}}, "additionalProperties": False},
                    {
                        "type": "object",
                        "properties": {f"p{i}": {"type": ["null", "string"]} for i in range(9)},
                        "additionalProperties": False,
                    },
                )
            ]
        ),
    },
    optional={"description": st.sampled_from(["", "Does."]), "strict": st.booleans()},
)


@given(
    specs=st.lists(TOOLS, max_size=3, unique_by=lambda spec: spec["name"]),
    choice=st.sampled_from([None, {"auto": {}}, {"any": {}}, {"tool": {"name": "a.b"}}]),
    point=st.booleans(),
    model=st.sampled_from(MODELS["bedrock"]),
    thinking=st.booleans(),
    messages=HISTORIES["bedrock"],
)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_repair_mends_the_tools_too(
    specs: list[Message], choice: Any, point: bool, model: str | None, thinking: bool, messages: list[Message]
) -> None:
    tools = some({"tools": [{"toolSpec": s} for s in specs], "toolChoice": choice})
    if point:
        tools["tools"].append({"cachePoint": {"type": "default"}})
    before = copy.deepcopy(tools)
    more: JsonObject = {"model": model, "thinking": thinking}
    repaired = repair(messages, "bedrock", tools=tools, **more)
    assert tools == before
    assert repaired.remaining == ()
    assert check(repaired.messages, "bedrock", tools=repaired.tools, **more) == []
    again = repair(repaired.messages, "bedrock", tools=repaired.tools, **more)
    assert (again.messages, again.tools, again.changes) == (repaired.messages, repaired.tools, ())


@for_each_at_once(ROWS["repaired"])
def test_policies(case: Any, provider: Any, more: Any, messages: Any, wanted: Any) -> None:
    before = copy.deepcopy(messages)
    repaired = repair(messages, provider, **more)
    assert messages == before
    assert repaired.messages == wanted
    assert repaired.changes
    assert repaired.remaining == ()
    assert check(wanted, provider, **more) == []
    assert repair(wanted, provider, **more).changes == ()


def test_names_are_renamed_alike_in_tools_choice_and_history() -> None:
    tools = {
        "tools": [
            {"toolSpec": {"name": n, "inputSchema": {"json": {"type": "object"}}}} for n in ("a.b", "a_b")
        ],
        "toolChoice": {"tool": {"name": "a.b"}},
    }
    messages = [user("a"), assistant(use("t1", "a.b"), use("t2", "a_b")), user(result("t1"), result("t2"))]
    repaired = repair(messages, "bedrock", tools=tools)
    wire = codec_for("bedrock").encode_name("a.b")
    assert [t["toolSpec"]["name"] for t in repaired.tools["tools"]] == [wire, "a_b"]
    assert repaired.tools["toolChoice"] == {"tool": {"name": wire}}
    assert [c.name for c in calls_of(repaired.messages, "bedrock")] == [wire, "a_b"]


def test_a_given_codec_leads_back_from_what_was_renamed() -> None:
    codec, long, odd = codec_for("bedrock"), "long." * 20, "odd id"
    messages = [user("a"), assistant(use(odd, long)), user(result(odd))]
    (call,) = calls_of(repair(messages, "bedrock", codec=codec).messages, "bedrock")
    assert call.id is not None
    assert (codec.decode_name(call.name), codec.decode_id(call.id)) == (long, odd)
    mistral = repair(messages, "bedrock", codec=codec, model="mistral.mistral-large-2407-v1:0")
    assert mistral.remaining == ()


def test_changes_name_the_place_in_the_messages_as_given() -> None:
    messages = [user("a"), user("b"), assistant(use("t1")), user("c"), user(result("t9"))]
    changes = [(c.rule, c.place, c.ids) for c in repair(messages, "bedrock").changes]
    assert changes == [(2, "messages.2", ("t1",)), (1, "messages.4", ("t9",)), (12, "messages.1", ())]


@for_each(
    product(
        [{}, {"tool_call_id": None}, {"tool_call_id": ""}], ["gpt-5", "mistral-large-latest", "glm-4.7", None]
    )
)
def test_a_result_that_names_only_its_tool_gets_the_id_of_its_call(id: JsonObject, model: str | None) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]}]
    fixed = repair([*asked, {"role": "tool", "name": "f", "content": "ok", **id}], "openai", model=model)
    assert fixed.remaining == ()
    _, said, result = fixed.messages
    assert (result["content"], result["tool_call_id"]) == ("ok", said["tool_calls"][0]["id"])
    again = repair(fixed.messages, "openai", model=model)
    assert (again.messages, again.changes) == (fixed.messages, ())


@for_each(
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
    ]
)
def test_a_documents_name_stays_as_near_as_it_may(name: str, legal: str) -> None:
    assert not is_legal(name)
    assert legal_name(name).strip("_") == legal.strip("_")
    assert is_legal(legal_name(name))


def test_the_newest_cache_points_stay_beside_those_of_the_request() -> None:
    point = {"cachePoint": {"type": "default"}}
    messages = [
        user("q", point),
        assistant("q", point),
        user("q", point),
        assistant("q", point),
        user("q", point),
    ]
    tools = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}, point]}
    request = {"messages": messages, "toolConfig": tools, "system": [{"text": "q"}, point]}
    repaired = repair(request, "bedrock")
    assert [m["content"][1:] for m in repaired.messages] == [[], [], [], [point], [point]]
    assert (repaired.tools, repaired.system) == (tools, request["system"])


def strict(count: int, optional: int, kind: Any) -> Message:
    properties = {f"p{i}": {"type": kind} for i in range(optional)}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"tools": [{"name": f"f{i}", "strict": True, "input_schema": schema} for i in range(count)]}


@for_each(
    [
        (25, 0, "string", 20, {39}),
        (6, 5, "string", 4, {39}),
        (20, 1, "string", 20, set()),
        (1, 25, "string", 0, {39}),
        (2, 9, ["null", "string"], 1, {26}),
    ]
)
def test_tools_over_the_limits_are_sent_without_strict(
    count: int, optional: int, kind: Any, kept: int, rules: set[int]
) -> None:
    tools = strict(count, optional, kind)
    repaired = repair([{"role": "user", "content": "q"}], "anthropic", tools=tools)
    assert ["strict" in tool for tool in repaired.tools["tools"]] == [i < kept for i in range(count)]
    assert [tool["name"] for tool in repaired.tools["tools"]] == [tool["name"] for tool in tools["tools"]]
    assert {c.rule for c in repaired.changes} == rules
    assert not repaired.remaining


def test_a_long_description_is_left_alone() -> None:
    """api.openai.com took 15,664 characters in December 2025, for gpt-4o-2024-08-06."""
    function = {"name": "f", "description": "x" * 15_664, "parameters": {"type": "object"}}
    tools = {"tools": [{"type": "function", "function": function}]}
    assert check([{"role": "user", "content": "q"}], "openai", tools=tools, model="gpt-4o-2024-08-06") == []
    explained = explain_provider_error("Invalid 'tools[0].function.description': string too long.")
    assert explained.slug == "long-description"


@for_each(["gpt-5", "deepseek-v4-pro"])
def test_arguments_that_json_does_not_have_are_repaired_at_once(model: str) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": {1}}}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "r"},
    ]
    fixed = repair(messages, "openai", model=model)
    assert fixed.changes
    assert not repair(fixed.messages, "openai", model=model).changes
