"""`Conversation` and `Registry.check`: what is kept of a run, and calls that something else runs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from helpers.support import for_each, python
from helpers.two_tools import BAD, GOOD, TOOLS, facts, never, registry

from toolgen_adapters.checks import Checks
from toolgen_runtime import (
    Conversation,
    Registry,
    ToolErrorKind,
    ToolExecutionError,
    ToolOutput,
    Toolset,
    Toolsets,
)
from toolgen_runtime.calls.hooks import IssueFound
from toolgen_runtime.calls.options import CallOptions, Options
from toolgen_runtime.calls.policy import CALL_OPTIONS, OPTIONS, refuse_unknown

BOOM = {"content": [{"type": "text", "text": "boom"}], "isError": True}
REPAIRABLE = {"title": "a", "project_id": "7"}


def test_a_registry_is_a_collection_of_names() -> None:
    target = registry()
    assert len(target) == 2
    assert list(target) == ["create_ticket", "now"]
    assert "now" in target
    assert "nope" not in target
    assert 7 not in target
    assert repr(target) == "Registry(2 tools)"
    assert repr(target.conversation()) == "Conversation(Registry(2 tools))"


TAKE = (Registry().register, Conversation)


@for_each(
    [
        (TOOLS["now"], TAKE, r"for one tool, pass \{'now': tool\}"),
        (None, TAKE, "not a NoneType"),
        ("agent_tools", TAKE, "not a str"),
        ([TOOLS["now"]], TAKE[:1], "mapping from names to tools, not a list"),  # a conversation takes them
        (iter(()), TAKE[:1], "mapping from names to tools"),
    ]
)
def test_what_is_not_a_toolset_is_a_type_error(given: Any, takes: tuple[Any, ...], says: str) -> None:
    for take in takes:
        with pytest.raises(TypeError, match=says):
            take(given)


def toolset(*names: str) -> Toolset:
    return Toolset("servers", dict.fromkeys(names, "now"), lambda module: TOOLS[module])


@for_each([Conversation, lambda given: Registry().with_tools(given)])
def test_the_tools_of_several_toolsets_are_named_after_these(take: Callable[[Any], Any]) -> None:
    servers = {"github": toolset("create_issue", "close"), "jira": toolset("create_issue")}
    taken = take(servers)
    registry = taken.registry if isinstance(taken, Conversation) else taken
    assert list(registry) == ["github_create_issue", "github_close", "jira_create_issue"]
    assert taken.check("jira_create_issue", {}).ok
    with pytest.raises(ValueError, match="'git_hub_x'"):
        take({"git": toolset("hub_x"), "git_hub": toolset("x")})


def test_the_toolsets_of_a_package_are_taken_as_they_are() -> None:
    assert list(Conversation(Toolsets("agent_tools", {})).registry) == []


@for_each([GOOD, json.dumps(GOOD)])
def test_a_check_runs_nothing_and_counts_nothing(arguments: Any) -> None:
    calls: list[Any] = []
    target = registry(on_call=calls.append).conversation()
    output = target.check("create_ticket", arguments, call_id="c1")
    assert output == ToolOutput("create_ticket", "c1", payload=GOOD)
    assert (output.ok, output.executed) == (True, False)
    assert (target.ledger.turn.attempted, calls) == (0, [])


@for_each(
    [
        ("create_ticket", BAD, {}, "invalid_parameters"),
        ("create_ticket", '{"title": "Logi', {}, "invalid_parameters"),
        ("create_ticket", None, {"absent": "reject"}, "invalid_parameters"),
        ("createTicket", GOOD, {}, "unknown_tool"),
        ("", GOOD, {}, "unknown_tool"),
        ("create_ticket", GOOD, {"allow": ["now"]}, "not_permitted"),
        ("create_ticket", GOOD, {"calls_per_turn": 0}, "limit_exceeded"),
    ]
)
def test_a_check_refuses_what_a_call_refuses(
    name: str, arguments: Any, settings: dict[str, Any], kind: str
) -> None:
    target = registry(**settings)
    checked, called = target.check(name, arguments), target.call(name, arguments, never)
    assert facts(checked) == facts(called)
    assert checked.kind == kind
    assert checked.text() == called.text()
    assert checked.retry_hint == called.retry_hint


def test_a_check_repairs_and_shows_its_issues() -> None:
    seen: list[IssueFound] = []
    output = registry(repair=True, on_issue=seen.append).check("create_ticket", REPAIRABLE)
    assert output.ok
    assert output.payload == {"title": "a", "project_id": 7}
    assert len(output.repairs) == len(seen) == 1


def test_a_conversation_remembers_the_last_hint_of_each_tool() -> None:
    target = Conversation(TOOLS)
    for attempt in (1, 2):
        output = target.call("create_ticket", {}, never)
        assert output.retry_hint.attempts == attempt
    assert target.check("create_ticket", {}).recovery == "give_up"
    other = target.call("createTicket", {}, never)
    assert other.retry_hint.attempts == 1
    assert asyncio.run(target.acall("create_ticket", GOOD, lambda: 1)).ok  # ends the row of failures
    assert target.call("createTicket", {}, never).retry_hint.attempts == 1  # and that of unknown names
    for forget in (
        lambda: target.call("create_ticket", GOOD, lambda: 1),
        target.begin_turn,
        target.begin_round,
    ):
        for attempt in (1, 2):
            hint = target.hint("create_ticket", TOOLS["create_ticket"].validate({}), payload={})
            assert hint.attempts == attempt
        forget()


def test_conversations_share_nothing_but_the_registry() -> None:
    shared = registry(calls_per_turn=1)
    assert all(shared.call("now", {}, lambda: 1).ok for _ in range(3)), (
        "each call is a conversation of its own"
    )
    one, two = shared.conversation(), shared.conversation()
    assert one.call("now", {}, lambda: 1).ok
    assert one.call("now", {}, never).kind == "limit_exceeded"
    assert one.check("now", {}).kind == "limit_exceeded"
    one.call("create_ticket", BAD, never)
    assert two.call("now", {}, lambda: 1).ok
    again = two.check("create_ticket", BAD)
    assert again.retry_hint.attempts == 1
    ended = one.begin_turn()
    assert (ended.attempted, ended.executed) == (3, 1)
    assert one.call("now", {}, lambda: 1).ok
    one.begin_round()
    assert one.ledger.round.attempted == 0
    assert one.ledger.total.attempted == 4


def test_a_conversations_options_stand_before_the_registrys() -> None:
    shared = registry(absent="reject")
    assert shared.conversation().check("now", None).kind == "invalid_parameters"
    assert shared.conversation(absent="empty").check("now", None).ok
    assert shared.conversation(repair=True).check("create_ticket", REPAIRABLE).ok
    assert not shared.conversation().check("create_ticket", REPAIRABLE).ok
    assert not registry(repair=True).conversation(repair=False).check("create_ticket", REPAIRABLE).ok
    brief = shared.conversation(max_chars=60).check("create_ticket", BAD)
    assert len(brief.text()) <= 60 < len(brief.text(600))
    assert len(registry(max_chars=60).call("create_ticket", BAD, never).text()) <= 60
    with pytest.raises(ValueError, match=r"^absent: "):
        shared.conversation(absent="null")
    with pytest.raises(TypeError, match="calls_per_turn"):
        shared.conversation(calls_per_turn=1)


@for_each(
    [
        ({"id": 1}, (None, True, None), '{"id": 1}'),
        (None, (None, True, None), "null"),
        (BOOM, ("execution_error", True, "correct"), "boom"),
        (float("nan"), ("execution_error", True, "retry"), "malformed"),
        (TimeoutError("slow"), ("timeout", True, "check_first"), "slow"),
        (KeyError("hunter2"), ("internal_error", True, "give_up"), "KeyError"),
        (
            ToolExecutionError(ToolErrorKind.INVALID_PARAMETERS, "no such project"),
            ("invalid_parameters", False, "correct"),
            "no such project",
        ),
    ]
)
def test_a_call_that_ran_elsewhere_is_booked(result: Any, expected: Any, text: str) -> None:
    target = registry(repair=True, calls_per_turn=1).conversation()
    checked = target.check("create_ticket", REPAIRABLE, call_id="c1")
    assert target.ledger.turn.attempted == 0
    output = target.returned(checked, result)
    assert facts(output) == expected
    assert text in output.text()
    assert (output.call_id, output.payload, output.repairs) == ("c1", checked.payload, checked.repairs)
    counts = target.ledger.turn
    assert (counts.attempted, counts.executed, counts.succeeded) == (1, expected[1], expected[0] is None)
    assert target.check("now", {}).kind == "limit_exceeded"


def test_a_refused_call_is_booked_as_it_is() -> None:
    target = registry().conversation()
    checked = target.check("create_ticket", BAD)
    assert target.returned(checked) is checked
    assert target.ledger.failed
    ran = target.call("now", {}, lambda: 1)
    with pytest.raises(ValueError, match="now: the call has already run"):
        target.returned(ran, 1)
    assert target.ledger.turn.attempted == 2


# -- hooks of calls that something else runs ----------------------------------------------------------------------


def test_hooks_see_a_refused_check_with_its_issues_and_its_hint() -> None:
    seen: list[Any] = []
    target = registry(on_call=lambda started: seen.append(started) or seen.append, on_issue=seen.append)
    conversation = target.conversation()
    output = conversation.check("create_ticket", BAD, call_id="c1")
    started, first, second, ended = seen
    assert (started.tool, started.call_id, started.arguments, started.elsewhere) == (
        "create_ticket",
        "c1",
        BAD,
        True,
    )
    assert [found.issue.field for found in (first, second)] == ["project_id", "priority"]
    assert started.at > 0
    assert ended is output
    assert ended.retry_hint is not None
    conversation.returned(output)
    assert len(seen) == 4, "a call is seen once"


@for_each([({"a": 1}, None), (BOOM, "execution_error"), (float("nan"), "execution_error")])
def test_hooks_see_a_call_when_it_has_returned(result: Any, kind: str | None) -> None:
    seen: list[Any] = []
    target = registry(on_call=lambda started: seen.append(started) or seen.append, on_issue=seen.append)
    conversation = target.conversation()
    before = time.time()
    checked = conversation.check("create_ticket", GOOD)
    assert seen == []
    between = time.time()
    output = conversation.returned(checked, result)
    started, ended = seen
    assert before <= started.at <= between, "it began when it was checked"
    assert started.elsewhere
    assert (ended, ended.kind) == (output, kind)


def test_failures_write_nothing_where_logging_is_not_set_up() -> None:
    code = """if True:
        import logging
        from toolgen_runtime import Conversation
        conversation = Conversation([{"name": "t", "inputSchema": {"required": ["a"]}}])
        assert conversation.call("t", {}, print).kind == "invalid_parameters"
        logging.basicConfig()
        conversation.call("t", {}, print)
    """
    assert python("-c", code).stderr == "WARNING:toolgen_runtime.calls:t: invalid_parameters\n"


def test_the_options_of_adapters_are_those_of_a_registry() -> None:
    assert (Options.__annotations__.keys(), CallOptions.__annotations__.keys()) == (OPTIONS, CALL_OPTIONS)
    with pytest.raises(TypeError, match=r"x\(\) has no option 'max_char'; did you mean 'max_chars'\?"):
        refuse_unknown("x()", ["max_char"])


def test_a_call_that_was_abandoned_elsewhere_is_executed() -> None:
    ended: list[Any] = []
    target = registry(on_call=lambda call: ended.append, calls_per_turn=1)
    one = target.conversation()
    one.abandoned(one.check("create_ticket", GOOD))
    assert ended == [None]
    assert (one.ledger.turn.attempted, one.ledger.turn.executed, one.ledger.failure_streak) == (1, 1, 0)
    assert one.check("create_ticket", GOOD).kind == "limit_exceeded"


def test_accepts_shows_nothing() -> None:
    seen: list[Any] = []
    one = registry(on_call=seen.append, on_issue=seen.append).conversation()
    assert (one.accepts("create_ticket", GOOD), one.accepts("create_ticket", {})) == (True, False)
    assert seen == []
    assert one.ledger.turn.attempted == 0


def test_the_conversation_that_was_used_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen_runtime.calls.recent.MAX_RECENT", 2)
    checks = Checks("x()", {}, TOOLS)
    first, second = checks.conversation(1), checks.conversation(2)
    assert checks.conversation(1) is first
    checks.conversation(3)
    assert checks.conversation(1) is first
    assert checks.conversation(2) is not second
