"""Thinking and the choice of a whole request: read from each API's form, mapped, or named in a diagnostic."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest

from toolgen_runtime.providers.shared.thinking import EFFORTS, at_path
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.transcript import Settings, Transcript, encode_request

ASKED: dict[str, dict[str, Any]] = {
    "anthropic": {"messages": [{"role": "user", "content": "q"}], "max_tokens": 40_000},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "q"}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
    "openai": {"messages": [{"role": "user", "content": "q"}]},
    "openai_responses": {"input": [{"role": "user", "content": "q"}]},
}
FIELDS = "additionalModelRequestFields"
SAID: list[tuple[str, dict[str, Any], Any]] = [
    ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2000}}, 2000),
    ("anthropic", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}, "low"),
    ("anthropic", {"thinking": {"type": "adaptive"}}, "high"),
    ("anthropic", {"thinking": {"type": "disabled"}}, "none"),
    ("anthropic", {"output_config": {"effort": "low"}}, None),
    ("bedrock", {FIELDS: {"thinking": {"type": "enabled", "budget_tokens": 2000}}}, 2000),
    ("bedrock", {FIELDS: {"reasoning_config": {"type": "enabled", "budget_tokens": 2000}}}, 2000),
    ("bedrock", {FIELDS: {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}}, "high"),
    ("bedrock", {FIELDS: {"reasoningConfig": {"type": "disabled"}}}, "none"),
    ("bedrock", {FIELDS: {"reasoning_effort": "low"}}, "low"),
    ("bedrock", {FIELDS: {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}}, "max"),
    ("openai", {"reasoning_effort": "minimal"}, "minimal"),
    ("openai", {"reasoning_effort": "none"}, "none"),
    ("openai", {"extra_body": {"thinking": {"type": "enabled"}}}, True),
    ("openai", {"extra_body": {"enable_thinking": False}}, "none"),
    ("openai", {"reasoning": {"max_tokens": 3000}}, 3000),
    ("openai_responses", {"reasoning": {"effort": "xhigh"}}, "xhigh"),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 2000}}}, 2000),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}, "none"),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}}, True),
    ("gemini", {"config": {"thinking_config": {"thinking_level": "LOW"}}}, "low"),
]


def said_of(request: dict[str, Any], provider: str) -> Any:
    return wire_of(provider).request.thinking.read(request)[0]


@pytest.mark.parametrize(("origin", "members", "wanted"), SAID)
def test_to_its_own_provider_it_comes_back(origin: str, members: dict[str, Any], wanted: Any) -> None:
    given = {**ASKED[origin], **members}
    model = {"gemini": "gemini-9", "openai": "gpt-9", "openai_responses": "gpt-9"}.get(
        origin, "claude-opus-9"
    )
    if origin != "gemini" and isinstance(wanted, int) and wanted is not True:
        model = "claude-sonnet-4-6"  # which takes a budget
    if "reasoningConfig" in str(members) or "reasoning_effort" in str(members):
        model = "gpt-9" if origin == "openai" else "amazon.nova-2-lite-v1:0"
    made = encode_request(given, None, origin, model=model, origin=origin)
    changed = {each.code for each in made.diagnostics} & {"thinking-changed", "thinking-dropped"}
    assert said_of(made.request, origin) == wanted or changed


def test_what_the_caller_says_wins() -> None:
    given = {**ASKED["openai"], "reasoning_effort": "high"}
    made = encode_request(
        given, None, "anthropic", model="claude-sonnet-4-5", origin="openai", thinking=False
    )
    assert "thinking" not in made.request
    made = encode_request(given, None, "anthropic", model="claude-sonnet-4-5", origin="openai", thinking=1500)
    assert made.request["thinking"]["budget_tokens"] == 1500


def test_a_budget_is_less_than_the_limit() -> None:
    given = {**ASKED["openai"], "reasoning_effort": "high", "temperature": 0.2}
    for limit, budget in ((5000, 2500), (1500, None)):
        settings = {**given, "max_completion_tokens": limit}
        made = encode_request(settings, None, "anthropic", model="claude-sonnet-4-5", origin="openai")
        assert made.request.get("thinking", {}).get("budget_tokens") == budget
        codes = {each.code for each in made.diagnostics}
        assert ("thinking-dropped" if budget is None else "thinking-changed") in codes
        assert ("temperature" in made.request) is (budget is None)  # Claude takes none while it thinks
    own = encode_request(
        given, None, "anthropic", model="claude-sonnet-4-5", origin="openai", settings=Settings(temperature=1)
    )
    assert own.request["temperature"] == 1


SCHEMA = {"type": "object", "properties": {}}
CHOICES: list[tuple[str, dict[str, Any], Any]] = [
    ("anthropic", {"tool_choice": {"type": "any"}}, "required"),
    ("anthropic", {"tool_choice": {"type": "none"}}, "none"),
    ("anthropic", {"tool_choice": {"type": "tool", "name": "f"}}, "f"),
    ("bedrock", {"toolConfig": {"toolChoice": {"any": {}}}}, "required"),
    ("bedrock", {"toolConfig": {"toolChoice": {"tool": {"name": "f"}}}}, "f"),
    ("openai", {"tool_choice": "required"}, "required"),
    ("openai", {"tool_choice": {"type": "function", "function": {"name": "f"}}}, "f"),
    ("openai_responses", {"tool_choice": {"type": "function", "name": "f"}}, "f"),
    ("openai_responses", {"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": []}}, "required"),
    ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}, "required"),
    (
        "gemini",
        {"config": {"tool_config": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["f"]}}}},
        "f",
    ),
]  # fmt: skip
TOOLS: dict[str, dict[str, Any]] = {
    "anthropic": {"tools": [{"name": "f", "input_schema": SCHEMA}]},
    "bedrock": {"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]}},
    "gemini": {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": SCHEMA}]}]},
    "openai": {"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]},
    "openai_responses": {"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]},
}


def test_a_custom_tool_is_chosen_as_one() -> None:
    choice = {"type": "custom", "name": "sql"}
    given = {**ASKED["openai_responses"], "tools": [{"type": "custom", "name": "sql"}], "tool_choice": choice}
    made = encode_request(given, None, "openai_responses", model="gpt-5", origin="openai_responses")
    assert made.request["tool_choice"] == choice
    made = encode_request(given, None, "openai", model="gpt-5", origin="openai_responses")
    assert made.request["tool_choice"] == {"type": "custom", "custom": {"name": "sql"}}


AS_CHAT = {"f": {"type": "function", "function": {"name": "f"}}}


@pytest.mark.parametrize(("origin", "members", "wanted"), CHOICES)
def test_the_choice_of_a_request_is_read(origin: str, members: dict[str, Any], wanted: str) -> None:
    tools = TOOLS[origin]
    if origin == "bedrock":
        tools = {"toolConfig": {**tools["toolConfig"], **members["toolConfig"]}}
    given = {**ASKED[origin], **members, **tools}
    made = encode_request(given, None, "openai", model="gpt-5", origin=origin)
    assert made.request["tool_choice"] == AS_CHAT.get(wanted, wanted)
    given_by_hand = encode_request(given, None, "openai", model="gpt-5", origin=origin, choice="auto")
    assert given_by_hand.request["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("origin", "members"),
    [
        ("anthropic", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ("openai_responses", {"tool_choice": {"type": "web_search_preview"}}),
        ("openai_responses", {"reasoning": {"effort": "low", "summary": "auto"}}),
        ("gemini", {"toolConfig": {"retrievalConfig": {"languageCode": "en"}}}),
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}}),
        ("openai", {"logit_bias": {"1": 2}}),
    ],
)
def test_what_is_not_read_is_named_and_goes_back_to_its_own(origin: str, members: dict[str, Any]) -> None:
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
    forced: list[dict[str, Any]] = [{"type": "any"}, {"type": "tool", "name": "web_search"}]
    for request in (given, *({**given, "tool_choice": choice} for choice in forced)):
        own = encode_request(request, None, "anthropic", model="m", origin="anthropic").request
        assert own == {**request, "model": "m"}
    made = encode_request(given, None, "bedrock", model="m", origin="anthropic")
    assert [each.code for each in made.diagnostics] == ["tool-dropped"]


def _listed(provider: str) -> list[str]:
    """Return the efforts that the installed SDK's types list."""
    if provider.startswith("openai"):
        effort = pytest.importorskip("openai.types.shared.reasoning_effort").ReasoningEffort
        return [level for each in get_args(effort) for level in get_args(each)]
    if provider == "anthropic":
        module = pytest.importorskip("anthropic.types.output_config_param")
        hints = get_type_hints(module.OutputConfigParam)
        return [level for each in get_args(hints["effort"]) for level in get_args(each)]
    levels = pytest.importorskip("google.genai.types").ThinkingLevel
    return [level.value.lower() for level in levels if not level.value.endswith("UNSPECIFIED")]


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai", "openai_responses"])
def test_the_efforts_of_an_api_are_those_of_its_sdk(provider: str) -> None:
    assert list(wire_of(provider).request.efforts) == _listed(provider)
    assert set(wire_of(provider).request.efforts) <= set(EFFORTS)


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5-pro", "gpt-5.1", "gpt-7", "o3", "somebody/else"])
@pytest.mark.parametrize("effort", EFFORTS)
def test_no_model_is_sent_an_effort_that_the_api_lacks(model: str, effort: str) -> None:
    made = encode_request(Transcript(), None, "openai", model=model, thinking=effort)
    sent = made.request.get("reasoning_effort")
    assert sent is None or sent in wire_of("openai").request.efforts
    assert sent == effort or made.diagnostics


