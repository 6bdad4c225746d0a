"""`check`: every rule that a provider's server would reject a request by, before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.history.rules import cache_points, content, labels, media, pairing, reasoning, tools
from toolgen_runtime.history.rules.draft import Draft
from toolgen_runtime.history.rules.other_provider import other_provider
from toolgen_runtime.history.whole_request import UNSET, Tools
from toolgen_runtime.provider_rules.rule import RuleId

RULES: tuple[Callable[[Draft], None], ...] = (
    content.fix_system,
    tools.fix_tools,
    reasoning.drop_unstored,
    reasoning.drop_moved,
    reasoning.drop_torn,
    labels.flatten,
    labels.label,
    pairing.pair,
    pairing.alternate,
    content.begin_and_end,
    cache_points.limit_cache_points,
    content.drop_empty,
    content.fill_blocks,
    content.fill_messages,
    reasoning.flatten_unthought,
    media.name_media,
    content.part_results,
    content.strip_end,
    media.rename_documents,
    reasoning.add_reasoning,
    reasoning.sign,
)
"""Every rule, in the order in which `repair` makes its changes. Each finds what breaks it, and mends that."""


def violations(request: Request) -> list[Violation]:
    """Return every violation of a request in the order of their rules; of one that is another API's, only that.

    Each rule looks at the request as it was given, not at what another has made of it.
    """
    other = other_provider(request)
    if other is not None:
        return [other]
    found = [
        request.broken(RuleId.MALFORMED, request.place_in(fault.index, fault.path), (), fault.expected)
        for fault in request.malformed
    ]
    draft = Draft(request)
    for rule in RULES:
        rule(draft)
        found += draft.found
        if draft.found or draft.changes:
            draft = Draft(request)
    return in_order(found)


def in_order(found: Iterable[Violation]) -> list[Violation]:
    """Return violations in the order of their rules."""
    return sorted(found, key=lambda violation: violation.rule)


def check(
    messages: object,
    provider: str,
    *,
    tools: Tools = UNSET,
    model: str | None = None,
    thinking: bool | None = None,
    streaming: bool = False,
    moved: bool = False,
) -> list[Violation]:
    """Return every broken rule of native messages (a list, or a whole request), with the provider's messages.

    Some rules need more than the history: the tools block (None: the request has none), the model's id, whether
    thinking is on, whether the reply is streamed, and whether the history was `moved` from another host of the
    same API (Gemini: between AI Studio and Vertex AI). They are read from a whole request; arguments override it.
    Rules 33 and 34 are about replies and are never reported here.

    Raises:
        ValueError: no messages of that provider are known.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    return violations(Request.of(messages, provider, tools, model, thinking, streaming, moved))
