"""`adapters.loop` with the providers' own clients against local model servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.model_servers import WIRES, ModelServer, Wire, model_server
from helpers.providers import MODULES, assembled
from helpers.support import TEXT, JsonObject, for_each

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_adapters.call import Call
from toolgen_adapters.checks import Checks
from toolgen_runtime import Conversation, Registry, ToolErrorKind, ToolExecutionError, spread
from toolgen_transcripts import Transcript, check, codec_for, decode_response, openai, openai_responses

pytestmark = pytest.mark.usefixtures("own_servers")
MALFORMED = 17
"""The rule that the model's own message breaks where its arguments are not an object."""


def tool(name: str, required: str = "", *optional: str) -> JsonObject:
    """A tool whose fields are texts."""
    names = [required, *optional] if required else []
    return {
        "name": name,
        "inputSchema": {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": names[:1]},
    }


TOOLS = compile_tools([tool("convert", "time", "zone"), tool("now"), tool("ping")])
HANDLERS: JsonObject = {
    "convert": lambda payload: f"converted {payload['time']}",
    "now": lambda payload: {"now": sorted(payload)},
    "ping": spread(lambda: "fine"),
}
GOOD = '{"time": "12:30"}'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        yield model


RESULTS: dict[str, tuple[str, Any, Any]] = {
    "openai": ("tool_call_id", lambda r: r["content"], None),
    "openai_responses": ("call_id", lambda r: r["output"], None),
    "anthropic": ("tool_use_id", lambda r: r["content"][0]["text"], lambda r: r["is_error"]),
    "bedrock": ("toolUseId", lambda r: r["content"][0]["text"], lambda r: r["status"] == "error"),
    "gemini": ("id", lambda r: next(iter(r["response"].values())), lambda r: "error" in r["response"]),
    "gemini_interactions": ("call_id", lambda r: r["result"][0]["text"], lambda r: r["is_error"]),
}
"""The key of the call's id in a native result, its text, and whether it says that it is an error, if it can."""


def inner(result: Any) -> Any:
    return result.get("toolResult") or result.get("functionResponse") or result


def ids(wire: Wire, results: list[Any]) -> list[str]:
    """The ids of native results."""
    return [inner(result)[RESULTS[wire.provider][0]] for result in results]


def said(wire: Wire, result: Any) -> tuple[str, bool | None]:
    """The text of a native result, and whether it says that it is an error; None where the API cannot."""
    _, text, is_error = RESULTS[wire.provider]
    return text(inner(result)), is_error and is_error(inner(result))


def results_of(
    response: Any, provider: Any = "openai", *, handlers: Any = HANDLERS, conversation: Any = None
) -> loop.Results:
    return loop.results(response, conversation or Conversation(TOOLS), handlers, provider=provider)


def exchange(
    wire: Wire, server: ModelServer, conversation: Conversation, history: list[Any], *calls: tuple[str, str]
) -> loop.Results:
    """Let the model make these calls; add its answer and their results to the history."""
    numbered = [(f"id{len(history)}_{i}", name, sent) for i, (name, sent) in enumerate(calls)]
    server.answers.append(wire.answer(numbered, True))
    response = wire.ask(server.url, history)
    results = results_of(response, wire.provider, conversation=conversation)  # type: ignore[arg-type]
    history += [*wire.reply(response), *wire.wrap(results)]
    return results


BAD = {
    "text": ('{"time": "12:3', "cut off"),
    "object": ('["12:30"]', "send an object"),
    "struct": ('{"time": 5}', 'change 5 to "5"?'),
}
"""The worst call that each kind of wire can carry, and what its answer says."""


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # the SDK's, of a list for an object
@for_each(WIRES, ids=lambda wire: wire.provider)
def test_parallel_calls_with_some_bad(wire: Wire, *, server: ModelServer) -> None:
    history = [wire.user("What time is it?")]
    bad, told = BAD[next(kind for kind in ("text", "struct", "object") if getattr(wire, kind, True))]
    calls = [("convert", GOOD), ("convert", bad), ("convrt", GOOD), ("now", "")]
    results = exchange(wire, server, Conversation(TOOLS), history, *calls)
    assert ids(wire, results) == ["id1_0", "id1_1", "id1_2", "id1_3"]
    texts, flags = zip(*(said(wire, result) for result in results), strict=True)
    assert texts[0] == "converted 12:30"
    assert "convert was not run" in texts[1]
    assert told in texts[1]
    assert 'did you mean "convert"' in texts[2]
    assert json.loads(texts[3]) == {"now": []}
    flagged = not wire.provider.startswith("openai")
    assert flags == ((False, True, True, False) if flagged else (None,) * 4)
    assert [output.ok for output in results.outputs] == [True, False, False, True]
    assert {v.rule for v in check(history, wire.provider)} <= {MALFORMED}
    exchange(wire, server, Conversation(TOOLS), history)  # the client takes the history
    sent = json.dumps(server.requests[-1])
    assert all(f"id1_{i}" in sent for i in range(4))


@for_each(WIRES, ids=lambda wire: wire.provider)
def test_nothing_of_an_answer_that_was_cut_off_is_run(wire: Wire, *, server: ModelServer) -> None:
    server.answers.append(wire.answer([("a", "convert", GOOD), ("b", "now", "{}")], False))
    response = wire.ask(server.url, [wire.user("go")])

    def never(name: str, payload: Any) -> Any:
        raise AssertionError(name)

    results = results_of(response, wire.provider, handlers=never)  # type: ignore[arg-type]
    assert ids(wire, results) == ["a", "b"]
    assert all("the response was cut off" in said(wire, result)[0] for result in results)


def test_a_call_that_was_cut_off_does_not_say_that_something_was_fixed() -> None:
    conversation = Conversation(TOOLS)
    for sent in ('{"time": 5}', '{"time": "12:'):
        (result,) = results_of(chat(("a", "convert", sent)), conversation=conversation)
    assert "cut off" in result["content"]
    assert "You fixed" not in result["content"]
    assert "so none of its calls was run" not in result["content"]  # said of calls whose arguments are whole


def test_a_call_that_was_cut_off_takes_no_place_in_the_turns_limit() -> None:
    registry = Registry(calls_per_turn=1).with_tools(TOOLS)
    conversation = registry.conversation()
    (tool, *_) = TOOLS
    malformed = ToolExecutionError(ToolErrorKind.INVALID_PARAMETERS, "the call came malformed")
    refused = conversation.returned(conversation.check(tool, "{", problem=malformed))
    assert (refused.executed, conversation.ledger.turn.attempted) == (False, 1)
    assert conversation.ledger.claim(1, take=False)


# -- beyond the clients ---------------------------------------------------------------------------------------


def chat(*calls: tuple[str, str, str]) -> Any:
    return WIRES[0].answer(list(calls), True)


def answered(*calls: tuple[str, str, str], handlers: Any = HANDLERS) -> loop.Results:
    return results_of(chat(*calls), handlers=handlers)


def test_calls_as_they_were_read_and_streams() -> None:
    calls = openai.read_tool_uses(chat(("a", "convert", GOOD)))
    assert results_of(calls) == answered(("a", "convert", GOOD))
    delta = {"index": 0, "id": "a", "function": {"name": "convert", "arguments": GOOD}}
    choice = {"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": None}
    cut = assembled("openai", [{"choices": [choice]}])  # without its end
    (result,) = results_of(cut)
    assert result["tool_call_id"] == "a"
    assert "cut off" in result["content"]


def test_one_result_for_every_id_and_none_without() -> None:
    results = answered(("a", "now", "{}"), ("a", "now", "{}"), ("", "now", "{}"), ("b", "", "{}"))
    assert [result["tool_call_id"] for result in results] == ["a", "b"]
    assert "the same id" in results[0]["content"]
    assert "names no tool" in results[1]["content"]
    assert [output.executed for output in results.outputs] == [False] * 4
    assert results.outputs[2].recovery == "retry"
    assert answered() == []


def test_names_through_the_codec() -> None:
    names = ["git.log", "a tool/with a name that is far too long for any provider: " + "é" * 80]
    tools = compile_tools([{"name": name, "inputSchema": {"type": "object"}} for name in names])
    codec = codec_for("gemini", tools)
    sent = [codec.encode_name(name) for name in names]
    content = {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}} for name in sent]}
    response = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    ran: list[str] = []
    results = results_of(
        response, "gemini", handlers=lambda name, payload: ran.append(name), conversation=Conversation(tools)
    )
    assert ran == names
    assert [result["functionResponse"]["name"] for result in results] == sent
    history = [{"role": "user", "parts": [{"text": "go"}]}, content, {"role": "user", "parts": results}]
    assert check(history, "gemini") == []


