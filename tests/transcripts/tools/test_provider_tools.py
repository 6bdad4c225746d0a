"""Tool definitions to every provider and back; what is lowered accepts no less, and says what it lost."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from helpers.providers import MODULES, assert_botocore_takes, unchecked_tool
from helpers.support import TEXT, for_each, for_each_at_once, needs_servers, obj, servers, table

from toolgen import compile_tools
from toolgen_runtime import Toolset
from toolgen_transcripts import anthropic, bedrock, check, codec_for, gemini, mcp, openai, openai_responses
from toolgen_transcripts.codec.members import at_path
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.codec.wrapped import WRAPPED, encode_input
from toolgen_transcripts.tools.schemas import object_schema

ALL = {**MODULES, "mcp": mcp}
CITY = obj("city", city=TEXT)
CLOSED = {**CITY, "additionalProperties": False}
FOR_BEDROCK = {"flat": True, "property_names": r"[a-zA-Z0-9_.-]{1,64}"}


def toolset(*specs: tuple[str, Any]) -> Toolset:
    return compile_tools([{"name": n, "description": f"Does {n}.", "schema": s} for n, s in specs])


WEATHER = toolset(("get_weather", CITY), ("a.b", CITY))


def codes(lowered: Any) -> list[tuple[str, str]]:
    return [(d.code, d.tool) for d in lowered.diagnostics]


@pytest.mark.parametrize("provider", ALL)
def test_no_tools_are_none(provider: str) -> None:
    assert ALL[provider].encode_tools({}) is None
    assert ALL[provider].encode_tools({}, choice="auto", thinking=True) is None
    with pytest.raises(TypeError, match=r"not dict: pass compile_tools"):
        ALL[provider].encode_tools([{"name": "f", "inputSchema": {}}])


CASES = table("provider_tools.json")["provider_tools"]


@pytest.mark.parametrize("provider", ALL)
def test_a_plain_tool_goes_as_it_is(provider: str) -> None:
    lowered = ALL[provider].lower_tools(toolset(("f", CITY)))
    assert lowered.block == CASES["shapes"][provider]
    assert lowered.diagnostics == ()


@for_each_at_once(CASES["choices"])
def test_the_choice(provider: Any, choice: Any, thinking: Any, sent: Any, code: Any) -> None:
    lowered = ALL[provider].lower_tools(toolset(("get_weather", CITY)), choice=choice, thinking=thinking)
    block = dict(lowered.block)
    key = {"bedrock": "toolChoice", "gemini": "toolConfig"}.get(provider, "tool_choice")
    found = block.get(key)
    assert (found["functionCallingConfig"] if provider == "gemini" else found) == sent
    assert [d.code for d in lowered.diagnostics] == ([code] if code else [])


def test_a_choice_is_renamed_like_its_tool() -> None:
    block = bedrock.encode_tools(WEATHER, choice="a.b")
    assert block["toolChoice"]["tool"]["name"] == block["tools"][1]["toolSpec"]["name"] != "a.b"


@for_each_at_once(CASES["several"])
def test_a_choice_of_several_tools(provider: Any, choice: Any, sent: Any, code: Any) -> None:
    lowered = ALL[provider].lower_tools(toolset(("a", CITY), ("b", CITY), ("c", CITY)), choice=choice)
    found = at_path(lowered.block, wire_of(provider).tools.choice_path)
    assert found == sent
    assert [d.code for d in lowered.diagnostics] == ([code] if code else [])


def test_several_tools_are_not_forced_while_the_model_thinks() -> None:
    lowered = openai_responses.lower_tools(WEATHER, choice=["get_weather", "a.b"], thinking=True)
    assert lowered.block["tool_choice"]["mode"] == "auto"
    assert "choice-thinking" in [d.code for d in lowered.diagnostics]
    sent = [tool["name"] for tool in lowered.block["tool_choice"]["tools"]]
    assert sent == [tool["name"] for tool in lowered.block["tools"]] != ["get_weather", "a.b"]


@for_each(
    [
        ("anthropic", ["get_weather", "a.b"], "anthropic cannot limit a choice"),
        ("bedrock", {"tools": ["get_weather"], "mode": "auto"}, "bedrock cannot limit a choice"),
        ("mcp", ["get_weather", "a.b"], "mcp cannot limit a choice"),
        ("openai", ["get_weather", "get_wether"], "no tool named 'get_wether'"),
        ("openai", [], "no tool in the list"),
        ("openai", {"tools": ["a.b"], "mode": "none"}, "no mode 'none'"),
        *(("bedrock", choice, "no tool named") for choice in ("get_wether", {"tool": "auto"}, {})),
    ]
)
def test_a_choice_that_cannot_be_sent_is_an_error(provider: str, choice: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ALL[provider].encode_tools(WEATHER, choice=choice)


def test_a_tool_named_like_a_choice_can_be_chosen() -> None:
    named = toolset(("none", CITY))
    block = openai.encode_tools(named, choice={"tool": "none"})
    assert block["tool_choice"] == {"type": "function", "function": {"name": "none"}}


@pytest.mark.parametrize("provider", ALL)
def test_odd_names_are_legal_distinct_and_come_back(provider: str) -> None:
    names = ["a.b", "a_b", "a b", "天気", "x" * 200, "9lives", "a-2e-b", ""]
    tools = {name: unchecked_tool(name, {}) for name in names}
    codec = codec_for(provider)
    lowered = ALL[provider].lower_tools(tools, codec=codec)
    wire = [codec.encode_name(n) for n in names]
    assert all(wire_of(provider).name_rule.legal(w) for w in wire)
    assert len(set(wire)) == len(names)
    assert [d.name for d in ALL[provider].decode_tools(lowered.block, codec=codec)] == names
    renamed = {d.tool for d in lowered.diagnostics if d.code == "renamed"}
    assert renamed == {n for n, w in zip(names, wire, strict=True) if n != w}


@pytest.mark.parametrize("provider", ALL)
def test_an_empty_description_is_not_sent_empty_where_that_is_refused(provider: str) -> None:
    block = str(ALL[provider].encode_tools({"f": unchecked_tool("f", {"type": "object"})}))
    assert ("description" in block) == (provider == "gemini")


# ---- schemas ---------------------------------------------------------------------------------------------


# payloads are valid under the schema: they must still be accepted
@for_each(CASES["lowered"])
def test_lowering_accepts_no_less(schema: Any, losses: list[str], payloads: list[Any]) -> None:
    before = copy.deepcopy(schema)
    lowered, lost = object_schema(schema, **FOR_BEDROCK)
    assert [x.code for x in lost] == losses
    assert schema == before
    assert lowered["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "$schema"} & lowered.keys()
    jsonschema.Draft202012Validator.check_schema(lowered)
    wrapped = losses == ["root-wrapped"]
    for payload in payloads:
        sent = {WRAPPED: payload} if wrapped else encode_input(payload)
        jsonschema.Draft202012Validator(lowered).validate(sent)


@for_each(product([CITY, {"type": "array", "items": {"$ref": "#/$defs/N"}, "$defs": {"N": CLOSED}}], ALL))
def test_definitions_come_back(schema: Any, provider: str) -> None:
    tools = toolset(("f", schema))
    (back,) = ALL[provider].decode_tools(ALL[provider].encode_tools(tools))
    assert (back.name, back.description, back.schema, back.strict) == ("f", "Does f.", schema, False)


def test_a_wrapped_root_that_refers_to_itself_comes_back() -> None:
    schema = {
        "type": "array",
        "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/items/anyOf/2"}, {"type": "null"}]},
    }
    (back,) = bedrock.decode_tools(bedrock.encode_tools(toolset(("f", schema))))
    assert back.schema == schema


# a schema, is it strict with OpenAI, with Claude, codes of Claude's losses
@for_each(CASES["strict"])
def test_strict_never_accepts_less(
    schema: Any, with_openai: bool, with_claude: bool, losses: list[str]
) -> None:
    tools = toolset(("f", schema))
    (chat,) = openai.decode_tools(openai.encode_tools(tools, strict=True))
    lowered = bedrock.lower_tools(tools, strict=True)
    (converse,) = bedrock.decode_tools(lowered.block)
    assert (chat.strict, converse.strict) == (with_openai, with_claude)
    assert [d.code for d in lowered.diagnostics] == losses
    for definition in (chat, converse):
        validator = jsonschema.Draft202012Validator(definition.schema)
        assert validator.is_valid({"city": "Oslo"}) or schema["properties"]["city"] != TEXT


@pytest.mark.parametrize(("optional", "tools", "strict"), [(0, 25, 20), (30, 1, 0), (24, 1, 1), (5, 6, 4)])
@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_no_more_is_sent_strict_than_a_request_may_have(
    provider: str, optional: int, tools: int, strict: int
) -> None:
    properties = {f"p{i}": TEXT for i in range(optional)}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    given = toolset(*[(f"t{i}", schema) for i in range(tools)])
    lowered = ALL[provider].lower_tools(given, strict=True)
    assert sum(d.strict for d in ALL[provider].decode_tools(lowered.block)) == strict
    assert codes(lowered) == [("strict-limit", f"t{i}") for i in range(strict, tools)]
    block = {"text": "Hello."} if provider == "bedrock" else {"type": "text", "text": "Hello."}
    hello = [{"role": "user", "content": [block]}]
    assert check(hello, provider, tools=lowered.block) == []


@for_each(["gemini", "mcp"])
def test_strict_where_there_is_none_is_said(provider: str) -> None:
    assert codes(ALL[provider].lower_tools(toolset(("f", CLOSED)), strict=True)) == [
        ("strict-unsupported", "")
    ]


# ---- against the real SDKs' own types --------------------------------------------------------------------


def odd_toolset() -> Toolset:
    return toolset(*[(f"tool {i}", schema) for i, (schema, _, _) in enumerate(CASES["lowered"])])


@for_each(product(["auto", "required", "none", "tool 0"], [False, True]))
def test_botocore_takes_the_tool_config(choice: str, strict: bool) -> None:
    block = bedrock.encode_tools(odd_toolset(), choice=choice, strict=strict)
    assert_botocore_takes({"modelId": "m", "toolConfig": block})


@for_each(
    [
        ("openai", "openai.types.chat", "ChatCompletionToolParam", "ChatCompletionToolChoiceOptionParam"),
        ("openai_responses", "openai.types.responses", "FunctionToolParam", "ToolChoiceFunctionParam"),
        ("anthropic", "anthropic.types", "ToolParam", "ToolChoiceParam"),
    ]
)
def test_the_sdks_types_take_the_tools(provider: str, module: str, tool: str, choice: str) -> None:
    from pydantic import TypeAdapter

    types = pytest.importorskip(module, reason="the SDK is not installed")
    block = ALL[provider].encode_tools(odd_toolset(), choice="tool 1", strict=True)
    TypeAdapter(list[getattr(types, tool)]).validate_python(block["tools"], strict=True)
    TypeAdapter(getattr(types, choice)).validate_python(block["tool_choice"])


@needs_servers
@pytest.mark.parametrize("provider", ALL)
def test_tools_of_real_servers_go_everywhere(provider: str) -> None:
    """Every tool of the real servers: an object root, a legal name, a schema that is one."""
    for stem, specs in servers().items():
        tools = {spec["name"]: unchecked_tool(spec["name"], spec["inputSchema"]) for spec in specs}
        codec = codec_for(provider)
        lowered = ALL[provider].lower_tools(tools, codec=codec)
        back = ALL[provider].decode_tools(lowered.block, codec=codec)
        assert [d.name for d in back] == list(tools), stem
        for definition in back:
            assert isinstance(definition.schema, dict)
            assert definition.schema["type"] == "object"
            assert jsonschema_rs.meta.is_valid(definition.schema)


# ---- definitions from one provider to another ----

CLAUDE_TOOLS: Any = CASES["claude_tools"]
RESPONSES_TOOLS: Any = CASES["responses_tools"]


def test_what_only_one_provider_can_say_of_a_tool_is_a_diagnostic_to_another() -> None:
    read = anthropic.read_tools(CLAUDE_TOOLS)
    assert [(d.code, "web_search_20250305" in d.message) for d in read.diagnostics] == [
        ("tool-dropped", True)
    ]
    lowered = bedrock.lower_tools(read.definitions)
    (lost,) = lowered.diagnostics
    assert lost.code == "field-dropped"
    for field in ("input_examples", "defer_loading", "allowed_callers", "eager_input_streaming"):
        assert field in lost.message
    assert lowered.block["tools"][1] == {"cachePoint": {"type": "default", "ttl": "1h"}}
    back = anthropic.encode_tools(bedrock.decode_tools(lowered.block))
    assert back["tools"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_definitions_go_back_to_their_own_provider_as_they_came() -> None:
    block = anthropic.encode_tools(anthropic.decode_tools(CLAUDE_TOOLS))
    assert block["tools"] == CLAUDE_TOOLS["tools"][:1]
    again = openai_responses.encode_tools(openai_responses.decode_tools(RESPONSES_TOOLS))
    assert [tool["name"] for tool in again["tools"]] == ["crm", "hr", "sql"]
    assert again["tools"][0]["description"] == "crm of ours"
    assert again["tools"][0]["tools"][0]["defer_loading"] is True
    assert again["tools"][2] == RESPONSES_TOOLS["tools"][2]


def test_tools_of_namespaces_and_custom_tools_go_to_others() -> None:
    definitions = openai_responses.decode_tools(RESPONSES_TOOLS)
    assert [d.name for d in definitions] == ["crm.get", "hr.get", "sql"]
    lowered = bedrock.lower_tools(definitions)
    assert [d.name for d in bedrock.decode_tools(lowered.block)] == ["crm.get", "hr.get", "sql"]
    assert bedrock.decode_tools(lowered.block)[2].schema == TEXT
    assert {d.tool for d in lowered.diagnostics if d.code == "field-dropped"} == {"crm.get", "hr.get", "sql"}


@for_each(product(["functionDeclarations", "function_declarations"], CASES["gemini_forms"]))
def test_gemini_schemas_are_read_in_every_form(key: str, form: dict[str, Any]) -> None:
    read = gemini.read_tools({"tools": [{key: [{"name": "f", **form}]}, {"googleSearch": {}}]})
    (defined,) = read.definitions
    assert defined.schema == obj(a={"type": ["integer", "null"]})
    assert [d.code for d in read.diagnostics] == ["tool-dropped"]
    block = gemini.encode_tools(read.definitions)
    (declared,) = block["tools"][0]["functionDeclarations"]
    assert set(declared) == {"name", "description", "parametersJsonSchema"}


@for_each(["anthropic", "bedrock"])
def test_a_model_that_rejects_forced_calls_chooses_freely(provider: str) -> None:
    key = "tool_choice" if provider == "anthropic" else "toolChoice"
    api = MODULES[provider]
    free, forced = (
        api.encode_tools(WEATHER, choice="required", model=f"claude-{name}")[key]
        for name in ("opus-5-5", "opus-5")
    )
    assert free in ({"type": "auto"}, {"auto": {}})
    assert forced in ({"type": "any"}, {"any": {}})
