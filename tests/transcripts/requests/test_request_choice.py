"""The choice of a whole request is read from each API's form; what is not read is kept, or named in a diagnostic."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import JsonObject, for_each, table

from toolgen_transcripts import encode_request

ASKED: dict[str, JsonObject] = {
    "anthropic": {"messages": [{"role": "user", "content": "q"}], "max_tokens": 40_000},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "q"}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
    "openai": {"messages": [{"role": "user", "content": "q"}]},
    "openai_responses": {"input": [{"role": "user", "content": "q"}]},
}

SCHEMA = {"type": "object", "properties": {}}
CHOICES = table("provider_tools.json")["provider_tools"]["choices of requests"]
TOOLS: dict[str, JsonObject] = {
    "anthropic": {"tools": [{"name": "f", "input_schema": SCHEMA}]},
    "bedrock": {"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]}},
    "gemini": {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": SCHEMA}]}]},
    "openai": {"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]},
    "openai_responses": {"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]},
}


NAMES = ("f", "g")
THREE = [{"type": "function", "name": name, "parameters": SCHEMA} for name in (*NAMES, "h")]
SOME: dict[str, JsonObject] = {
    "openai_responses": {
        "type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": name} for name in NAMES]
    },
    "openai": {
        "type": "allowed_tools",
        "allowed_tools": {
            "mode": "auto", "tools": [{"type": "function", "function": {"name": name}} for name in NAMES]
        },
    },
    "gemini": {"mode": "VALIDATED", "allowedFunctionNames": [*NAMES]},
    "gemini_interactions": {"allowed_tools": {"mode": "auto", "tools": [*NAMES]}},
}  # fmt: skip
"""The choice of two tools of three, in the form of each API that has it."""
PLACE: dict[str, tuple[str, ...]] = {
    "gemini": ("toolConfig", "functionCallingConfig"),
    "gemini_interactions": ("generation_config", "tool_choice"),
}
"""Where the choice stands, if it is not `tool_choice`."""


def chosen(request: Any, provider: str) -> Any:
    for key in PLACE.get(provider, ("tool_choice",)):
        request = request[key]
    return request


@pytest.mark.parametrize("provider", SOME)
def test_a_choice_of_several_tools_goes_from_api_to_api(provider: str) -> None:
    given = {**ASKED["openai_responses"], "tools": THREE, "tool_choice": SOME["openai_responses"]}
    made = encode_request(given, None, provider, model="gpt-5", origin="openai_responses")
    assert chosen(made.request, provider) == SOME[provider]
    back = encode_request(made.request, None, "openai", model="gpt-5", origin=provider)
    assert back.request["tool_choice"] == SOME["openai"]


@for_each(["anthropic", "bedrock"])
def test_an_api_without_a_choice_of_several_tools_gets_the_mode_and_says_so(provider: str) -> None:
    given = {**ASKED["openai_responses"], "tools": THREE, "tool_choice": SOME["openai_responses"]}
    made = encode_request(given, None, provider, model="claude-sonnet-4-6", origin="openai_responses")
    assert [each.code for each in made.diagnostics] == ["setting-dropped"]


def test_a_custom_tool_is_chosen_as_one() -> None:
    choice = {"type": "custom", "name": "sql"}
    given = {**ASKED["openai_responses"], "tools": [{"type": "custom", "name": "sql"}], "tool_choice": choice}
    made = encode_request(given, None, "openai_responses", model="gpt-5", origin="openai_responses")
    assert made.request["tool_choice"] == choice
    made = encode_request(given, None, "openai", model="gpt-5", origin="openai_responses")
    assert made.request["tool_choice"] == {"type": "custom", "custom": {"name": "sql"}}


def test_a_choice_of_the_provider_itself_has_the_names_that_are_sent() -> None:
    tools = [{"type": "function", "name": name, "parameters": SCHEMA} for name in ("a.b", "c")]
    listed = [{"type": "function", "name": name} for name in ("a.b", "c")]
    choice = {"type": "allowed_tools", "mode": "required", "tools": listed}
    given = {**ASKED["openai_responses"], "tools": tools, "tool_choice": choice}
    made = encode_request(given, None, "openai_responses", model="gpt-5", origin="openai_responses").request
    names = [tool["name"] for tool in made["tools"]]
    assert names[0] != "a.b"
    assert [tool["name"] for tool in made["tool_choice"]["tools"]] == names


AS_CHAT = {"f": {"type": "function", "function": {"name": "f"}}}


@for_each(CHOICES)
def test_the_choice_of_a_request_is_read(origin: str, members: JsonObject, wanted: str) -> None:
    tools = TOOLS[origin]
    if origin == "bedrock":
        tools = {"toolConfig": {**tools["toolConfig"], **members["toolConfig"]}}
    given = {**ASKED[origin], **members, **tools}
    made = encode_request(given, None, "openai", model="gpt-5", origin=origin)
    assert made.request["tool_choice"] == AS_CHAT.get(wanted, wanted)
    given_by_hand = encode_request(given, None, "openai", model="gpt-5", origin=origin, choice="auto")
    assert given_by_hand.request["tool_choice"] == "auto"


@for_each(
    [
        ("anthropic", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ("openai_responses", {"tool_choice": {"type": "web_search_preview"}}),
        ("openai_responses", {"reasoning": {"effort": "low", "summary": "auto"}}),
        ("gemini", {"toolConfig": {"retrievalConfig": {"languageCode": "en"}}}),
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}}),
        ("openai", {"logit_bias": {"1": 2}}),
    ]
)
def test_what_is_not_read_is_named_and_goes_back_to_its_own(origin: str, members: JsonObject) -> None:
    given = {**ASKED[origin], **TOOLS[origin], **members}
    other = "openai" if origin != "openai" else "anthropic"
    made = encode_request(given, None, other, model="gpt-5.2", origin=origin)
    assert "setting-dropped" in {each.code for each in made.diagnostics}
    own = encode_request(given, None, origin, model="claude-sonnet-4-6", origin=origin)
    (key,) = members
    assert own.request[key].items() >= members[key].items()


def test_tools_of_the_provider_go_back_to_it() -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    given = {**ASKED["anthropic"], "tools": [search]}
    forced: list[JsonObject] = [{"type": "any"}, {"type": "tool", "name": "web_search"}]
    for request in (given, *({**given, "tool_choice": choice} for choice in forced)):
        own = encode_request(request, None, "anthropic", model="m", origin="anthropic").request
        assert own == {**request, "model": "m"}
    made = encode_request(given, None, "bedrock", model="m", origin="anthropic")
    assert [each.code for each in made.diagnostics] == ["tool-dropped"]
