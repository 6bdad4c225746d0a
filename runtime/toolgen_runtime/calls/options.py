"""The options of checked calls, for type checkers and for the error of a misspelt one: every adapter takes them.

`Registry` says what each is; a test holds the names together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.calls.policy import Absent, CheckResults, UnknownKeys
    from toolgen_runtime.hints.retry_hint import Caps


class CallOptions(TypedDict, total=False):
    """What a `Conversation` can set otherwise than its registry."""

    repair: bool
    absent: Absent
    unknown_keys: UnknownKeys
    max_chars: int
    check_results: CheckResults
    trust_annotations: bool
    per_tool: Mapping[str, Mapping[str, Any]]


class Options(CallOptions, total=False):
    """All options of a `Registry`."""

    caps: Caps | None
    allow: Iterable[str] | None
    calls_per_turn: int | None
    timeout: float | None
    on_call: OnCall | None
    on_issue: OnIssue | None
    secrets: Iterable[str]


def refuse_unknown(where: str, given: Iterable[str], known: type[Any] = Options) -> None:
    """Raise an error for options that do not exist.

    Args:
        where: the function that was given the options.
        given: their names.
        known: the definition of those that there are.

    Raises:
        TypeError: there is no such option; the message names the one that may be meant.
    """
    names = known.__annotations__
    for name in given:
        if name not in names:
            from difflib import get_close_matches

            near = get_close_matches(name, names, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(names))}"
            raise TypeError(f"{where} has no option {name!r}; {meant}")
