"""Tools that come and go among the messages: kept for their provider; definitions are tools of another request."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.providers import MODULES
from helpers.support import JsonObject, for_each

from toolgen_transcripts import Transcript, check, encode_request, repair

BEDROCK: list[JsonObject] = [
    {"toolAddition": {"tool": {"type": "tool_reference", "name": "f"}}},
    {"toolRemoval": {"tool": {"type": "tool_reference", "name": "f"}}},
    {"toolAddition": {"tool": {"type": "mcp_tool_reference", "name": "g", "serverName": "s"}}},
    {"toolRemoval": {"tool": {"type": "mcp_toolset_reference", "serverName": "s"}}},
]
ANTHROPIC: list[JsonObject] = [
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}},
    {"type": "tool_addition", "tool": {"type": "mcp_tool_reference", "name": "g", "server_name": "s"}},
    {"type": "tool_removal", "tool": {"type": "mcp_toolset_reference", "server_name": "s"}},
]
OTHERS = ("gemini", "openai", "openai_responses")
MODEL = "claude-opus-4-8"


def history(blocks: list[JsonObject], provider: str) -> list[JsonObject]:
    text = {"text": "q"} if provider == "bedrock" else {"type": "text", "text": "q"}
    said = {"role": "user", "content": [text]}
    return [said, {"role": "assistant", "content": [text]}, {"role": "system", "content": blocks}, said]


@for_each([*(("bedrock", b) for b in BEDROCK), *(("anthropic", b) for b in ANTHROPIC)])
def test_it_stays_with_its_provider_and_is_named_to_another(provider: str, block: JsonObject) -> None:
    native = history([block], provider)
    transcript: Transcript = MODULES[provider].decode_messages(native)
    assert MODULES[provider].encode_messages(transcript).messages == native
    assert check(native, provider, model=MODEL) == []
    assert repair(native, provider, model=MODEL).messages == native
    for target in {"anthropic", "bedrock", *OTHERS} - {provider}:
        loss = MODULES[target].encode_messages(transcript).diagnostics[0]
        assert (loss.code, (block.get("type") or next(iter(block))) in loss.message) == (
            "opaque-dropped",
            True,
        )


CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
CLAUDES = {"name": "f", "description": "F.", "input_schema": CITY}
OPENAIS = {"type": "function", "name": "f", "description": "F.", "parameters": CITY, "strict": False}
SPACE = {"type": "namespace", "name": "crm", "description": "C.", "tools": [OPENAIS]}
CUSTOM = {"type": "custom", "name": "sql", "description": "SQL."}
SEARCH = {"type": "web_search"}


def claude_adds(*tools: JsonObject) -> list[JsonObject]:
    defined = [{"type": "tool_definition", "definition": tool} for tool in tools]
    return history([{"type": "tool_addition", "tool": tool} for tool in defined], "anthropic")


def openai_adds(*tools: JsonObject) -> list[JsonObject]:
    item = {"type": "additional_tools", "role": "developer", "id": "at_1", "tools": list(tools)}
    user = {"role": "user", "content": "q"}
    return [user, {"role": "assistant", "content": "a"}, item, user]


DEFINED: list[tuple[str, list[JsonObject], set[str]]] = [
    ("anthropic", claude_adds(CLAUDES), {"f"}),
    ("anthropic", claude_adds({**CLAUDES, "defer_loading": True}, {**CLAUDES, "name": "g"}), {"f", "g"}),
    ("openai_responses", openai_adds(OPENAIS), {"f"}),
    ("openai_responses", openai_adds(OPENAIS, CUSTOM), {"f", "sql"}),
    ("openai_responses", openai_adds(SPACE, SEARCH), {"crm.f"}),
]


@for_each(DEFINED)
def test_tools_that_are_defined_among_the_messages_reach_every_provider(
    source: str, native: list[JsonObject], names: set[str]
) -> None:
    transcript: Transcript = MODULES[source].decode_messages(native)
    assert MODULES[source].encode_messages(transcript).messages == native
    assert check(native, source, model=MODEL) == []
    assert repair(native, source, model=MODEL).messages == native
    for target in ("anthropic", "bedrock", "gemini", "openai", "openai_responses"):
        made = encode_request(native, None, target, model=MODEL, origin=source)
        request = {**made.request, **made.request.get("toolConfig", {})}
        read = MODULES[target].read_tools(request, codec=made.codec).definitions
        assert {tool.name for tool in read} == (set() if target == source else names)
        assert made.remaining == ()
        moved = {d.tool for d in made.diagnostics if d.code == "tool-change-moved"}
        assert moved == (set() if target == source else names)


@pytest.mark.parametrize("provider", ["anthropic", "openai_responses"])
@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ("required", {"anthropic": {"type": "any"}, "openai_responses": "required"}),
        ("none", {"anthropic": {"type": "none"}, "openai_responses": "none"}),
        (
            {"type": "function", "name": "f"},
            {
                "anthropic": {"type": "tool", "name": "f"},
                "openai_responses": {"type": "function", "name": "f"},
            },
        ),
    ],
)
def test_the_choice_among_tools_that_are_defined_among_the_messages_stays(
    provider: str, chosen: Any, wanted: JsonObject
) -> None:
    request = {"model": MODEL, "input": openai_adds(OPENAIS), "tool_choice": chosen}
    made = encode_request(request, None, provider, model=MODEL, origin="openai_responses")
    assert (made.request["tool_choice"], "tools" in made.request) == (
        wanted[provider],
        provider == "anthropic",
    )
    assert not [d for d in made.diagnostics if d.code.startswith("choice")]


def test_a_forced_choice_without_tools_is_named() -> None:
    made = encode_request(openai_adds(), None, "openai", model=MODEL, origin="openai", choice="required")
    assert [d.code for d in made.diagnostics if d.pointer == "/choice"] == ["choice-dropped"]


def test_what_stands_beside_a_definition_is_named() -> None:
    made = encode_request(
        openai_adds(OPENAIS, SEARCH), None, "bedrock", model=MODEL, origin="openai_responses"
    )
    named = " ".join(d.message for d in made.diagnostics)
    assert "no form for this additional_tools block" in named
    assert "web_search defines no tool" in named


def test_a_tool_that_the_request_defines_too_stays_as_it_is_there() -> None:
    request = {"tools": [{**OPENAIS, "description": "Its own."}], "input": openai_adds(OPENAIS)}
    made = encode_request(request, None, "openai", model=MODEL, origin="openai_responses")
    (tool,) = made.request["tools"]
    assert tool["function"]["description"] == "Its own."


def test_calls_of_tools_defined_among_the_messages_do_not_lack_tools() -> None:
    called: list[JsonObject] = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
    ]
    request = {"model": MODEL, "messages": [*claude_adds(CLAUDES), *called]}
    assert check(request, "anthropic") == []
    assert repair(request, "anthropic").messages == request["messages"]
    without = {"model": MODEL, "messages": [{"role": "user", "content": "q"}, *called]}
    assert [violation.rule for violation in check(without, "anthropic")] == [7]
