"""The types of the options that a `Registry` and a `Conversation` take. `Registry` explains each option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.calls.policy import Absent, CheckResults, Defaults, Nulls, Repairs, UnknownKeys


class CallOptions(TypedDict, total=False):
    """The options of a registry that a `Conversation` can override."""

    repair: bool
    repairs: Repairs
    absent: Absent
    defaults: Defaults
    max_failures: int
    nulls: Nulls
    unknown_keys: UnknownKeys
    max_chars: int
    check_results: CheckResults
    trust_annotations: bool
    ask: bool
    per_tool: Mapping[str, Mapping[str, Any]]


class Options(CallOptions, total=False):
    """The type of all options of a `Registry`. Every adapter takes these options, and `Registry` explains
    them.
    """

    allow: Iterable[str] | None
    calls_per_turn: int | None
    timeout: float | None
    on_call: OnCall | None
    on_issue: OnIssue | None
    secrets: Iterable[str]
