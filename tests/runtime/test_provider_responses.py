"""Strict reading of responses: what is right is read, what is not is one error that names its place."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from toolgen_runtime.providers import anthropic, bedrock, gemini, mcp, openai, openai_responses
from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.providers.shared.names import WRAPPED, codec_for
from toolgen_runtime.providers.shared.received_call import ReceivedCall
from toolgen_runtime.transcript import decode_response
from toolgen_runtime.validation.issues import MISSING

SECRET = "s3cret-payload-text"
Break = Callable[[dict[str, Any]], Any]


def bedrock_response(*blocks: Any, stop: str = "tool_use") -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": list(blocks)}}, "stopReason": stop}


def bedrock_use(**more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": SECRET}, **more}}


def chat_response(*calls: Any, stop: str = "tool_calls") -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": list(calls)}
    return {"choices": [{"index": 0, "message": message, "finish_reason": stop}]}


def chat_call(**more: Any) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": f'{{"city": "{SECRET}"}}'}
    return {"id": "call_1", "type": "function", "function": {**function, **more}}


def responses_call(**more: Any) -> dict[str, Any]:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather"}
    return {**item, "arguments": f'{{"city": "{SECRET}"}}', "status": "completed", **more}


def responses(*items: Any, status: str = "completed") -> dict[str, Any]:
    return {"status": status, "output": [{"type": "reasoning", "id": "rs", "summary": []}, *items]}


def claude(*blocks: Any, stop: str = "tool_use") -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, *blocks], "stop_reason": stop}


def claude_use(**more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": SECRET}, **more}


def candidate(*parts: Any, stop: str = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": stop}]}


def gemini_call(**more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "get_weather", "args": {"city": SECRET}, **more}}


def mcp_request(**more: Any) -> dict[str, Any]:
    params = {"name": "get_weather", "arguments": {"city": SECRET}, **more}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


def without(value: dict[str, Any], *path: str) -> dict[str, Any]:
    """A deep copy without the member at a path."""
    out = copy.deepcopy(value)
    here = out
    for key in path[:-1]:
        here = here[key]
    del here[path[-1]]
    return out


FOUND = {"name": "get_weather", "input": {"city": SECRET}}

GOOD = [
    (bedrock, bedrock_response({"text": "Hm."}, bedrock_use()), "t1"),
    (bedrock, {"role": "assistant", "content": [bedrock_use()]}, "t1"),
    (bedrock, claude(claude_use()), "toolu_1"),
    (bedrock, bedrock_response(without(claude_use(toolUseId="t1"), "id")), "t1"),
    (openai, chat_response(chat_call()), "call_1"),
    (openai_responses, responses(responses_call()), "call_1"),
    (anthropic, claude(claude_use()), "toolu_1"),
    (gemini, candidate({"text": "Hm."}, gemini_call()), None),
    (gemini, candidate(gemini_call(id="g1")), "g1"),
    (mcp, mcp_request(), None),
    (mcp, mcp_request()["params"], None),
]


@pytest.mark.parametrize(("provider", "response", "id"), GOOD)
def test_a_sound_response_is_read(provider: Any, response: dict[str, Any], id: str | None) -> None:
    before = copy.deepcopy(response)
    assert provider.parse_tool_uses(response) == [{"id": id, **FOUND}]
    assert provider.parse_tool_use(response) == {"id": id, **FOUND}
    assert response == before


NONE = [
    (bedrock, bedrock_response({"text": "Hi."}, stop="end_turn")),
    (bedrock, bedrock_response(stop="end_turn")),
    (bedrock, bedrock_response({"text": "cut"}, stop="max_tokens")),
    (bedrock, bedrock_response(bedrock_use(type="server_tool_use"), stop="end_turn")),
    (openai, without(chat_response(stop="stop"), "choices") | {"choices": [{"message": {"content": "Hi."}}]}),
    (openai_responses, responses()),
    (anthropic, claude(stop="end_turn")),
    (anthropic, claude({"type": "server_tool_use", "id": "s", "name": "web", "input": {}}, stop="end_turn")),
    (gemini, candidate({"text": "Hi."})),
]


@pytest.mark.parametrize(("provider", "response"), NONE)
def test_a_response_without_calls_has_none_and_the_first_is_an_error(provider: Any, response: Any) -> None:
    assert provider.parse_tool_uses(response) == []
    with pytest.raises(ProviderResponseError) as caught:
        provider.parse_tool_use(response)
    assert caught.value.field


B = "output.message.content"
T = f"{B}[0].toolUse"
F = "choices[0].message.tool_calls[0]"
BAD = [
    # provider, response, the path that the error names, words of its message
    (bedrock, {}, "output", "absent"),
    (bedrock, {"output": None}, "output", "null"),
    (bedrock, {"output": {}}, "output.message", "absent"),
    (bedrock, {"output": {"message": {}}}, B, "absent"),
    (bedrock, {"output": {"message": {"content": "text"}}}, B, "expected an array, got a string"),
    (bedrock, {"output": {"message": {"content": ["text"]}}}, f"{B}[0]", "expected an object"),
    (bedrock, [], "", "expected a dict"),
    (bedrock, None, "", "expected a dict, got null"),
    (bedrock, bedrock_response({"text": "Hm."}), B, "no tool use block"),
    (bedrock, without(bedrock_response(bedrock_use()), "output", "message", "content"), B, "absent"),
    (bedrock, bedrock_response(without(bedrock_use(), "toolUse", "toolUseId")), f"{T}.toolUseId", "absent"),
    (bedrock, bedrock_response(bedrock_use(toolUseId=None)), f"{T}.toolUseId", "null"),
    (bedrock, bedrock_response(bedrock_use(toolUseId="")), f"{T}.toolUseId", "empty"),
    (
        bedrock,
        bedrock_response(bedrock_use(toolUseId=7)),
        f"{T}.toolUseId",
        "expected a string, got a number",
    ),
    (bedrock, bedrock_response(bedrock_use(toolUseId="t" * 65)), f"{T}.toolUseId", "65 characters long"),
    (bedrock, bedrock_response(bedrock_use(toolUseId="a b")), f"{T}.toolUseId", "characters outside"),
    (bedrock, bedrock_response(bedrock_use(toolUseId="t1\n")), f"{T}.toolUseId", "characters outside"),
    (bedrock, bedrock_response(bedrock_use(), bedrock_use()), f"{B}[1].toolUse.toolUseId", "the same id as"),
    (bedrock, bedrock_response(without(bedrock_use(), "toolUse", "name")), f"{T}.name", "absent"),
    (bedrock, bedrock_response(bedrock_use(name="")), f"{T}.name", "empty"),
    (bedrock, bedrock_response(without(bedrock_use(), "toolUse", "input")), f"{T}.input", "absent"),
    (bedrock, bedrock_response(bedrock_use(input=None)), f"{T}.input", "null"),
    (bedrock, bedrock_response(bedrock_use(input='{"a": 1}')), f"{T}.input", "got a string"),
    (bedrock, bedrock_response(bedrock_use(input=[])), f"{T}.input", "got an array"),
    (bedrock, bedrock_response({"toolUse": None}), T, "null"),
    (bedrock, bedrock_response({"SDK_UNKNOWN_MEMBER": {"name": "x"}}), f"{B}[0].SDK_UNKNOWN_MEMBER", "SDK"),
    (bedrock, bedrock_response(bedrock_use(), stop="malformed_tool_use"), "stopReason", "malformed"),
    (bedrock, bedrock_response({"text": ""}, stop="malformed_model_output"), "stopReason", "malformed"),
    (bedrock, bedrock_response(bedrock_use(), stop="max_tokens"), "stopReason", "may be cut"),
    (
        bedrock,
        bedrock_response(bedrock_use(), stop="model_context_window_exceeded"),
        "stopReason",
        "may be cut",
    ),
    (bedrock, claude(claude_use(id="")), "content[1].id", "empty"),
    (bedrock, claude(without(claude_use(), "id")), "content[1].id", "absent"),
    (bedrock, claude(claude_use(toolUseId="")), "content[1].toolUseId", "empty"),
    (openai, {}, "choices", "absent"),
    (openai, {"choices": []}, "choices", "empty"),
    (openai, {"choices": [{}]}, "choices[0].message", "absent"),
    (openai, chat_response(), "choices[0].message.tool_calls", "no call"),
    (openai, chat_response(without(chat_call(), "id")), f"{F}.id", "absent"),
    (openai, chat_response({**chat_call(), "id": ""}), f"{F}.id", "empty"),
    (openai, chat_response({**chat_call(), "type": "odd"}), f"{F}.type", "not a function"),
    (openai, chat_response(chat_call(), chat_call()), f"{F[:-3]}[1].id", "the same id"),
    (openai, chat_response(chat_call(name="")), f"{F}.function.name", "empty"),
    (openai, chat_response(chat_call(arguments='{"a": 1')), f"{F}.function.arguments", "truncated"),
    (openai, chat_response(chat_call(arguments="[1]")), f"{F}.function.arguments", "got an array"),
    (openai, chat_response(chat_call(arguments={"a": 1})), f"{F}.function.arguments", "got an object"),
    (
        openai,
        chat_response(chat_call(arguments='{"a": NaN}')),
        f"{F}.function.arguments",
        "not a JSON object",
    ),
    (openai, chat_response(chat_call(arguments='{"a":1,"a":2}')), f"{F}.function.arguments", "duplicate_key"),
    (openai, chat_response(chat_call(), stop="length"), "choices[0].finish_reason", "may be cut"),
    (openai_responses, {}, "output", "absent"),
    (openai_responses, responses(without(responses_call(), "call_id")), "output[1].call_id", "absent"),
    (openai_responses, responses(responses_call(name=None)), "output[1].name", "null"),
    (openai_responses, responses(responses_call(arguments="{")), "output[1].arguments", "not a JSON object"),
    (openai_responses, responses(responses_call(status="incomplete")), "output[1].status", "may be cut"),
    (openai_responses, responses(responses_call(), status="incomplete"), "status", "may be cut"),
    (anthropic, {}, "content", "absent"),
    (anthropic, {"content": None}, "content", "null"),
    (anthropic, claude(), "content", "no tool_use block"),
    (anthropic, claude(without(claude_use(), "id")), "content[1].id", "absent"),
    (anthropic, claude(claude_use(id="a.b")), "content[1].id", "characters outside"),
    (anthropic, claude(claude_use(name="")), "content[1].name", "empty"),
    (anthropic, claude(claude_use(input="{}")), "content[1].input", "got a string"),
    (anthropic, claude(claude_use(), claude_use()), "content[2].id", "the same id"),
    (anthropic, claude(claude_use(), stop="max_tokens"), "stop_reason", "may be cut"),
    (gemini, {"candidates": []}, "candidates", "empty"),
    (gemini, {"candidates": [{"content": [], "finishReason": "STOP"}]}, "candidates[0].content", "an object"),
    (
        gemini,
        {"promptFeedback": {"blockReason": "SAFETY"}},
        "promptFeedback.blockReason",
        "was blocked (SAFETY)",
    ),
    (
        gemini,
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
        "candidates[0].finishReason",
        "mal",
    ),
    (gemini, candidate(gemini_call(), stop="MAX_TOKENS"), "candidates[0].finishReason", "may be cut"),
    (gemini, candidate(gemini_call(name="")), "candidates[0].content.parts[0].functionCall.name", "empty"),
    (gemini, candidate(gemini_call(args=[])), "candidates[0].content.parts[0].functionCall.args", "an array"),
    (gemini, candidate(gemini_call(id="")), "candidates[0].content.parts[0].functionCall.id", "empty"),
    (mcp, {"jsonrpc": "2.0", "method": "tools/list"}, "method", "not tools/call"),
    (mcp, {"jsonrpc": "2.0", "method": "tools/call"}, "params", "absent"),
    (mcp, mcp_request(name=""), "params.name", "empty"),
    (mcp, mcp_request(arguments="{}"), "params.arguments", "got a string"),
]


def field_of(provider: Any, path: str) -> str:
    """The last name of a path; Bedrock's ids are `toolUseId` in every shape."""
    name = path.rpartition(".")[2].partition("[")[0]
    return "toolUseId" if provider is bedrock and name == "id" else name


