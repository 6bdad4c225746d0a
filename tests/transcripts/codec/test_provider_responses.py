"""Strict reading of responses: what is right is read, what is not is one error that names its place."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import product
from typing import Any

import pytest
from helpers.providers import MODULES
from helpers.support import JsonObject, for_each, for_each_at_once, table

from toolgen_runtime import MISSING
from toolgen_transcripts import bedrock, codec_for, decode_response, mcp
from toolgen_transcripts.codec.errors import ProviderResponseError
from toolgen_transcripts.codec.wrapped import WRAPPED

READERS = {**MODULES, "mcp": mcp}
SECRET = "s3cret-payload-text"


def bedrock_response(*blocks: Any, stop: str = "tool_use") -> JsonObject:
    return {"output": {"message": {"role": "assistant", "content": list(blocks)}}, "stopReason": stop}


def bedrock_use(**more: Any) -> JsonObject:
    return {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": SECRET}, **more}}


FOUND = {"name": "get_weather", "input": {"city": SECRET}}

CASES = table("provider_responses.json")["provider_responses"]
GOOD, NONE, BAD = (
    [(READERS[provider], *row) for provider, *row in CASES[name]] for name in ("good", "none", "bad")
)
"""Of responses with a call its id; of those that are not right the path that the error names, words of its message."""


@for_each(GOOD)
def test_a_sound_response_is_read(provider: Any, response: JsonObject, id: str | None) -> None:
    before = copy.deepcopy(response)
    assert provider.parse_tool_uses(response) == [{"id": id, **FOUND}]
    assert provider.parse_tool_use(response) == {"id": id, **FOUND}
    (call,) = provider.read_tool_uses(response)
    assert (call.id, call.name, call.input, call.ready) == (id, *FOUND.values(), True)
    assert json.loads(call.arguments) == FOUND["input"]
    assert response == before


@for_each(NONE)
def test_a_response_without_calls_has_none_and_the_first_is_an_error(provider: Any, response: Any) -> None:
    assert provider.parse_tool_uses(response) == provider.read_tool_uses(response) == []
    with pytest.raises(ProviderResponseError) as caught:
        provider.parse_tool_use(response)
    assert caught.value.field


def field_of(provider: Any, path: str) -> str:
    """The last name of a path; Bedrock's ids are `toolUseId` in every shape."""
    name = path.rpartition(".")[2].partition("[")[0]
    return "toolUseId" if provider is bedrock and name == "id" else name


@for_each_at_once(BAD)
def test_what_is_not_right_is_an_error_that_names_its_field_and_place(
    provider: Any, response: Any, path: Any, words: Any
) -> None:
    with pytest.raises(ProviderResponseError) as caught:
        provider.parse_tool_uses(response)
    error = caught.value
    assert (error.field, error.path) == (field_of(provider, path), path)
    assert words in error.message
    assert error.response is response
    assert str(error).endswith(path)
    assert field_of(provider, path) in str(error)
    assert SECRET not in str(error)
    with pytest.raises(type(error)):
        provider.parse_tool_use(response)


CONVERSE_SHAPE = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
INVOKE_SHAPES = [
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
    {"type": "tool_use", "toolUseId": "t1", "name": "f", "input": {}},
]


@for_each_at_once(
    product(
        ["toolUseId", "name", "input"],
        [CONVERSE_SHAPE, *INVOKE_SHAPES],
        [True, False],
        ["absent", None, "", 7],
    )
)
def test_a_bedrock_field_has_one_name_in_every_shape(
    missing: Any, block: Any, enclosed: Any, wrong: Any
) -> None:
    block = copy.deepcopy(block)
    use = block.get("toolUse", block)
    key = "id" if missing == "toolUseId" and "id" in use else missing
    if wrong == "absent":
        del use[key]
    else:
        use[key] = wrong
    response = bedrock_response(block) if enclosed else {"content": [block], "stop_reason": "tool_use"}
    with pytest.raises(bedrock.BedrockResponseError) as caught:
        bedrock.parse_tool_uses(response)
    error = caught.value
    assert error.field == missing
    assert error.path.startswith("output.message.content[0]" if enclosed else "content[0]")
    assert error.path.rpartition(".")[2] in (missing, "id")
    assert str(error).endswith(f": {error.field} at {error.path}")


def test_bedrock_errors_are_made_as_the_contract_says() -> None:
    error = bedrock.BedrockResponseError("broken", {"a": 1}, "output")
    assert (error.message, error.response, error.field, error.path) == ("broken", {"a": 1}, "output", None)
    assert str(error) == "bedrock response: broken: output"
    bare = bedrock.BedrockResponseError("broken")
    assert (bare.response, bare.field, str(bare)) == (None, None, "bedrock response: broken")
    placed = bedrock.BedrockResponseError("broken", field="input", path="content[0].input")
    assert str(placed) == "bedrock response: broken: input at content[0].input"
    for made in (error, bare, placed):
        again = pickle.loads(pickle.dumps(made))
        assert (str(again), again.field, again.path) == (str(made), made.field, made.path)


UNREADABLE = {
    "", "output", "output.message", "choices", "choices[0].message", "candidates", "method", "params",
    "content", "output.message.content", "output.message.content[0]", "candidates[0].content",
}  # fmt: skip
"""Where the response itself has not the shape of one."""


@for_each_at_once(BAD)
def test_a_call_that_parsing_refuses_is_not_ready(
    provider: Any, response: Any, path: Any, words: Any
) -> None:
    """Each call can be answered: reading raises only where the response has not the shape of one."""
    if path in UNREADABLE and not words.startswith("no "):
        with pytest.raises(ProviderResponseError) as caught:
            provider.read_tool_uses(response)
        assert caught.value.path == path
        return
    calls = provider.read_tool_uses(response)
    assert not calls or not all(call.ready for call in calls)
    for call in calls:
        assert call.ready == (call.input is not MISSING and not call.problems)


READ = [
    *((READERS[provider], *row) for provider, *row in CASES["read"]),
    *(
        (bedrock, bedrock_response(bedrock_use(input=odd)), [["t1", False, ["json"], []]])
        for odd in ({"a": float("nan")}, {"a": {None: 1}})
    ),
]
"""Of each call: the id, whether it is ready, the constraints of its issues, the fields of its problems."""


@for_each(READ)
def test_every_call_can_be_answered(provider: Any, response: Any, calls: list[Any]) -> None:
    found = provider.read_tool_uses(response)
    assert [
        [c.id, c.ready, [i.constraint for i in c.issues], [p.partition(":")[0] for p in c.problems]]
        for c in found
    ] == calls


@for_each(CASES["empty"])
def test_an_answer_without_a_message_is_read(provider: str, response: Any, reason: str, finish: str) -> None:
    decoded = decode_response(response, provider)
    assert (decoded.stop_reason, decoded.finish) == (reason, finish)
    assert (decoded.turn.blocks, decoded.calls) == ((), ())


def test_names_ids_and_inputs_are_decoded() -> None:
    codec = codec_for("bedrock", ["a.b"])
    wrapped = bedrock_use(name=codec.encode_name("a.b"), input={WRAPPED: [1, 2]})
    assert bedrock.parse_tool_use(bedrock_response(wrapped)) == {"id": "t1", "name": "a.b", "input": [1, 2]}
