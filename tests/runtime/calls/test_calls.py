"""`Registry.call` and `acall`: a tool's failure comes out as data, and nothing runs that should not."""

from __future__ import annotations

import collections
import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from helpers.support import for_each
from helpers.two_tools import BAD, GOOD, TOOLS, both, facts, never, registry, run

from toolgen_runtime import (
    TOOL_ERROR_KIND_MEANINGS,
    InvalidPayload,
    MalformedCallError,
    Registry,
    ToolErrorKind,
    ToolExecutionError,
    ToolOutput,
    ValidationIssue,
)
from toolgen_runtime.calls.hooks import CallStarted, IssueFound


@both
@for_each([GOOD, json.dumps(GOOD), json.dumps(GOOD).encode(), collections.UserDict(GOOD)])
def test_good_arguments_reach_the_handler(arguments: Any, *, way: str) -> None:
    output = run(
        way, "create_ticket", arguments, lambda payload: {"id": 1, "title": payload["title"]}, call_id="c1"
    )
    assert output == ToolOutput(
        "create_ticket", "c1", payload=GOOD, result={"id": 1, "title": "Login broken"}, executed=True
    )
    assert output.ok
    assert output.text() == '{"id": 1, "title": "Login broken"}'


@both
@for_each(
    [
        ('{"title": "Logi', "truncated", "retry"),
        ('{"title": ,}', "malformed_json", "correct"),
        (b'{"title": "\xff"}', "malformed_json", "correct"),
        ('{"title": "a", "title": "b", "project_id": 1}', "malformed_json", "correct"),
        ("[1, 2]", "invalid_arguments", "correct"),
        ('"x"', "invalid_arguments", "correct"),
        ([1, 2], "invalid_arguments", "correct"),
        (12, "invalid_arguments", "correct"),
        (object(), "invalid_arguments", "correct"),
    ]
)
def test_what_is_no_payload_is_a_hint(arguments: Any, reason: str, recovery: str, *, way: str) -> None:
    output = run(way, "create_ticket", arguments, never)
    assert facts(output) == ("invalid_parameters", False, recovery)
    assert output.retry_hint.reason == reason
    assert 0 < len(output.error.message) <= 200


@both
@for_each(
    [
        ("", GOOD, "c1", "name", ("unknown_tool", False, "correct")),
        ("  ", GOOD, "c1", "name", ("unknown_tool", False, "correct")),
        (None, GOOD, "c1", "name", ("unknown_tool", False, "correct")),
        (["create_ticket"], GOOD, "c1", "name", ("unknown_tool", False, "correct")),
        ("create_ticket", GOOD, "", "id", ("invalid_parameters", False, "retry")),
        ("create_ticket", GOOD, " ", "id", ("invalid_parameters", False, "retry")),
        ("create_ticket", GOOD, 7, "id", ("invalid_parameters", False, "retry")),
    ]
)
def test_nothing_missing_is_made_up(
    name: Any, arguments: Any, call_id: Any, field: str, facts_: tuple[str, bool, str], *, way: str
) -> None:
    output = run(way, name, arguments, never, call_id=call_id)
    assert facts(output) == facts_
    assert isinstance(output.error.cause, MalformedCallError)
    assert output.error.cause.field == field
    assert output.error.message.startswith(f"{field}: ")
    assert output.error.cause.raw == {"name": name, "id": call_id, "input": arguments}[field]
    assert output.tool == (name if isinstance(name, str) else "")


@both
@for_each([BAD, json.dumps(BAD)])
def test_bad_arguments_never_reach_the_handler(arguments: Any, *, way: str) -> None:
    output = run(way, "create_ticket", arguments, never, call_id="c1")
    assert facts(output) == ("invalid_parameters", False, "correct")
    assert output.error.message.startswith("project_id: ")
    assert [i.field for i in output.error.cause.issues()] == ["project_id", "priority"]
    assert output.retry_hint.reason == "invalid_arguments"
    assert [f.field for f in output.retry_hint.fields] == ["project_id", "priority"]
    assert (output.call_id, output.payload, output.result) == ("c1", BAD, None)
    assert output.text() == output.retry_hint.render()


