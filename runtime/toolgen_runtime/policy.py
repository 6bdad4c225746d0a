"""`Policy`: what a registry lets through, and who watches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen_runtime.redaction import Secrets, fold_name

if TYPE_CHECKING:
    from toolgen_runtime.observe import OnCall, OnIssue
    from toolgen_runtime.tool import Tool


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything is let through and nobody watches, unless told otherwise.

    `allow`: the names that may be called. `calls_per_turn`: how many tools may run in one turn. `timeout`:
    seconds that a handler may take. `repair`: mend arguments that fail their check, where only one reading is
    possible. `on_call` and `on_issue`: see `toolgen_runtime.observe`. `secrets`: keys whose values are shown
    nowhere, as `toolgen_runtime.redaction.fold_name` writes them.
    """

    allow: frozenset[str] | None = None
    calls_per_turn: int | None = None
    timeout: float | None = None
    repair: bool = False
    on_call: OnCall | None = None
    on_issue: OnIssue | None = None
    secrets: frozenset[str] = frozenset()

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
        secrets: Iterable[str] = (),
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
        if isinstance(secrets, str):
            raise ValueError(f"secrets: a list of names, not one text: [{secrets!r}]")
        secrets = list(secrets)
        if not all(isinstance(key, str) and fold_name(key) for key in secrets):
            raise ValueError("secrets: names with at least one letter or digit")
        names = None if allow is None else frozenset(allow)
        hidden = frozenset(map(fold_name, secrets))
        return cls(names, calls_per_turn, timeout, repair, on_call, on_issue, hidden)

    def secrets_of(self, tool: Tool[Any]) -> Secrets | None:
        """Where the secrets of a tool's payloads are; None where it has none and no keys are named."""
        if not self.secrets:
            return tool.secrets
        return (tool.secrets or Secrets()).named(self.secrets)
