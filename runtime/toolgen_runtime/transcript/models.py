"""What is known of models that share one API: a table by parts of the model's id.

An unknown model gets the strictest reading where a repair costs nothing, and no complaint where it would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PREFILL = re.compile(r"claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|@|:|$))|nova")


def _has(model: str | None, parts: Iterable[str]) -> bool:
    return model is not None and any(part in model.lower() for part in parts)


def is_claude(model: str | None) -> bool:
    """A Claude model, whoever serves it."""
    return _has(model, ("claude",))


def is_mistral(model: str | None) -> bool:
    """A Mistral model (rule 35)."""
    return _has(model, ("mistral", "mixtral", "pixtral"))


def takes_prefill(model: str | None) -> bool:
    """Whether a conversation may end with the assistant (rule 14)."""
    return model is not None and _PREFILL.search(model.lower()) is not None


def parts_results(model: str | None) -> bool:
    """Whether results must stand alone in their message (rule 16)."""
    return is_mistral(model) or _has(model, ("llama", "writer", "palmyra"))


def wants_unique_ids(model: str | None, provider: str) -> bool:
    """Whether a call id may not come again in a later turn: Claude (rule 6)."""
    return provider == "anthropic" or is_claude(model)


def lacks_choice(model: str | None, word: str) -> bool:
    """Whether a known model lacks the choice `any` or `tool` (rule 27)."""
    if model is None or word == "auto":
        return False
    return not _has(model, ("claude", "nova") + (("mistral-large",) if word == "any" else ()))


def lacks_streamed_tools(model: str | None) -> bool:
    """Whether a model has no tools in streams (rule 29)."""
    return _has(model, ("llama3", "llama-3", "jamba", "mistral-small-2402", "titan"))


def lacks_status(model: str | None) -> bool:
    """Whether a known model refuses a result's status (rule 29)."""
    return model is not None and not _has(model, ("claude", "nova"))


def lacks_result_images(model: str | None) -> bool:
    """Whether a known model sees no image inside a result (rule 30)."""
    return model is not None and not _has(
        model, ("claude", "nova-lite", "nova-pro", "nova-premier", "nova-2")
    )


def lacks_images(model: str | None) -> bool:
    """Whether a known model sees no image at all."""
    seeing = ("llama3-2", "llama-3-2", "llama4", "llama-4", "pixtral", "-vl")
    return lacks_result_images(model) and not _has(model, seeing)


def lacks_cache_points(model: str | None) -> bool:
    """Whether a model takes no cache point among its tools (rule 32)."""
    return _has(model, ("nova",))