@both
@for_each([None, "", " \n", b"", b" \n", bytearray()], ids=repr)
def test_absent_arguments_are_an_empty_object_or_refused_where_that_was_asked(
    absent: Any, *, way: str
) -> None:
    output = run(way, "now", absent, lambda payload: payload)
    assert (output.ok, output.payload, output.result) == (True, {}, {})
    assert 'add the key "title"' in run(way, "create_ticket", absent, never).text()
    for name, words in (("now", "send them"), ("create_ticket", 'add the key "title"')):
        output = run(way, name, absent, never, absent="reject")
        assert facts(output) == ("invalid_parameters", False, "correct")
        assert (output.error.cause.field, output.error.cause.raw) == ("input", absent)
        assert output.error.message.startswith("no arguments came with the call; send them as a JSON object")
        assert words in output.text()
        assert "input:" not in output.text()
    for empty in ({}, "{}"):
        assert run(way, "now", empty, lambda payload: payload, absent="reject").ok


@both
def test_a_made_up_tool_is_a_typed_failure_with_near_names(way: str) -> None:
    output = run(way, "createTicket", GOOD, never)
    assert facts(output) == ("unknown_tool", False, "correct")
    assert output.retry_hint.reason == "unknown_tool"
    assert "create_ticket" in output.text()
    hidden = run(way, "createTicket", GOOD, never, allow=["now"])
    assert "create_ticket" not in hidden.text()
    huge = run(way, "x" * 10_000 + "\n", GOOD, never)
    assert len(huge.error.message) <= 200


@both
def test_arguments_are_repaired_where_that_was_asked(way: str) -> None:
    arguments = {"title": "a", "project_id": "7", "priority": "HIGH"}
    seen: list[IssueFound] = []
    output = run(way, "create_ticket", arguments, dict, repair=True, on_issue=seen.append)
    assert output.ok
    assert output.result == output.payload == {"title": "a", "project_id": 7, "priority": "high"}
    assert [change["path"] for change in output.repairs] == [("project_id",), ("priority",)]
    assert [found.issue.field for found in seen] == ["project_id", "priority"]
    assert arguments["project_id"] == "7"
    hopeless = run(way, "create_ticket", {"title": "a", "project_id": "seven"}, never, repair=True)
    assert facts(hopeless) == ("invalid_parameters", False, "correct")
    assert hopeless.repairs == ()


# ---- failures of handlers ----


@both
@for_each(ToolErrorKind)
def test_a_handlers_own_kind_is_kept(kind: ToolErrorKind, *, way: str) -> None:
    error = ToolExecutionError(kind, "no such project", code=404)

    def handler(_: Any) -> None:
        raise error

    output = run(way, "create_ticket", GOOD, handler)
    assert (output.kind, output.executed) == (kind, TOOL_ERROR_KIND_MEANINGS[kind].executed)
    may_repeat = (
        error.recovery != "retry"
    )  # of a tool that may have run, and did not say that it may run twice
    assert output.recovery == (error.recovery if may_repeat else "check_first")
    assert (output.error.message, output.error.cause) == ("no such project", error)
    assert (output.retry_hint is not None) == (kind == "invalid_parameters")


@both
@for_each(
    [
        ("execution_error", True, "create_ticket failed (execution_error): it is closed. Ask the user."),
        (
            "invalid_parameters",
            False,
            "create_ticket was not run (invalid_parameters): it is closed. Ask the user.",
        ),
    ]
)
def test_a_handlers_own_recovery_is_kept(kind: Any, executed: bool, text: str, *, way: str) -> None:
    def handler(_: Any) -> None:
        raise ToolExecutionError(kind, "it is closed.", recovery="ask_user")

    output = run(way, "create_ticket", GOOD, handler)
    assert facts(output) == (kind, executed, "ask_user")
    assert (output.text(), output.retry_hint) == (text, None)


