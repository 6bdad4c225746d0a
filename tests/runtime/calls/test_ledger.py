"""`TurnLedger`: what counts, when a turn has failed, how long a streak is."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from hypothesis import example, given, strategies as st

from toolgen_runtime import (
    TOOL_ERROR_KIND_MEANINGS,
    ToolErrorKind,
    ToolExecutionError,
    ToolOutput,
    TurnLedger,
)


@dataclass(frozen=True)
class Outcome:
    kind: ToolErrorKind | None
    executed: bool


OK = Outcome(None, True)


def outcome(kind: str) -> Outcome | ToolExecutionError:
    return OK if kind == "ok" else ToolExecutionError(ToolErrorKind(kind), "x")


def test_failures_are_counted_by_kind_and_over_turns() -> None:
    ledger = TurnLedger()
    for kind in ("timeout", "unknown_tool", "timeout", "ok"):
        ledger.record(outcome(kind))
    ended = ledger.begin_turn()
    assert dict(ended.failures) == {"timeout": 2, "unknown_tool": 1}
    assert ledger.turn.attempted == 0
    ledger.record(outcome("timeout"))
    assert dict(ledger.turn.failures) == {"timeout": 1}
    assert dict(ledger.total.failures) == {"timeout": 3, "unknown_tool": 1}
    assert (ledger.total.attempted, ledger.total.executed, ledger.total.succeeded) == (5, 4, 1)
    assert dict(ended.failures) == {"timeout": 2, "unknown_tool": 1}  # a snapshot


def test_a_turn_has_rounds_and_the_streak_counts_those() -> None:
    ledger = TurnLedger()
    ledger.begin_turn()
    streaks = []
    for calls in ("invalid_parameters invalid_parameters", "invalid_parameters", "ok", "timeout"):
        ledger.begin_round()
        for kind in calls.split():
            ledger.record(outcome(kind))
        streaks.append(ledger.failure_streak)
        assert ledger.round.attempted == len(calls.split())
    assert streaks == [1, 2, 0, 1]
    assert not ledger.failed  # the turn went on until something ran
    assert (ledger.turn.attempted, ledger.turn.executed) == (5, 2)
    assert ledger.begin_round().failures == {"timeout": 1}


def test_a_call_that_waits_and_is_then_canceled_counts_once() -> None:
    ledger = TurnLedger()
    waiting = ToolOutput(executed=True, tool="t", call_id="1", payload={}, state="input_required")
    ledger.record(waiting)
    ledger.record_abandoned(("t", "1", {}))
    assert (ledger.turn.attempted, ledger.turn.executed) == (1, 1)


def test_places_are_taken_per_turn() -> None:
    ledger = TurnLedger()
    assert [ledger.claim(2) for _ in range(3)] == [True, True, False]
    ledger.begin_turn()
    assert ledger.claim(2)
    assert ledger.claim(None)


def test_many_threads_share_a_ledger() -> None:
    ledger = TurnLedger()
    claimed = []

    def work() -> None:
        for _ in range(200):
            claimed.append(ledger.claim(500))
            ledger.record(outcome("ok"))
            ledger.record(outcome("unknown_tool"))
            assert ledger.turn.attempted

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert claimed.count(True) == 500
    assert (ledger.turn.attempted, ledger.turn.executed) == (3200, 1600)


kinds = st.sampled_from(["ok", *ToolErrorKind])


@given(st.lists(st.lists(kinds, max_size=5), max_size=8))
@example([["timeout", "timeout"], ["unknown_tool"], [], ["execution_error"], ["ok", "timeout"], ["timeout"]])
def test_the_rules_hold_for_any_history(history: list[list[str]]) -> None:
    ledger = TurnLedger()
    streak = 0
    for turn in history:
        ledger.begin_turn()
        for kind in turn:
            ledger.record(outcome(kind))
        ran = [k for k in turn if k == "ok" or TOOL_ERROR_KIND_MEANINGS[ToolErrorKind(k)].executed]
        assert ledger.failed == bool(turn and not ran)
        assert (ledger.turn.attempted, ledger.turn.executed) == (len(turn), len(ran))
        streak = 0 if "ok" in turn else streak + bool(turn)
        assert ledger.failure_streak == streak
    assert ledger.total.attempted == sum(map(len, history))
