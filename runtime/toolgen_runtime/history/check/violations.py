"""`check`: every rule that a provider's server would reject a request by, before it is sent."""

from __future__ import annotations

from toolgen_runtime.history import cache_points, document_names, reasoning, unsupported_media
from toolgen_runtime.history.check import content, order
from toolgen_runtime.history.check import tools as tool_rules
from toolgen_runtime.history.check.other_provider import other_provider
from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.history.whole_request import UNSET, Tools

_CHECKS = (
    content.shapes,
    content.system,
    tool_rules.tools,
    order.pairing,
    order.alternation,
    content.blocks,
    content.turns,
    content.ends,
    unsupported_media.unsupported,
    document_names.document_names,
    cache_points.cache_points,
    reasoning.thinking,
    reasoning.reasoning,
    reasoning.signatures,
    reasoning.torn,
    reasoning.unstored,
)


def violations(request: Request) -> list[Violation]:
    """Return every violation of a request; of one that is another API's, only that."""
    other = other_provider(request)
    if other is not None:
        return [other]
    return [violation for check in _CHECKS for violation in check(request)]


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
