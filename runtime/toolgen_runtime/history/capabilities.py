"""What is known of models that share one API: a table by parts of the model's id.

An unknown model (None, or an id that tells nothing, such as an inference profile's) gets the strictest reading
where a repair costs nothing, and no complaint where it would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolgen_runtime.providers.shared.names import is_mistral
from toolgen_runtime.providers.shared.wire import Wire

_PREFILL = re.compile(r"claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|@|:|$))|nova")

_PLAIN = (
    "llama",
    "mistral",
    "mixtral",
    "cohere",
    "command-r",
    "ai21",
    "jamba",
    "deepseek",
    "writer",
    "palmyra",
    "titan",
)
_SEEING = ("llama3-2", "llama-3-2", "llama4", "llama-4", "pixtral")


def _has(model: str | None, parts: Iterable[str]) -> bool:
    return model is not None and any(part in model.lower() for part in parts)


def is_claude(model: str | None) -> bool:
    """A Claude model, whoever serves it."""
    return _has(model, ("claude",))


def takes_prefill(model: str | None) -> bool:
    """Whether a conversation may end with the assistant (rule 14)."""
    return model is not None and _PREFILL.search(model.lower()) is not None


def parts_results(model: str | None) -> bool:
    """Whether results must stand alone in their message (rule 16)."""
    return is_mistral(model) or _has(model, ("llama", "writer", "palmyra"))


def wants_unique_ids(model: str | None, wire: Wire) -> bool:
    """Whether a call id may not come again in a later turn: Claude (rule 6)."""
    return wire.calls.unique_ids or is_claude(model)


def lacks_choice(model: str | None, word: str) -> bool:
    """Whether a model lacks the choice `any` or `tool` (rule 27)."""
    if word not in ("any", "tool") or (word == "any" and _has(model, ("mistral-large",))):
        return False
    return _has(model, _PLAIN)


def lacks_streamed_tools(model: str | None) -> bool:
    """Whether a model has no tools in streams (rule 29)."""
    return _has(model, ("llama3", "llama-3", "jamba", "mistral-small-2402", "titan"))


def lacks_status(model: str | None) -> bool:
    """Whether a model refuses a result's status (rule 29)."""
    return _has(model, _PLAIN)


def lacks_result_images(model: str | None) -> bool:
    """Whether a model sees no image inside a result (rule 30)."""
    return _has(model, (*_PLAIN, "nova-micro"))


def lacks_images(model: str | None) -> bool:
    """Whether a model sees no image at all."""
    return lacks_result_images(model) and not _has(model, _SEEING)


def lacks_cache_points(model: str | None) -> bool:
    """Whether a model takes no cache point among its tools (rule 32)."""
    return _has(model, ("nova",))