def test_a_handler_that_keeps_refusing_the_same_arguments_ends_in_giving_up() -> None:
    def picky(_: Any) -> None:
        raise ToolExecutionError(ToolErrorKind.INVALID_PARAMETERS, "the end is before the start")

    target, recoveries = registry().conversation(), []
    for _ in range(3):
        output = target.call("create_ticket", GOOD, picky)
        recoveries.append(output.recovery)
    assert recoveries == ["correct", "correct", "give_up"]
    assert "the end is before the start" in output.text()


@both
@for_each(
    [
        (TimeoutError(), ("timeout", True, "check_first"), "the tool failed with TimeoutError"),
        (
            ConnectionRefusedError(111, "Connection refused"),
            ("transport_error", True, "check_first"),
            "[Errno 111] C",
        ),
        (ValueError("no such\nissue: 12"), ("execution_error", True, "correct"), "no such issue: 12"),
        (ValueError("x" * 5000), ("execution_error", True, "correct"), "xxxx"),
        (StopIteration("x"), ("execution_error", True, "correct"), ""),
        # a bug's own words are about the code and hold values: not for the model
        (KeyError("hunter2"), ("internal_error", True, "give_up"), "the tool failed with KeyError"),
        (
            RecursionError("hunter2"),
            ("internal_error", True, "give_up"),
            "the tool failed with RecursionError",
        ),
    ]
)
def test_any_other_exception_is_classified_once(
    error: Exception, expected: tuple[str, bool, str], message: str, *, way: str
) -> None:
    def handler(_: Any) -> None:
        raise error

    output = run(way, "create_ticket", GOOD, handler)
    assert facts(output) == expected
    cause = output.error.cause
    assert error in (cause, getattr(cause, "__cause__", None))  # PEP 479 wraps a StopIteration
    assert output.error.message.startswith(message)
    assert len(output.error.message) <= 200
    assert "\n" not in output.error.message
    assert output.text().startswith(
        f"create_ticket failed ({output.kind}): {output.error.message.rstrip('.')}"
    )
    assert output.text().endswith(
        {"retry": " again.", "give_up": " not help."}.get(output.recovery or "", ".")
    )


@both
def test_a_handler_may_find_the_arguments_invalid(way: str) -> None:
    def handler(_: Any) -> None:
        raise InvalidPayload("create_ticket", [ValidationIssue(("project_id",), "enum", [1, 2], 7)])

    output = run(way, "create_ticket", GOOD, handler)
    assert facts(output) == ("invalid_parameters", False, "correct")
    assert output.retry_hint.fields[0].field == "project_id"

    def elsewhere(_: Any) -> None:
        raise InvalidPayload("another_tool", [ValidationIssue(("x",), "required", True)])

    assert facts(run(way, "create_ticket", GOOD, elsewhere)) == ("execution_error", True, "correct")


# ---- limits ----


@both
def test_the_allowlist(way: str) -> None:
    output = run(way, "create_ticket", GOOD, never, allow=["now"])
    assert facts(output) == ("not_permitted", False, "give_up")
    assert output.retry_hint is None
    assert output.text() == (
        "create_ticket was not run (not_permitted): it may not be called here. "
        "Calling it again will not help."
    )
    assert run(way, "now", {}, lambda: 1, allow=["now"]).ok
    assert run(way, "now", {}, never, allow=[]).kind == "not_permitted"
    assert run(way, "nope", {}, never, allow=["now"]).kind == "unknown_tool"


def test_the_limit_counts_tools_that_run_in_a_turn() -> None:
    target = registry(calls_per_turn=2).conversation()
    assert target.call("create_ticket", BAD, never).kind == "invalid_parameters"
    assert target.call("nope", {}, never).kind == "unknown_tool"
    assert target.call("now", {}, lambda: 1).ok
    assert target.call("now", {}, lambda: 1 / 0).kind == "internal_error"
    refused = target.call("now", {}, never)
    assert facts(refused) == ("limit_exceeded", False, "give_up")
    assert target.ledger.turn.executed == 2
    target.begin_turn()
    assert target.call("now", {}, lambda: 1).ok


# ---- who watches ----