@pytest.mark.parametrize(("provider", "response", "path", "words"), BAD)
def test_what_is_not_right_is_an_error_that_names_its_field_and_place(
    provider: Any, response: Any, path: str, words: str
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


@pytest.mark.parametrize("missing", ["toolUseId", "name", "input"])
@pytest.mark.parametrize("block", [CONVERSE_SHAPE, *INVOKE_SHAPES])
@pytest.mark.parametrize("enclosed", [True, False])
@pytest.mark.parametrize("wrong", ["absent", None, "", 7])
def test_a_bedrock_field_has_one_name_in_every_shape(
    missing: str, block: dict[str, Any], enclosed: bool, wrong: Any
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
    assert error.path is not None
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


@pytest.mark.parametrize(("provider", "response", "id"), GOOD)
def test_reading_gives_the_calls_that_parsing_gives(provider: Any, response: dict[str, Any], id: Any) -> None:
    (call,) = provider.read_tool_uses(response)
    assert (call.id, call.name, call.input) == (id, *FOUND.values())
    assert call.ready
    assert json.loads(call.arguments) == FOUND["input"]
    assert isinstance(call, ReceivedCall)


@pytest.mark.parametrize(("provider", "response"), NONE)
def test_reading_a_response_without_calls_gives_none(provider: Any, response: Any) -> None:
    assert provider.read_tool_uses(response) == []


UNREADABLE = {
    "", "output", "output.message", "choices", "choices[0].message", "candidates", "method", "params",
    "content", B, f"{B}[0]", "candidates[0].content",
}  # fmt: skip
"""Where the response itself has not the shape of one."""


@pytest.mark.parametrize(("provider", "response", "path", "words"), BAD)
def test_a_call_that_parsing_refuses_is_not_ready(
    provider: Any, response: Any, path: str, words: str
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
    # provider, response, of each call: the id, whether it is ready, constraints of its issues, fields of problems
    (
        bedrock,
        bedrock_response(bedrock_use(), bedrock_use(toolUseId="t2", input="{}"), bedrock_use(toolUseId="t3")),
        [("t1", True, [], []), ("t2", False, ["type"], []), ("t3", True, [], [])],
    ),
    (
        bedrock,
        bedrock_response(bedrock_use(toolUseId="t1"), bedrock_use(toolUseId="t2"), stop="max_tokens"),
        [("t1", False, ["truncated"], []), ("t2", False, ["truncated"], [])],
    ),
    (
        bedrock,
        bedrock_response(bedrock_use(), bedrock_use()),
        [("t1", False, [], ["another call"]), ("t1", False, [], ["toolUseId"])],
    ),
    (
        bedrock,
        bedrock_response({"toolUse": None}),
        [(None, False, ["type"], ["toolUse", "toolUseId", "name"])],
    ),
    (bedrock, bedrock_response(bedrock_use(input={"a": b"x"})), [("t1", False, ["json"], [])]),
    (bedrock, bedrock_response(bedrock_use(input={"a": float("nan")})), [("t1", False, ["json"], [])]),
    (bedrock, bedrock_response(bedrock_use(input={"a": {None: 1}})), [("t1", False, ["json"], [])]),
    (
        openai,
        chat_response(chat_call(), {**chat_call(arguments='{"city": "Par'), "id": "call_2"}),
        [("call_1", True, [], []), ("call_2", False, ["truncated"], [])],
    ),
    (openai, chat_response(chat_call(arguments='{"a":1,"a":2}')), [("call_1", False, ["duplicate_key"], [])]),
    (openai, chat_response(chat_call(arguments={"a": 1})), [("call_1", False, ["json"], [])]),
    (
        openai,
        chat_response({"id": "c", "type": "custom", "custom": {"name": "f", "input": "x"}}),
        [("c", True, [], [])],
    ),
    (
        openai_responses,
        responses(responses_call(), responses_call(call_id="call_2", status="incomplete")),
        [("call_1", True, [], []), ("call_2", False, ["truncated"], [])],
    ),
    (anthropic, claude(claude_use(name="")), [("toolu_1", False, [], ["name"])]),
    (
        gemini,
        candidate(gemini_call(), gemini_call(args=[1])),
        [(None, True, [], []), (None, False, ["type"], [])],
    ),
    (gemini, {"candidates": [{"finishReason": "SAFETY"}]}, []),
    (mcp, mcp_request(arguments="{}"), [(None, False, ["type"], [])]),
]


@pytest.mark.parametrize(("provider", "response", "calls"), READ)
def test_every_call_can_be_answered(provider: Any, response: Any, calls: list[Any]) -> None:
    found = provider.read_tool_uses(response)
    seen = [
        (c.id, c.ready, [i.constraint for i in c.issues], [p.partition(":")[0] for p in c.problems])
        for c in found
    ]
    assert [
        (
            id,
            ready,
            issues,
            [p if p != "another call of the message has the same id" else "another call" for p in ps],
        )
        for id, ready, issues, ps in seen
    ] == calls


EMPTY = [
    # provider, response, stop reason, finish
    ("gemini", {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}, "STOP", "stop"),
    (
        "gemini",
        {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]},
        "MAX_TOKENS",
        "length",
    ),
    ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}, "SAFETY", "content_filter"),
    ("gemini", {"candidates": [{"finish_reason": "STOP"}]}, "STOP", "stop"),
    (
        "gemini",
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
        "PROHIBITED_CONTENT",
        "content_filter",
    ),
    (
        "gemini",
        {"candidates": None, "prompt_feedback": {"block_reason": "OTHER"}},
        "OTHER",
        "content_filter",
    ),
    (
        "openai",  # Azure
        {"choices": [{"index": 0, "finish_reason": "content_filter", "content_filter_result": {}}]},
        "content_filter",
        "content_filter",
    ),
]


