"""Count which calls of a turn ran, and how the others failed.

A turn is everything that a model does for one user message. A round is one model response in a turn, with all its
parallel calls. Only tools that ran count against a limit. A turn has failed if calls were attempted and none of them
ran. If a tool ran and reported an error, the turn has not failed, because the model has learned something.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.policy import OneProcess
from toolgen_runtime.calls.recent import Recent

if TYPE_CHECKING:
    from toolgen_runtime.calls.errors import ToolExecutionError
    from toolgen_runtime.calls.output import ToolOutput

CallIdentity = tuple[str, str | None, object]
"""The tool, id and arguments of a call. The arguments matter only if the call has no id."""


@dataclass(frozen=True, slots=True)
class CallCounts:
    """The number of calls in a round, turn or conversation up to one moment, and how they ended.

    `attempted` is the number of calls, `executed` the number that ran, and `succeeded` the number that ran without an
    error. `failures` has the number of each kind. A call that is not done counts as attempted and executed. It counts
    as succeeded or failed in the turn in which it ends.
    """

    attempted: int = 0
    executed: int = 0
    succeeded: int = 0
    failures: Mapping[ToolErrorKind, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there were calls, but none was executed."""
        return self.attempted > 0 and self.executed == 0


_Tally = Counter[str]
"""Counts of calls: "attempted", "executed", "succeeded", each kind of failure, and "open" for unfinished calls."""


class TurnLedger(OneProcess):
    """Counts the calls of one conversation. Threads and tasks can share it safely.

    Call the conversation's `begin_turn()` for each user message and `begin_round()` for each model response.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._round: _Tally = Counter()
        # The counts of the turn before this round, and of the conversation before this turn.
        self._turn: _Tally = Counter()
        self._total: _Tally = Counter()
        self._claimed = 0
        self._streak = 0
        self._open: Recent[tuple[str, str], None] = Recent()

    def begin_turn(self) -> CallCounts:
        """Begin the next turn and its first round. Return the counts of the turn that ends."""
        with self._lock:
            self._end_round()
            ended, self._turn = self._turn, Counter()
            self._total.update(ended)
            self._claimed = 0
            return _counts(ended)

    def begin_round(self) -> CallCounts:
        """Begin the next round of the turn. Return the counts of the round that ends."""
        with self._lock:
            ended = self._round
            self._end_round()
            return _counts(ended)

    def claim(self, limit: int | None, call: CallIdentity | None = None, *, take: bool = True) -> bool:
        """Count a call towards the turn's `limit`. Return False if the limit has been reached.

        With `take=False`, the limit is only tested. A call that is already in progress is not counted again.
        """
        with self._lock:
            if self._is_open(call):
                return True
            allowed = limit is None or self._claimed < limit
            self._claimed += allowed and take
            return allowed

    def _is_open(self, call: CallIdentity | None) -> bool:
        return bool(self._open) and call is not None and _key(call) in self._open

    def record(self, outcome: ToolOutput | ToolExecutionError) -> None:
        """Count one call in this round.

        A call that needs input or runs as a task stays open until it is recorded as done. Later outputs for this call
        do not count as new calls.
        """
        done, is_new = getattr(outcome, "state", "done") == "done", True
        with self._lock:
            if self._open or not done:
                tool, call_id, payload = (getattr(outcome, it, None) for it in ("tool", "call_id", "payload"))
                key = _key((str(tool), call_id, payload))
                is_new = key not in self._open
                self._open.pop(key, None)
                if not done:
                    self._open[key] = None
                    self._round["open"] += is_new
            if is_new:
                self._round["attempted"] += 1
                self._round["executed"] += outcome.executed
            if done:
                self._round[outcome.kind or "succeeded"] += 1

    def record_abandoned(self, call: CallIdentity) -> None:
        """Count a call whose handler was canceled. The call may have taken effect.

        It counts as attempted and executed, and against the turn's limit, but neither as a success nor as a failure.
        """
        with self._lock:
            if not self._is_open(call):
                for count in ("attempted", "executed", "open"):
                    self._round[count] += 1

    @property
    def round(self) -> CallCounts:
        """The counts of this round so far."""
        with self._lock:
            return _counts(self._round)

    @property
    def turn(self) -> CallCounts:
        """The counts of this turn so far."""
        with self._lock:
            return _counts(self._turn + self._round)

    @property
    def total(self) -> CallCounts:
        """The counts of the whole conversation."""
        with self._lock:
            return _counts(self._total + self._turn + self._round)

    @property
    def failed(self) -> bool:
        """Whether this turn has failed: there were calls, but none was executed."""
        return self.turn.failed

    @property
    def failure_streak(self) -> int:
        """The number of rounds in a row, up to this one, that had calls but no successful call.

        A round counts once, however many of its parallel calls failed. A round without calls, or with an unfinished
        call, does not change the number. A new turn does not reset it.
        """
        with self._lock:
            return self._streak_now()

    def _end_round(self) -> None:
        self._streak = self._streak_now()
        self._turn.update(self._round)
        self._round = Counter()

    def _streak_now(self) -> int:
        if self._round["succeeded"]:
            return 0
        undecided = self._round["open"] or not self._round["attempted"]
        if undecided:
            return self._streak
        return self._streak + 1


_KINDS = tuple(ToolErrorKind)


def _counts(tally: _Tally) -> CallCounts:
    failures = {kind: tally[kind] for kind in _KINDS if kind in tally}
    return CallCounts(tally["attempted"], tally["executed"], tally["succeeded"], failures)


def _key(call: CallIdentity) -> tuple[str, str]:
    """Return a key that is the same for a call and for its continuation."""
    tool, call_id, payload = call
    if call_id is not None:
        return tool, f"id {call_id}"
    return tool, "payload " + json.dumps(payload, sort_keys=True, default=repr)