def test_a_tool_without_a_handler_is_a_mistake_of_the_program() -> None:
    ran: list[Any] = []
    with pytest.raises(KeyError, match="no handler for the tool 'now'"):
        answered(("a", "convert", GOOD), ("b", "now", "{}"), handlers={"convert": ran.append})
    assert ran == []
    (result,) = answered(("a", "nwo", "{}"), handlers={})
    assert "no such tool" in result["content"]


def test_what_may_not_be_called() -> None:
    registry = Registry(allow=["now"]).with_tools(TOOLS)
    sent = [("a", "convert", GOOD), ("b", "convert", '{"ti'), ("c", "now", "{}")]
    results = results_of(chat(*sent), conversation=registry.conversation())
    assert [output.kind for output in results.outputs] == ["not_permitted", "not_permitted", None]


def test_secrets_of_malformed_arguments_are_not_told() -> None:
    registry = Registry(secrets=["password"]).with_tools(TOOLS)
    sent = '{"time": "1", "password": "hunter2", "password": "hunter2"}'
    results = results_of(chat(("a", "convert", sent)), conversation=registry.conversation())
    assert "hunter2" not in results[0]["content"]


PICTURE = {
    "content": [
        {"type": "text", "text": "a dot"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ],
    "isError": False,
    "_meta": {"hidden": 1},
}


@for_each(WIRES, ids=lambda wire: wire.provider)
def test_images_of_mcp_results_and_results_that_say_nothing(wire: Wire) -> None:
    provider: Any = wire.provider
    response = wire.answer([("a", "now", "{}")], True)
    results = results_of(response, provider, handlers=lambda name, payload: PICTURE)
    shown = repr(results)
    assert "a dot" in shown
    assert "hidden" not in shown
    assert "AAAA" in shown or "x00" in shown
    assert len(results) == (2 if provider == "openai" else 1)  # in a message of the user's
    results = results_of(response, provider, handlers=lambda name, payload: "  ")
    answer = Transcript((decode_response(response, provider).turn,))
    own = MODULES[provider].encode_messages(answer).messages
    assert check([wire.user("go"), *own, *wire.wrap(results)], provider) == []


OTHERS: list[tuple[str, JsonObject]] = [
    ("custom", {"type": "custom_tool_call", "call_id": "x", "name": "grep", "input": "a.*b"}),
    ("custom", {"type": "custom_tool_call", "call_id": "x", "name": "convert", "input": "12:30"}),
    ("shell", {"type": "shell_call", "call_id": "x", "action": {"commands": ["ls"]}}),
    ("local_shell", {"type": "local_shell_call", "call_id": "x", "action": {"command": ["ls"]}}),
    (
        "apply_patch",
        {"type": "apply_patch_call", "call_id": "x", "operation": {"type": "delete_file", "path": "a"}},
    ),
    ("computer", {"type": "computer_call", "call_id": "x", "action": {"type": "screenshot"}}),
    (
        "mcp_approval",
        {"type": "mcp_approval_request", "id": "x", "name": "pay", "arguments": "{}", "server_label": "s"},
    ),
    (
        "tool_search",
        {"type": "tool_search_call", "call_id": "x", "execution": "client", "arguments": {"query": "q"}},
    ),
]
SERVERS_OWN: list[JsonObject] = [
    {"type": "web_search_call", "id": "x", "status": "completed"},
    {"type": "mcp_call", "id": "x", "name": "pay", "arguments": "{}"},
    {"type": "tool_search_call", "call_id": "x", "execution": "server", "arguments": {}},
    {"type": "shell_call", "call_id": "x", "action": {}, "environment": {"type": "container_auto"}},
]


def responded(*items: JsonObject) -> JsonObject:
    own = {"type": "function_call", "call_id": "f", "name": "convert", "arguments": GOOD}
    return {"id": "r", "status": "completed", "output": [own, *items]}


def streamed(*items: JsonObject, status: str = "completed") -> Any:
    events: list[JsonObject] = [
        {"type": f"response.output_item.{event}", "output_index": index, "item": item}
        for index, item in enumerate(items)
        for event in ("added", "done")
    ]
    end = {"type": f"response.{status}", "response": {"status": status, "output": list(items)}}
    return assembled("openai_responses", [*events, end])


@for_each(OTHERS, ids=[item["type"] for _, item in OTHERS])
def test_what_is_no_function_is_left_to_the_caller_by_its_id(of: str, item: JsonObject) -> None:
    options: Any = {"provider": "openai_responses"}
    conversation = Conversation(TOOLS)
    whole = loop.results(responded(item), conversation, HANDLERS, **options)
    assert conversation.ledger.total.attempted == 1
    assert [(result["type"], result["call_id"]) for result in whole] == [("function_call_output", "f")]
    source = whole.left[0].source
    assert source.value == item
    awaited = asyncio.run(loop.aresults(responded(item), Conversation(TOOLS), HANDLERS, **options))
    stream = streamed(*responded(item)["output"])
    for results in (whole, awaited, loop.results(stream, Conversation(TOOLS), HANDLERS, **options)):
        assert [(call.kind, call.id, call.ready) for call in results.left] == [(of, "x", True)]
        assert results == whole
    cut = streamed(item, status="incomplete")
    results = loop.results(cut, Conversation(TOOLS), HANDLERS, **options)
    assert [(call.kind, call.ready) for call in results.left] == [(of, False)]


@for_each(SERVERS_OWN, ids=lambda item: item["type"])
def test_what_the_server_runs_itself_is_not_left(item: JsonObject) -> None:
    for answer in (responded(item), streamed(*responded(item)["output"])):
        results = results_of(answer, "openai_responses")
        assert (len(results), results.left) == (1, ())


@for_each(["memory", "bash", "computer", "str_replace_based_edit_tool"])
def test_a_client_tool_of_anthropic_is_left_to_the_caller(name: str) -> None:
    use = {"type": "tool_use", "id": "x", "name": name, "input": {"command": "view"}}
    response = {"content": [use, {**use, "id": "y", "name": "now", "input": {}}], "stop_reason": "tool_use"}
    results = results_of(response, "anthropic")
    assert [(call.name, call.id, call.ready) for call in results.left] == [(name, "x", True)]
    assert [result["tool_use_id"] for result in results] == ["y"]
    own = compile_tools(
        [{"name": name, "inputSchema": {"type": "object"}}, {"name": "now", "inputSchema": {}}]
    )
    handlers = {name: lambda _: "done", "now": lambda _: "now"}
    results = results_of(response, "anthropic", handlers=handlers, conversation=Conversation(own))
    assert (len(results), results.left) == (2, ())


def test_a_function_that_tool_search_found_is_run() -> None:
    item = {"type": "function_call", "call_id": "x", "namespace": "now", "name": "now", "arguments": "{}"}
    response = {"output": [item], "status": "completed"}
    results = results_of(response, "openai_responses")
    assert [output.executed for output in results.outputs] == [True]
    assert [result["call_id"] for result in results] == ["x"]
    transcript = openai_responses.decode_messages([item])
    assert openai_responses.encode_messages(transcript).messages == [item]


def test_a_custom_call_of_chat_completions_is_left_to_the_caller() -> None:
    response = chat(("f", "convert", GOOD))
    custom = {"id": "x", "type": "custom", "custom": {"name": "grep", "input": "a.*b"}}
    response["choices"][0]["message"]["tool_calls"].append(custom)
    results = results_of(response)
    assert [result["tool_call_id"] for result in results] == ["f"]
    assert [(call.kind, call.id, call.input) for call in results.left] == [("custom", "x", "a.*b")]


def test_reported_errors_and_failing_handlers_are_flagged() -> None:
    wire = next(wire for wire in WIRES if wire.provider == "anthropic")
    response = wire.answer([("a", "now", "{}"), ("b", "convert", GOOD), ("c", "ping", "{}")], True)

    def fail(payload: Any) -> Any:
        raise ToolExecutionError(ToolErrorKind.TRANSPORT_ERROR, "the line is down")

    reported = {"content": [{"type": "text", "text": "boom"}], "isError": True}
    handlers = {"now": lambda payload: reported, "convert": fail, "ping": lambda payload: "fine"}
    results = results_of(response, "anthropic", handlers=handlers)
    assert [said(wire, result) for result in results][::2] == [("boom", True), ("fine", False)]
    assert "the line is down" in said(wire, results[1])[0]
    assert results[1]["is_error"] is True


def test_parallel_calls_run_at_once_and_keep_their_order() -> None:
    async def work() -> loop.Results:
        both = asyncio.Barrier(2)
        order = iter((0.02, 0))

        async def wait(payload: Any) -> str:
            await both.wait()
            await asyncio.sleep(next(order))
            return str(payload["time"])

        response = chat(
            ("a", "convert", '{"time": "1"}'), ("x", "convert", "{"), ("b", "convert", '{"time": "2"}')
        )
        return await loop.aresults(response, Conversation(TOOLS), {"convert": wait}, provider="openai")

    results = asyncio.run(asyncio.wait_for(work(), 10))
    assert [result["tool_call_id"] for result in results] == ["a", "x", "b"]
    assert [results[0]["content"], results[2]["content"]] == ["1", "2"]


def test_a_mistake_of_the_program_is_raised_before_a_call_runs() -> None:
    ended: list[str] = []

    async def slow(payload: Any) -> None:
        await asyncio.sleep(0.02)
        ended.append("slow")

    def wrong(one: Any, two: Any) -> None:
        raise AssertionError

    async def work() -> None:
        handlers = {"now": slow, "convert": wrong}
        response = chat(("a", "convert", GOOD), ("b", "now", "{}"))
        with pytest.raises(TypeError, match="convert"):
            await loop.aresults(response, Conversation(TOOLS), handlers, provider="openai")
        assert ended == []

    asyncio.run(work())


def test_one_callable_for_all_sync_and_async() -> None:
    async def call_tool(name: str, arguments: JsonObject | None = None, timeout: float = 1) -> Any:
        return {"content": [{"type": "text", "text": f"{name} {arguments} {timeout}"}], "isError": False}

    sent = chat(("a", "convert", GOOD))
    aresults = loop.aresults(sent, Conversation(TOOLS), call_tool, provider="openai")
    for (result,) in (
        asyncio.run(aresults),
        results_of(sent, handlers=call_tool),
    ):
        assert result["content"] == "convert {'time': '12:30'} 1"


def test_an_answer_is_a_round_whose_calls_are_not_each_others_past() -> None:
    conversation = Conversation(TOOLS)
    response = chat(*((call_id, "convert", "{}") for call_id in "abc"))
    for streak, recovery in enumerate(("correct", "ask_user", "give_up"), 1):
        results = results_of(response, conversation=conversation)
        assert len({result["content"] for result in results}) == 1
        assert [output.recovery for output in results.outputs] == [recovery] * 3
        assert (conversation.ledger.failure_streak, conversation.ledger.round.attempted) == (streak, 3)
    assert "It failed 3 times in the same way" in results[0]["content"]


def test_calls_of_one_step_are_one_round() -> None:
    checks = Checks("t", {}, Registry().with_tools(TOOLS))
    for step, attempted in ((1, 1), (1, 2), (2, 1)):
        conversation = checks.conversation("run", step)
        conversation.call("ping", {}, HANDLERS["ping"])
        assert conversation.ledger.round.attempted == attempted


def test_an_answer_of_the_user_changes_a_call() -> None:
    call, arguments = Call(Conversation(TOOLS, ask=True), "convert", {}, can_ask=True), JsonObject()
    call.answered("accept", {"time": "12:30"})
    call.repair(arguments)
    assert arguments == {"time": "12:30"}


def test_an_unknown_provider_is_said() -> None:
    named = "anthropic, bedrock, gemini, gemini_interactions, openai, openai_responses"
    for provider in ("mcp", "azure", "boto3"):
        with pytest.raises(ValueError, match=named):
            loop.results([], Conversation(TOOLS), {}, provider=provider)  # type: ignore[arg-type]


@for_each([("x", "not a str"), (b"x", "not a bytes"), ([{}], "not a list with dict")])
def test_what_is_no_response_is_said(received: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        results_of(received, handlers={})


def test_a_part_that_an_sdk_wrote_out_is_not_a_call() -> None:
    """google-genai dumps every member that a part can have, as null where it has none."""
    part = {"text": "done", "functionCall": None, "functionResponse": None}
    content = {"role": "model", "parts": [part]}
    response = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    assert results_of(response, "gemini", handlers={}) == []
