"""The options of checked calls, for type checkers: every adapter takes them.

`Registry` says what each is; a test holds the names together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.calls.policy import Absent, CheckResults, UnknownKeys


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

    allow: Iterable[str] | None
    calls_per_turn: int | None
    timeout: float | None
    on_call: OnCall | None
    on_issue: OnIssue | None
    secrets: Iterable[str]
