"""`Policy`: which calls a registry allows, and the hooks that see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from toolgen_runtime.validation.redaction import Secrets, fold_name

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.validation.tool import Tool

Absent = Literal["empty", "refuse"]
"""What arguments of `None` or `""` are: `{}`, which some transports send so, or a call to refuse."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of a registry. By default all calls are allowed and no hooks run.

    `allow`: the names that may be called. `calls_per_turn`: how many tools may run in one turn. `timeout`:
    seconds that a handler may take. `repair`: fix arguments that fail their check, where only one reading is
    possible. `absent`: what a call without arguments is. `max_chars`: how long a hint's text may be. `on_call`
    and `on_issue`: see `toolgen_runtime.calls.hooks`. `secrets`: keys whose values are shown nowhere, as
    `toolgen_runtime.validation.redaction.fold_name` writes them.
    """

    allow: frozenset[str] | None = None
    calls_per_turn: int | None = None
    timeout: float | None = None
    repair: bool = False
    absent: Absent = "empty"
    max_chars: int = 600
    on_call: OnCall | None = None
    on_issue: OnIssue | None = None
    secrets: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse settings that cannot work.

        Raises:
            ValueError: there is one; the message names it.
        """
        if self.calls_per_turn is not None and self.calls_per_turn < 0:
            raise ValueError(f"calls_per_turn: 0 or more, or None for no limit, not {self.calls_per_turn}")
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout: more than 0 seconds, or None for no limit, not {self.timeout}")
        if self.absent not in get_args(Absent):
            raise ValueError(f"absent: 'empty' or 'refuse', not {self.absent!r}")
        if self.max_chars < 1:
            raise ValueError(f"max_chars: 1 or more, not {self.max_chars}")

    def allows(self, name: str) -> bool:
        """Return whether the tool of this name may be called."""
        return self.allow is None or name in self.allow

    def secrets_of(self, tool: Tool[Any]) -> Secrets | None:
        """Return where the secrets of a tool's payloads are; None where it has none and no keys are named."""
        if not self.secrets:
            return tool.secrets
        return (tool.secrets or Secrets()).named(self.secrets)


def allowed_names(allow: Iterable[str] | None) -> frozenset[str] | None:
    """Return the names of an allowlist; None, where there is none, allows all.

    Raises:
        ValueError: one text, whose letters are hardly meant.
    """
    if isinstance(allow, str):
        raise ValueError(f"allow: a list of names, not one text: [{allow!r}]")
    return None if allow is None else frozenset(allow)


def secret_keys(secrets: Iterable[str]) -> frozenset[str]:
    """Return the keys whose values are shown nowhere, folded.

    Raises:
        ValueError: one text, whose letters are hardly meant, or a name without a letter or digit.
    """
    if isinstance(secrets, str):
        raise ValueError(f"secrets: a list of names, not one text: [{secrets!r}]")
    secrets = list(secrets)
    if not all(isinstance(key, str) and fold_name(key) for key in secrets):
        raise ValueError("secrets: names with at least one letter or digit")
    return frozenset(map(fold_name, secrets))
