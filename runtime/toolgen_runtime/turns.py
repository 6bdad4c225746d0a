"""`TurnLedger`: which calls of a turn ran, how the others failed, and when a turn has failed.

A turn is what one answer of the model asks for: its calls, in parallel or not. Only tools that ran are
counted against a limit. A turn failed exactly when calls were attempted and none of them ran: a tool that
ran and reported an error has told the model something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from types import MappingProxyType
from typing import Protocol

from toolgen_runtime.errors import ToolErrorKind


class CallOutcome(Protocol):
    """What the ledger reads of a call: a `ToolOutput` and a `ToolExecutionError` both have it."""

    @property
    def kind(self) -> ToolErrorKind | None:
        """None for a success."""
        ...

    @property
    def executed(self) -> bool:
        """Whether the tool ran."""
        ...


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """The counts of one turn, or of all: a snapshot that does not change.

    `attempted` calls came in, `executed` of them ran, `succeeded` of those without an error, and the results
    of `dropped` were left out of the transcript (they ran all the same). `failures` counts by kind.
    """

    attempted: int = 0
    executed: int = 0
    succeeded: int = 0
    dropped: int = 0
    failures: Mapping[ToolErrorKind, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def failed(self) -> bool:
        """Calls were attempted and none was executed."""
        return self.attempted > 0 and self.executed == 0


class _Tally:
    __slots__ = ("attempted", "dropped", "executed", "failures", "succeeded")

    def __init__(self) -> None:
        self.attempted = self.executed = self.succeeded = self.dropped = 0
        self.failures: Counter[ToolErrorKind] = Counter()

    def add(self, kind: ToolErrorKind | None, executed: bool) -> None:
        self.attempted += 1
        self.executed += executed
        if kind is None:
            self.succeeded += 1
        else:
            self.failures[kind] += 1

    def snapshot(self) -> TurnCounts:
        failures = MappingProxyType(dict(self.failures))
        return TurnCounts(self.attempted, self.executed, self.succeeded, self.dropped, failures)


class TurnLedger:
    """The accounts of one conversation; safe to share between threads and tasks.

    `Registry.call(..., turns=ledger)` records by itself; begin each turn with `begin_turn()`.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._turn = _Tally()
        self._total = _Tally()
        self._claimed = 0
        self._turns = 0
        self._streak = 0

    def begin_turn(self) -> TurnCounts:
        """Close the turn and begin the next; returns the counts of the one that ended."""
        with self._lock:
            ended = self._turn.snapshot()
            self._streak = self._streak_now()
            self._turns += ended.attempted > 0
            self._turn = _Tally()
            self._claimed = 0
            return ended

    def claim(self, limit: int | None) -> bool:
        """Take one of the turn's `limit` places for a call about to run; False when none is left."""
        with self._lock:
            if limit is not None and self._claimed >= limit:
                return False
            self._claimed += 1
            return True

    def record(self, outcome: CallOutcome) -> None:
        """Count one call of this turn."""
        with self._lock:
            for tally in (self._turn, self._total):
                tally.add(outcome.kind, outcome.executed)

    def record_dropped(self) -> None:
        """Note that the result of a counted call was dropped, for a token budget say; it stays executed."""
        with self._lock:
            self._turn.dropped += 1
            self._total.dropped += 1

    @property
    def turn(self) -> TurnCounts:
        """The counts of this turn so far."""
        with self._lock:
            return self._turn.snapshot()

    @property
    def total(self) -> TurnCounts:
        """The counts of all turns."""
        with self._lock:
            return self._total.snapshot()

    @property
    def turns(self) -> int:
        """How many turns had calls, this one included."""
        with self._lock:
            return self._turns + (self._turn.attempted > 0)

    @property
    def failed(self) -> bool:
        """Whether this turn failed: calls were attempted and none was executed."""
        return self.turn.failed

    @property
    def failure_streak(self) -> int:
        """How many turns in a row, up to this one, had calls and not one success; a turn counts once.

        A turn without calls neither adds to the streak nor ends it.
        """
        with self._lock:
            return self._streak_now()

    def _streak_now(self) -> int:
        if not self._turn.attempted:
            return self._streak
        return 0 if self._turn.succeeded else self._streak + 1
