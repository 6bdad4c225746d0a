"""`repair`: a history that the provider's server takes, and a log of every change made to get there."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.history.check import violations
from toolgen_runtime.history.request import Request, Violation, native_of
from toolgen_runtime.history.rules.cache_points import limit_cache_points
from toolgen_runtime.history.rules.content import (
    begin_and_end,
    drop_empty,
    fill_blocks,
    fill_messages,
    fix_system,
    part_results,
    strip_end,
)
from toolgen_runtime.history.rules.document_names import rename_documents
from toolgen_runtime.history.rules.draft import Change, Draft
from toolgen_runtime.history.rules.labels import flatten, label
from toolgen_runtime.history.rules.other_provider import other_provider
from toolgen_runtime.history.rules.pairing import alternate, pair
from toolgen_runtime.history.rules.reasoning import (
    add_reasoning,
    drop_moved,
    drop_torn,
    drop_unstored,
    flatten_unthought,
    sign,
)
from toolgen_runtime.history.rules.tools import fix_tools
from toolgen_runtime.history.rules.unsupported_media import name_media
from toolgen_runtime.history.whole_request import UNSET, Tools, Unset
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.names import Codec

_STEPS = (
    drop_unstored,
    drop_moved,
    drop_torn,
    flatten,
    label,
    pair,
    alternate,
    begin_and_end,
    limit_cache_points,
    drop_empty,
    fill_blocks,
    fill_messages,
    flatten_unthought,
    name_media,
    part_results,
    strip_end,
    rename_documents,
    add_reasoning,
    sign,
)


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
        block = None if isinstance(given.tools, Unset) or given.tools is None else dict(given.tools)
        return Repaired(deepcopy(given.given), (), block, (other,), given.system)
    draft = Draft(given, codec)
    for fault in given.malformed:
        draft.note(RuleId.MALFORMED, given.place_in(fault.index, fault.path), fault.action)
    fix_system(draft)
    fix_tools(draft)
    tools_fixed = draft.request.tools
    for step in _STEPS:
        step(draft)
    native = native_of(draft.turns, provider) if draft.changes else deepcopy(given.given)
    after = replace(
        Request.of(native, provider, tools_fixed, given.model, given.thinking, streaming),
        system=draft.request.system,
        stateful=given.stateful,
        cached=given.cached,
        moved=given.moved,
        unstored=given.unstored,
        adaptive=given.adaptive,
    )
    block = None if isinstance(tools_fixed, Unset) or tools_fixed is None else dict(tools_fixed)
    return Repaired(native, tuple(draft.changes), block, tuple(violations(after)), draft.request.system)
