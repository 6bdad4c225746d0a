"""`strict="auto"`: schemas in a provider's strict subset, and the payloads back as they were meant."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from helpers.payloads import places
from helpers.providers import unchecked_tool as tool
from helpers.schemas import payloads, plain_schemas
from helpers.support import (
    JsonObject,
    bounded,
    for_each,
    for_each_at_once,
    needs_servers,
    same_json,
    servers,
    table,
)
from hypothesis import HealthCheck, given, settings, strategies as st

from toolgen_adapters.loop import results
from toolgen_runtime import Conversation, Registry
from toolgen_runtime.schema.raw import each_schema
from toolgen_transcripts import (
    EncodedRequest,
    ToolCall,
    anthropic,
    bedrock,
    check,
    codec_for,
    encode_request,
    mcp,
    openai,
    openai_responses,
    repair,
)
from toolgen_transcripts.codec.wrapped import decode_input, encode_input
from toolgen_transcripts.strict.convert_arguments import SAME, Members, Pairs
from toolgen_transcripts.strict.rewrite import rewrite
from toolgen_transcripts.strict.subsets import CLAUDE, DEEPSEEK, OPENAI, tool_excess
from toolgen_transcripts.tools.schemas import object_schema

STRICT = {"openai": openai, "openai_responses": openai_responses, "anthropic": anthropic, "bedrock": bedrock}
SUBSETS = {
    "openai": (OPENAI, False),
    "deepseek": (DEEPSEEK, False),
    "claude": (CLAUDE, False),
    "claude, all required": (CLAUDE, True),
}
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def of(properties: Any = None, **more: Any) -> JsonObject:
    return {"type": "object", "properties": properties or {}, **more}


CASES = table("provider_tools.json")["strict"]


# a schema, a valid payload, the payload as OpenAI's strict mode sends it
@for_each_at_once(CASES["said"])
def test_what_openai_is_sent_and_what_comes_back(schema: Any, payload: Any, sent: Any) -> None:
    made = rewrite(object_schema(schema, flat=True)[0], OPENAI)
    assert made.hindrances == ()
    encoded = made.form.encode(encode_input(payload))
    assert sent is None or encoded == sent
    assert jsonschema_rs.validator_for(made.schema).is_valid(encoded)
    assert same_json(decode_input(made.form.decode(encoded)), payload)


def test_a_wrong_call_of_the_past_stays_wrong() -> None:
    a_map = {"type": "object", "patternProperties": {"^x": WHOLE}, "additionalProperties": False}
    form = rewrite(of({"a": a_map, "b": TEXT}), OPENAI).form
    for wrong in (
        {"a": []},
        {"a": [{"name": "x", "value": 1}]},
        {"b": None},
        {"a": "x"},
        {"a": None},
        [1],
        {"c": 1},
    ):
        assert form.decode(form.encode(wrong)) == wrong


# a schema, what is in the way for OpenAI, for Claude, and where
@for_each(CASES["hindered"])
def test_what_keeps_a_tool_from_going_strict(
    schema: Any, with_openai: str, with_claude: str, pointer: str
) -> None:
    for subset, expected in ((OPENAI, with_openai), (CLAUDE, with_claude)):
        found = [(h.message, h.pointer) for h in rewrite(schema, subset).hindrances]
        assert found == ([(expected, pointer)] if expected else [])


def test_what_the_subset_lacks_is_told_in_the_description() -> None:
    schema = of(
        {"a": {"type": "string", "minLength": 2, "format": "uri", "description": "A page.", "default": "x"}}
    )
    made = rewrite(schema, OPENAI)
    assert made.schema["properties"]["a"]["description"] == (
        'A page. (at least 2 characters; format: "uri"; default: "x")'
    )
    assert [loss.pointer for loss in made.losses] == ["/properties/a/minLength", "/properties/a/format"]


@for_each(SUBSETS)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=plain_schemas(), seed=st.integers(0, 5))
def test_every_valid_payload_comes_back(words: Any, all_required: Any, *, schema: Any, seed: int) -> None:
    lowered, losses = object_schema(schema, flat=True)
    made = rewrite(lowered, words, all_required=all_required)
    exact, untyped = jsonschema_rs.validator_for(schema), "root-untyped" in [loss.code for loss in losses]
    for payload in payloads(schema, seed, 30) if not made.hindrances else ():
        if not exact.is_valid(payload) or (untyped and not isinstance(payload, dict)):
            continue  # a root without a type is taken to be an object, which is said
        assert same_json(decode_input(made.form.decode(made.form.encode(encode_input(payload)))), payload)


def undeclared(payload: Any, schema: Any) -> set[str]:
    """The keys of a payload that no part of a schema names."""
    known = {name for _, part in each_schema(schema) for name in part.get("properties", ())}
    keys = {step for path, _ in places(payload) for step in path if isinstance(step, str)}
    return keys - known


@needs_servers
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("subset", SUBSETS)
def test_real_tools_go_strict_and_their_payloads_come_back(subset: str, step: int) -> None:
    """By default each fourth tool."""
    words, all_required = SUBSETS[subset]
    tools = [each for listed in servers().values() for each in listed][::step]
    strict = 0
    for each in tools:
        schema = each["inputSchema"]
        made = rewrite(object_schema(schema, flat=True)[0], words, all_required=all_required)
        if made.hindrances or tool_excess(made.schema, words):
            continue
        strict += 1
        exact, sent = jsonschema_rs.validator_for(schema), jsonschema_rs.validator_for(made.schema)
        for payload in filter(exact.is_valid, payloads(schema, 1, 10)):
            encoded = made.form.encode(encode_input(payload))
            assert same_json(decode_input(made.form.decode(encoded)), payload), each["name"]
            assert sent.is_valid(encoded) or undeclared(payload, schema), (each["name"], payload)
    assert strict / len(tools) > 0.9


@needs_servers
@for_each(["openai", "anthropic"])  # each has the subset of another
def test_no_request_with_real_tools_is_over_a_limit(provider: str) -> None:
    text = {"text": "Hello."} if provider == "bedrock" else {"type": "text", "text": "Hello."}
    hello = [{"role": "user", "content": "Hello." if provider.startswith("openai") else [text]}]
    for listed in servers().values():
        tools = {each["name"]: tool(each["name"], each["inputSchema"]) for each in listed[:128]}
        block = STRICT[provider].encode_tools(tools, strict="auto", codec=codec_for(provider))
        assert check(hello, provider, tools=block) == []


LARGE = [
    of({f"p{i}": TEXT for i in range(5_001)}),
    of({"a": {"enum": [f"v{i}" for i in range(1_001)]}}),
    of({"a": {"enum": ["x" * 70 + str(i) for i in range(251)]}}),
    of({"a": {"enum": ["x" * 130_000]}}),
]
DEEP = TEXT
for _ in range(11):
    DEEP = of({"a": DEEP})


@for_each([*LARGE, DEEP], ids=["properties", "values", "long enum", "characters", "levels"])
def test_a_schema_over_a_limit_of_openai_is_sent_without_strict(schema: Any) -> None:
    lowered = openai.lower_tools({"f": tool("f", schema)}, strict="auto", codec=codec_for("openai"))
    assert [(d.code, d.tool) for d in lowered.diagnostics] == [("strict-limit", "f")]
    assert not openai.decode_tools(lowered.block)[0].strict
    function = {"name": "f", "parameters": rewrite(schema, OPENAI).schema, "strict": True}
    request = {
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": function}],
    }
    assert [found.rule for found in check(request, "openai", model="gpt-5")] == [25]
    fixed = repair(request["messages"], "openai", tools={"tools": request["tools"]}, model="gpt-5")
    assert check(fixed.messages, "openai", tools=fixed.tools, model="gpt-5") == []


def test_250_values_may_be_long() -> None:  # null is one of them
    lists = {"f": tool("f", of({"a": {"enum": ["x" * 70 + str(i) for i in range(249)]}}))}
    assert not openai.lower_tools(lists, strict="auto", codec=codec_for("openai")).diagnostics


def test_the_preferred_tools_go_strict_first() -> None:
    schema = of({f"p{i}": TEXT for i in range(20)})
    tools = {name: tool(name, schema) for name in "abc"}
    for prefer, first in (((), "a"), (("c", "b"), "c")):
        codec = codec_for("anthropic")
        lowered = anthropic.lower_tools(tools, strict="auto", prefer=prefer, codec=codec)
        assert [d.name for d in anthropic.decode_tools(lowered.block) if d.strict] == [first]
        assert {(d.code, d.tool) for d in lowered.diagnostics} == {
            ("strict-limit", name) for name in "abc" if name != first
        }


def test_optional_fields_become_unions_when_no_more_may_be_optional() -> None:
    tools = {name: tool(name, of({f"p{i}": TEXT for i in range(12)})) for name in "abcd"}
    block = anthropic.encode_tools(tools, strict="auto", codec=codec_for("anthropic"))
    schemas = [d.schema for d in anthropic.decode_tools(block) if d.strict]
    assert [len(schema["required"]) for schema in schemas if isinstance(schema, dict)] == [0, 0, 12]


@for_each(STRICT)
def test_auto_needs_a_codec(provider: Any) -> None:
    with pytest.raises(ValueError, match="codec"):
        provider.encode_tools({"f": tool("f", of())}, strict="auto")
    assert mcp.encode_tools({"f": tool("f", of())}, strict="auto") is not None


OPTIONAL = of({"city": TEXT, "days": WHOLE, "tags": {"type": "object", "additionalProperties": TEXT}})
ARGUMENTS = {"city": "Oslo", "days": None, "tags": [{"name": "a", "value": "b"}]}
MEANT = {"city": "Oslo", "tags": {"a": "b"}}


def answer(arguments: JsonObject, name: str = "f") -> JsonObject:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def test_calls_of_strict_tools_are_read_back_everywhere() -> None:
    tools = {"f": tool("f", OPTIONAL)}
    codec = codec_for("openai")
    openai.encode_tools(tools, strict="auto", codec=codec)
    response = answer(ARGUMENTS)
    assert openai.parse_tool_uses(response, codec=codec)[0]["input"] == MEANT
    assert openai.read_tool_uses(response, codec=codec)[0].input == MEANT
    assert openai.parse_tool_uses(response)[0]["input"] == ARGUMENTS  # another codec does not know
    message = response["choices"][0]["message"]
    history = openai.decode_messages([message], codec=codec)
    (call,) = history.turns[0].blocks
    assert call.input == MEANT  # type: ignore[union-attr]
    assert openai.encode_messages(history, codec=codec).messages == [message]
    moved = anthropic.encode_messages(history).messages
    assert moved[0]["content"][0]["input"] == MEANT

    registry = Registry().with_tools(tools)
    ran: list[Any] = []
    results(response, Conversation(registry), {"f": ran.append}, provider="openai", codec=codec)
    assert ran == [MEANT]


def test_streams_of_strict_tools_are_read_back() -> None:
    codec = codec_for("openai")
    openai.encode_tools({"f": tool("f", OPTIONAL)}, strict="auto", codec=codec)
    assembler = openai.StreamAssembler(codec=codec)
    function = {"name": "f", "arguments": json.dumps(ARGUMENTS)}
    piece = {"index": 0, "id": "c1", "type": "function", "function": function}
    assembler.feed({"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [piece]}}]})
    assembler.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert [call.input for call in assembler.finish().calls] == [MEANT]


def calls_of(made: EncodedRequest, provider: str) -> list[ToolCall]:
    history = STRICT[provider].decode_messages(made.request, codec=made.codec)
    return [block for turn in history.turns for block in turn.blocks if isinstance(block, ToolCall)]


@pytest.mark.parametrize("provider", STRICT)
def test_a_request_has_the_history_in_the_form_of_its_tools(provider: str) -> None:
    history = openai.decode_messages(
        [
            {"role": "user", "content": "Hello."},
            answer(MEANT)["choices"][0]["message"],
            {"role": "tool", "tool_call_id": "c1", "content": "Done."},
        ]
    )
    made = encode_request(history, {"f": tool("f", OPTIONAL)}, provider, model="m", strict="auto")
    assert [each.input for each in calls_of(made, provider)] == [MEANT]
    assert made.remaining == ()
    again = encode_request(
        made.request,
        {"f": tool("f", OPTIONAL)},
        provider,
        model="m",
        origin=provider,
        strict="auto",
        codec=made.codec,
    )
    assert again.request == made.request
    same = encode_request(
        made.request, None, provider, model="m", origin=provider, strict="auto", codec=made.codec
    )
    assert same.request == made.request
    assert [each.input for each in calls_of(same, provider)] == [MEANT]


HOSTILE: JsonObject = CASES["hostile"]


@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_hostile_schemas_end_soon(schema: Any, subset: str) -> None:
    words, all_required = SUBSETS[subset]
    with bounded(5):
        made = rewrite(object_schema(schema, flat=True)[0], words, all_required=all_required)
        tool_excess(made.schema, words)
        nested: Any = []
        for _ in range(150):
            nested = [nested]
        assert made.form.decode(made.form.encode({"a": nested})) == {"a": nested}


CITY = of({"city": TEXT, "days": {**WHOLE, "minimum": 1}}, required=["city"])
NESTED_EMPTY = of({"options": of(additionalProperties=False)})
SENT = [CITY], [True], ["strict-keyword"]
REFUSED = [CITY], [False], ["strict-unsupported"]
UNION_OF_REFERENCES = of(
    {"a": {"anyOf": [{"$ref": "#/$defs/a"}, TEXT]}}, **{"$defs": {"a": of({"b": TEXT})}}, required=["a"]
)


@for_each_at_once(
    [
        (bedrock, None, *SENT),
        (bedrock, "us.anthropic.claude-opus-4-6-v1", *SENT),
        (bedrock, "eu.anthropic.claude-opus-5", *SENT),
        (bedrock, "us.anthropic.claude-opus-4-7", *REFUSED),
        (bedrock, "anthropic.claude-opus-4-8", *REFUSED),
        (bedrock, "us.anthropic.claude-sonnet-5", *REFUSED),
        (bedrock, "global.anthropic.claude-opus-5-5", *REFUSED),
        (bedrock, "anthropic.claude-3-haiku-20240307-v1:0", *REFUSED),
        (bedrock, "us.amazon.nova-pro-v1:0", *SENT),
        (anthropic, "claude-sonnet-5", *SENT),
        (openai, "deepseek-v4-flash", [CITY, CITY], [True, True], []),
        (openai, "deepseek/deepseek-v4-flash", *REFUSED),
        (
            openai,
            "deepseek-v4-flash",
            [CITY, NESTED_EMPTY],
            [False, False],
            ["strict-dropped", "strict-limit"],
        ),
        (openai, "deepseek-v4-flash", [UNION_OF_REFERENCES], [False], ["strict-limit"]),
        (openai, "gpt-5", [CITY, NESTED_EMPTY], [True, True], []),
    ]
)
def test_whether_tools_are_strict_depends_on_the_model(
    module: Any, model: Any, schemas: Any, strict: Any, codes: Any
) -> None:
    tools = {f"t{index}": tool(f"t{index}", schema) for index, schema in enumerate(schemas)}
    codec = codec_for("openai")
    lowered = module.lower_tools(tools, strict="auto", model=model, codec=codec)
    assert [made.strict for made in module.decode_tools(lowered.block)] == strict
    assert [d.code for d in lowered.diagnostics] == codes
    if not any(strict):
        assert codec.decode_input({"city": "Oslo", "days": None}, "t0") == {
            "city": "Oslo",
            "days": None,
        }


def test_a_tool_that_was_strict_is_sent_without_where_it_cannot_be() -> None:
    strict = openai.encode_tools({"a": tool("a", CITY)}, strict="auto", codec=codec_for("openai"))
    other = openai.encode_tools({"b": tool("b", CITY)})
    given = [*openai.decode_tools(strict), *openai.decode_tools(other)]
    kept = openai.encode_tools(given)
    mixed = openai.encode_tools(given, model="deepseek-v4-flash")
    assert [made.strict for made in openai.decode_tools(kept)] == [True, False]
    assert [made.strict for made in openai.decode_tools(mixed)] == [False, False]


def test_a_pair_never_replaces_a_declared_property() -> None:
    members = Members({"title": SAME}, others=Pairs(SAME))
    sent = {"title": "a", "other_properties": [{"name": "title", "value": "b"}]}
    assert members.decode(sent) == sent