def test_one_record_a_failure_and_no_values(caplog: pytest.LogCaptureFixture) -> None:
    def handler(_: Any) -> None:
        raise ValueError("hunter2")

    with caplog.at_level(logging.INFO, "toolgen_runtime"):
        registry().call("now", {}, lambda: 1)
        assert not caplog.records
        registry().call("create_ticket", {"title": "hunter2", "project_id": "hunter2"}, never, call_id="c9")
        registry().call("create_ticket", {**GOOD, "title": "hunter2"}, handler)
        registry(absent="reject").call("create_ticket", None, never)
    invalid, failed, missing = caplog.records
    assert invalid.levelname == "WARNING"
    assert invalid.name == "toolgen_runtime.calls"
    seen = invalid.__dict__
    assert (seen["tool"], seen["call_id"], seen["kind"]) == ("create_ticket", "c9", "invalid_parameters")
    assert (seen["executed"], seen["recovery"], seen["fields"]) == (False, "correct", ["project_id"])
    assert (seen["error_type"], seen["duration_ms"] >= 0) == ("InvalidPayload", True)
    assert (failed.__dict__["kind"], failed.__dict__["error_type"]) == ("execution_error", "ValueError")
    assert missing.__dict__["fields"] == ["input"]
    formatter = logging.Formatter()
    assert not [r for r in caplog.records if "hunter2" in formatter.format(r) + str(r.__dict__)]


def test_the_values_are_there_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "toolgen_runtime"):
        registry().call("create_ticket", BAD, never)
    assert [r.levelname for r in caplog.records] == ["WARNING", "DEBUG"]
    assert "seven" in caplog.text


@both
def test_hooks_see_each_call_and_each_issue(way: str) -> None:
    seen: list[Any] = []

    def on_call(started: CallStarted) -> Callable[[ToolOutput | None], None]:
        seen.append(started)
        return seen.append

    run(way, "create_ticket", BAD, never, call_id="c1", on_call=on_call, on_issue=seen.append)
    started, first, second, output = seen
    assert started == CallStarted("create_ticket", "c1", BAD)
    assert (first.tool, first.call_id, first.issue.field) == ("create_ticket", "c1", "project_id")
    assert second.issue.field == "priority"
    assert output.kind == "invalid_parameters"


@both
def test_a_broken_hook_breaks_no_call(way: str, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Any) -> Any:
        raise ValueError("hunter2")

    assert run(way, "now", {}, lambda: 1, on_call=broken, on_issue=broken).ok
    assert run(way, "now", {}, lambda: 1, on_call=lambda _: broken).ok
    assert run(way, "create_ticket", BAD, never, on_issue=broken).kind == "invalid_parameters"
    assert "a hook failed with ValueError" in caplog.text
    assert "hunter2" not in caplog.text


# ---- many at once ----


def test_registering_during_calls() -> None:
    target = registry()
    stop = threading.Event()
    failures: list[ToolOutput] = []

    def keep_calling() -> None:
        while not stop.is_set():
            output = target.call("create_ticket", BAD, never)
            if output.kind != "invalid_parameters" or not target.call("now", {}, lambda: 1).ok:
                failures.append(output)

    threads = [threading.Thread(target=keep_calling) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(50):
        target.register(TOOLS, prefix=f"p{number}_")
        assert target.call(f"p{number}_now", {}, lambda: "12:00").ok
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_prefixed_name_is_the_one_that_everybody_sees() -> None:
    target = Registry(allow=["desk_create_ticket"])
    target.register(TOOLS, prefix="desk_")
    output = target.call("desk_create_ticket", BAD, never)
    assert output.tool == "desk_create_ticket"
    assert output.text().startswith("desk_create_ticket was not run")

    def handler(_: Any) -> None:
        raise InvalidPayload("create_ticket", [ValidationIssue(("project_id",), "enum", [1], 7)])

    assert target.call("desk_create_ticket", GOOD, handler).kind == "invalid_parameters"
    assert target.call("create_ticket", GOOD, handler).kind == "unknown_tool"
