"""`Policy`: what a registry lets through, and who watches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen_runtime.observe import OnCall, OnIssue


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything is let through and nobody watches, unless told otherwise.

    `allow`: the names that may be called. `calls_per_turn`: how many tools may run in one turn. `timeout`:
    seconds that a handler may take. `repair`: mend arguments that fail their check, where only one reading is
    possible. `on_call` and `on_issue`: see `toolgen_runtime.observe`.
    """

    allow: frozenset[str] | None = None
    calls_per_turn: int | None = None
    timeout: float | None = None
    repair: bool = False
    on_call: OnCall | None = None
    on_issue: OnIssue | None = None

    @classmethod
    def of(
        cls,
        *,
        allow: Iterable[str] | None,
        calls_per_turn: int | None,
        timeout: float | None,
        repair: bool,
        on_call: OnCall | None,
        on_issue: OnIssue | None,
    ) -> Policy:
        """A policy from a user's settings.

        Raises:
            ValueError: a setting that nothing could come of; the text names it.
        """
        if isinstance(allow, str):
            raise ValueError(f"allow: a list of names, not one text: [{allow!r}]")
        if calls_per_turn is not None and calls_per_turn < 0:
            raise ValueError(f"calls_per_turn: 0 or more, or None for no limit, not {calls_per_turn}")
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout: more than 0 seconds, or None for no limit, not {timeout}")
        names = None if allow is None else frozenset(allow)
        return cls(names, calls_per_turn, timeout, repair, on_call, on_issue)