UNKNOWN = [
    ("openai", "gpt-5.2", ("reasoning_effort",), "thinking-unknown"),
    ("openai_responses", "gpt-5.2", ("reasoning", "effort"), "thinking-unknown"),
    ("anthropic", "claude-opus-4-7", ("output_config", "effort"), "thinking-unknown"),
    ("gemini", "gemini-3-pro", ("generationConfig", "thinkingConfig", "thinkingLevel"), "thinking-unknown"),
    ("anthropic", "claude-sonnet-4-20250514", ("thinking", "budget_tokens"), "thinking-changed"),
    (
        "gemini",
        "gemini-2.5-flash",
        ("generationConfig", "thinkingConfig", "thinkingBudget"),
        "thinking-changed",
    ),
    ("openai", "gpt-4.1", (), "thinking-dropped"),
]


@pytest.mark.parametrize(("provider", "model", "place", "code"), UNKNOWN)
def test_an_effort_that_nobody_knows_is_named(
    provider: str, model: str, place: tuple[str, ...], code: str
) -> None:
    settings = Settings(max_tokens=40_000)
    made = encode_request(Transcript(), None, provider, model=model, thinking="ultra", settings=settings)
    assert [d.code for d in made.diagnostics] == [code]
    assert "ultra" in made.diagnostics[0].message
    if code == "thinking-unknown":
        assert at_path(made.request, place) == "ultra"


def test_an_effort_is_read_in_any_case() -> None:
    made = encode_request(Transcript(), None, "openai", model="gpt-5", thinking="High")
    assert made.request["reasoning_effort"] == "high"
    assert made.diagnostics == ()
