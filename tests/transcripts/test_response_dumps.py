"""Responses, histories and tools in every form that the SDKs give them: objects, and what these dump."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from anthropic.types import Message
from anthropic.types.beta import BetaMessage
from google.genai import interactions as steps, types as gemini_types
from helpers.providers import MODELS, MODULES
from helpers.support import for_each, for_each_at_once, table
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from pydantic import BaseModel

from toolgen_transcripts import check, decode_response, encode_request, gemini, repair

DUMPS: dict[str, Callable[[BaseModel], Any]] = {
    "object": lambda said: said,
    "model_dump": lambda said: said.model_dump(),
    "mode json": lambda said: said.model_dump(mode="json"),
    "by alias": lambda said: said.model_dump(by_alias=True),
    "without nulls": lambda said: said.model_dump(exclude_none=True),
    "what was set": lambda said: said.model_dump(exclude_unset=True),
    "JSON text": lambda said: json.loads(said.model_dump_json(by_alias=True)),
}
SAID = table("provider_responses.json")["response_dumps"]
RESPONSES: dict[str, tuple[str, BaseModel]] = {
    "openai": ("openai", ChatCompletion.model_validate(SAID["openai"])),
    "openai_responses": ("openai_responses", Response.model_construct(**SAID["openai_responses"])),
    "anthropic": ("anthropic", Message.model_validate(SAID["anthropic"])),
    "anthropic beta": ("anthropic", BetaMessage.model_validate(SAID["anthropic"])),
    "gemini": ("gemini", gemini_types.GenerateContentResponse.model_validate(SAID["gemini"])),
    "gemini_interactions": (
        "gemini_interactions",
        steps.Interaction.model_validate(SAID["gemini_interactions"]),
    ),
}


@for_each_at_once(product(DUMPS, RESPONSES))
@pytest.mark.filterwarnings("ignore::UserWarning")  # pydantic's, of what was not validated
def test_a_response_says_the_same_in_every_form(dump: Any, case: Any) -> None:
    provider, said = RESPONSES[case]
    decoded = decode_response(DUMPS[dump](said), provider)
    assert decoded.text == "hi"
    assert [(c.id, c.name, c.input, c.ready) for c in decoded.calls] == [("toolu_1", "f", {"a": 1}, True)]
    assert decoded.finish == "tool_calls"
    uses = MODULES[provider].parse_tool_uses(DUMPS[dump](said))
    assert uses == [{"id": "toolu_1", "name": "f", "input": {"a": 1}}]
    usage = decoded.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (6, 4, 1)
    assert usage.cache_write_tokens == (None if provider.startswith("gemini") else 2)


AS_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a_b": {"type": "string", "minLength": 1}}}
AS_OPENAPI = {"type": "OBJECT", "properties": {"a_b": {"type": "STRING", "minLength": "1"}}}
DECLARATIONS = {
    "REST": {"name": "f", "parameters": AS_OPENAPI},
    "REST, JSON Schema": {"name": "f", "parametersJsonSchema": AS_SCHEMA},
    "google-genai, JSON Schema": gemini_types.FunctionDeclaration(name="f", parameters_json_schema=AS_SCHEMA),
    "google-genai": gemini_types.FunctionDeclaration(
        name="f",
        parameters=gemini_types.Schema(
            type=gemini_types.Type.OBJECT,
            properties={"a_b": gemini_types.Schema(type=gemini_types.Type.STRING, min_length=1)},
        ),
    ),
}  # fmt: skip


@for_each_at_once(product(["functionDeclarations", "function_declarations"], DUMPS, DECLARATIONS))
def test_a_declaration_of_any_form_breaks_no_rule(spelling: Any, dump: Any, case: Any) -> None:
    declared = DECLARATIONS[case]
    if isinstance(declared, BaseModel):
        declared = DUMPS[dump](declared)
    block = {"tools": [{spelling: [declared]}]}
    (tool,) = gemini.decode_tools(block)
    assert tool.schema == AS_SCHEMA
    for request in (block, {"config": block}):
        whole = {
            "model": "gemini-2.5-pro",
            "contents": [{"role": "user", "parts": [{"text": "q"}]}],
            **request,
        }
        assert check(whole, "gemini") == []
        assert repair(whole, "gemini").changes == ()


@for_each([name for name in MODELS if name != "bedrock"])
def test_what_json_has_not_reaches_no_other_provider(target: str) -> None:
    odd = {
        "a": Decimal("1.5"),
        "b": b"xy",
        "c": [Decimal("1E+2")],
        "d": Decimal("NaN"),
        "e": Decimal("1E+9000"),
    }
    spec = {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}
    history = [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": odd}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"json": odd}]}}]},
    ]
    request = {"modelId": MODELS["bedrock"], "messages": history, "toolConfig": {"tools": [spec]}}
    encoded = encode_request(request, None, target, model=MODELS[target], origin="bedrock")
    text = json.dumps(encoded.request).replace("\\", "").replace(": ", ":").replace(", ", ",")
    assert text.count('"a":1.5,"b":"eHk=","c":[100],"d":"NaN","e":"1E+9000"') == 2


def test_decimals_of_a_stored_history_are_numbers_again() -> None:
    call = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": Decimal("1.5"), "n": Decimal(7)}}}
    history = [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "x"}]}}]},
    ]
    fixed = repair(history, "bedrock")
    assert fixed.changes == ()
    found = fixed.messages[1]["content"][0]["toolUse"]["input"]
    assert [type(value) for value in found.values()] == [float, int]