@pytest.mark.parametrize(("provider", "response", "reason", "finish"), EMPTY)
def test_an_answer_without_a_message_is_read(provider: str, response: Any, reason: str, finish: str) -> None:
    decoded = decode_response(response, provider)
    assert (decoded.stop_reason, decoded.finish) == (reason, finish)
    assert (decoded.turn.blocks, decoded.calls) == ((), ())


def test_names_ids_and_inputs_are_decoded() -> None:
    codec = codec_for("bedrock", ["a.b"])
    wrapped = bedrock_use(name=codec.encode_name("a.b"), input={WRAPPED: [1, 2]})
    assert bedrock.parse_tool_use(bedrock_response(wrapped)) == {"id": "t1", "name": "a.b", "input": [1, 2]}


def test_several_calls_keep_their_order() -> None:
    blocks = [bedrock_use(toolUseId=f"t{i}") for i in (3, 1, 2)]
    assert [use["id"] for use in bedrock.parse_tool_uses(bedrock_response(*blocks))] == ["t3", "t1", "t2"]


@pytest.mark.parametrize(
    ("module", "provider", "response"),
    [
        ("openai.types.chat", openai, {"id": "x", "created": 1, "model": "m", "object": "chat.completion"}),
        ("anthropic.types", anthropic, {"id": "x", "model": "m", "type": "message"}),
    ],
)
def test_an_sdk_object_is_read_like_its_dict(module: str, provider: Any, response: dict[str, Any]) -> None:
    types = pytest.importorskip(module, reason="the SDK is not installed")
    if provider is openai:
        sdk = types.ChatCompletion.model_validate({**response, **chat_response(chat_call())})
    else:
        usage = {"input_tokens": 1, "output_tokens": 1}
        sdk = types.Message.model_validate({**response, **claude(claude_use()), "usage": usage})
    assert provider.parse_tool_use(sdk)["input"] == {"city": SECRET}
