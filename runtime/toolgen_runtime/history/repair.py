"""`repair`: a history that the provider's server takes, and a log of every change made to get there."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.history.check import RULES, in_order, violations
from toolgen_runtime.history.request import Request, Violation, native_of
from toolgen_runtime.history.rules.draft import Change, Draft
from toolgen_runtime.history.rules.other_provider import other_provider
from toolgen_runtime.history.whole_request import UNSET, Tools, Unset
from toolgen_runtime.provider_rules.rule import RuleId
from toolgen_runtime.providers.shared.names import Codec


@dataclass(frozen=True, slots=True)
class Repaired:
    """The repaired messages and the changes; `tools` is the repaired tools block, None if there is none to send.

    `remaining` are the violations that only the caller can fix, such as streaming with a model that
    has no tools in streams. `system` is the system prompt of a whole request, None if there is none to send.
    """

    messages: list[dict[str, Any]]
    changes: tuple[Change, ...]
    tools: dict[str, Any] | None = None
    remaining: tuple[Violation, ...] = ()
    system: Any = None


def repair(
    messages: object,
    provider: str,
    *,
    tools: Tools = UNSET,
    model: str | None = None,
    thinking: bool | None = None,
    streaming: bool = False,
    moved: bool = False,
    codec: Codec | None = None,
) -> Repaired:
    """Return messages that break no rule; the input does not change.

    It takes the arguments of `check`, and the request's codec if there is one. `changes` lists every change. Calls
    are never removed: a missing result is replaced by an error result. Messages that break no rule are returned
    unchanged. Messages of another provider are returned unchanged with one violation in `remaining`.

    Raises:
        ValueError: no messages of that provider are known.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    given = Request.of(messages, provider, tools, model, thinking, streaming, moved)
    other = other_provider(given)
    if other is not None:
        return Repaired(deepcopy(given.given), (), _block(given.tools), (other,), given.system)
    draft = Draft(given, codec)
    for fault in given.malformed:
        draft.note(RuleId.MALFORMED, given.place_in(fault.index, fault.path), fault.action)
    for rule in RULES:
        rule(draft)
    fixed, native, remaining = draft.request, deepcopy(given.given), in_order(draft.found)
    if draft.changes:
        native = native_of(draft.turns, provider)
        remaining = violations(given.rewritten(native, fixed.tools, fixed.system))
    return Repaired(native, tuple(draft.changes), _block(fixed.tools), tuple(remaining), fixed.system)


def _block(tools: Tools) -> dict[str, Any] | None:
    return None if isinstance(tools, Unset) or tools is None else dict(tools)
