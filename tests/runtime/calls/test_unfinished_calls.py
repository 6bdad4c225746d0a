"""Calls that are neither done nor failed: MCP tools that need input first, or run on as tasks."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from helpers.support import for_each
from helpers.two_tools import GOOD, both, registry
from mcp import types as mcp_types

from toolgen_runtime import Conversation, InputRequest, ToolOutput

STATE = "opaque-state-of-the-server"
ELICIT = {
    "method": "elicitation/create",
    "params": {"message": "Which account?\nAll?", "requestedSchema": {"type": "object"}},
}
SAMPLE = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}
ROOTS = {"method": "roots/list"}
ASKING = {
    "resultType": "input_required",
    "inputRequests": {"who": ELICIT, "draft": SAMPLE, "where": ROOTS, "odd": 5},
    "requestState": STATE,
}
TASK = {"task": {"taskId": "7", "status": "working", "statusMessage": "Half\nway."}}
DONE = {"content": [{"type": "text", "text": "paid"}]}
FAILED = {**DONE, "isError": True}
OBJECTS: list[Any] = [
    ASKING,
    {"result_type": "input_required", "input_requests": ASKING["inputRequests"], "request_state": STATE},
    mcp_types.InputRequiredResult.model_validate(
        {"inputRequests": {"who": ELICIT, "draft": SAMPLE, "where": ROOTS}, "requestState": STATE}
    ),
]


def conversation(**options: Any) -> Conversation:
    return registry(**options).conversation()


def call(
    target: Conversation, result: Any, way: str = "call", arguments: Any = GOOD, call_id: str | None = None
) -> ToolOutput:
    if way == "call":
        return target.call("create_ticket", arguments, lambda _: result, call_id=call_id)

    async def handler(_: Any) -> Any:
        return result

    return asyncio.run(target.acall("create_ticket", arguments, handler, call_id=call_id))


@both
@for_each(OBJECTS, ids=["wire", "python", "object"])
def test_a_tool_that_needs_input_says_what_and_of_whom(result: Any, *, way: str) -> None:
    output = call(conversation(), result, way)
    assert (output.state, output.kind, output.error, output.recovery) == ("needs_input", None, None, None)
    who, draft, where = output.input_requests
    given = {name: value for name, value in who.params.items() if value is not None and name != "mode"}
    assert given == ELICIT["params"]
    assert who == InputRequest("who", "elicitation/create", "user", "Which account?\nAll?", who.params)
    assert (draft.asked, where.asked) == ("model", "client")
    assert draft.params["maxTokens"] == 5
    assert output.text() == (
        "The tool is not done: it needs input first. It asks the user: Which account? All?"
    )


@for_each(OBJECTS, ids=["wire", "python", "object"])
def test_the_state_of_a_request_is_kept_and_shown_nowhere(
    result: Any, *, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[Any] = []
    caplog.set_level(logging.DEBUG, "toolgen_runtime")
    target = conversation(on_call=lambda started: seen.append(started) or seen.append, on_issue=seen.append)
    output = call(target, result)
    assert output.request_state == STATE
    for shown in (repr(output), output.text(), repr(output.result), repr(seen), caplog.text):
        assert STATE not in shown


@for_each(
    [
        (TASK, "running", "The tool is not done: it runs as a task. Half way."),
        ({"resultType": "task", "taskId": "7", "status": "working"}, "running", "it runs as a task."),
        ({"task": {"taskId": "7", "status": "input_required"}}, "needs_input", "it needs input first."),
        ({"task": {"task_id": "7", "status": "completed"}}, "running", "it runs as a task."),
    ]
)
def test_a_task_is_running(result: Any, state: str, text: str) -> None:
    output = call(conversation(), result)
    assert (output.state, output.kind, output.executed) == (state, None, True)
    assert output.text().endswith(text)
    assert output.result == result


@for_each(["failed", "cancelled"])
def test_a_task_that_failed_is_a_failure(status: str) -> None:
    output = call(conversation(), {"task": {"taskId": "7", "status": status, "statusMessage": "No disk."}})
    assert (output.state, output.kind) == ("done", "execution_error")
    assert output.text() == "No disk."


@for_each(["input_required", "failed"])
def test_data_that_only_looks_like_a_task_is_data(status: str) -> None:
    output = call(conversation(), {"task": {"taskId": "7", "status": status}, "assignee": "a"})
    assert (output.state, output.ok) == ("done", True)


# -- the same call, counted once --------------------------------------------------------------------------------

ENDS: list[tuple[Any, int, dict[str, int]]] = [
    (DONE, 1, {}),
    (FAILED, 0, {"execution_error": 1}),
    (TimeoutError(), 0, {"timeout": 1}),
]


def counts(target: Conversation) -> tuple[int, int, int, dict[str, int]]:
    total = target.ledger.total
    return total.attempted, total.executed, total.succeeded, dict(total.failures)


@for_each(ENDS)
def test_what_returns_later_is_the_same_call(end: Any, succeeded: int, failures: dict[str, int]) -> None:
    target = conversation(calls_per_turn=1)
    checked = target.check("create_ticket", GOOD)
    asking = target.returned(checked, ASKING)
    assert (asking.state, counts(target)) == ("needs_input", (1, 1, 0, {}))
    running = target.returned(asking, TASK)
    assert (running.state, counts(target)) == ("running", (1, 1, 0, {}))
    over = target.returned(running, end)
    assert over.state == "done"
    assert counts(target) == (1, 1, succeeded, failures)
    with pytest.raises(ValueError, match="has already run and is counted"):
        target.returned(over, end)


@both
@for_each([None, "c1"])
def test_a_retry_of_the_call_is_the_same_call(call_id: str | None, *, way: str) -> None:
    target = conversation(calls_per_turn=1)
    call(target, ASKING, way, call_id=call_id)
    assert target.check("create_ticket", GOOD, call_id=call_id).ok, "it has its place"
    assert call(target, DONE, way, dict(reversed(GOOD.items())), call_id).result == DONE
    assert counts(target) == (1, 1, 1, {})
    assert call(target, DONE, way, call_id=call_id).kind == "limit_exceeded", "that one was another"


def test_calls_that_wait_side_by_side_are_told_apart() -> None:
    target = conversation()
    first, second = (call(target, ASKING, call_id=call_id) for call_id in ("a", "b"))
    assert counts(target) == (2, 2, 0, {})
    call(target, DONE, arguments={**GOOD, "title": "another"})
    assert counts(target) == (3, 3, 1, {})
    target.returned(second, DONE)
    target.returned(first, FAILED)
    assert counts(target) == (3, 3, 2, {"execution_error": 1})


def test_a_round_that_waits_neither_fails_nor_ends_a_row_of_failures() -> None:
    target = conversation()
    target.call("create_ticket", {}, lambda: 1)
    target.begin_round()
    assert target.ledger.failure_streak == 1
    asking = call(target, ASKING)
    assert target.ledger.failure_streak == 1
    assert not target.ledger.failed
    target.begin_round()
    hint = target.check("create_ticket", {}).retry_hint
    assert hint.attempts == 2
    target.returned(asking, DONE)
    assert target.ledger.failure_streak == 0


def test_calls_that_never_end_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen_runtime.calls.recent.MAX_RECENT", 3)
    target = conversation()
    for i in range(10):
        call(target, ASKING, call_id=str(i))
    assert len(target.ledger._open) == 3
