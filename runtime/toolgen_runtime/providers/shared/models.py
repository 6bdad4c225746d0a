"""What is known of models, by parts of their ids: what each takes of its API.

An unknown model (None, or an id that tells nothing, such as an inference profile's) gets the strictest reading
where a repair costs nothing, and no complaint where it would. What servers were seen to take, or to refuse,
wins over their documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.shared.wire import Wire


def _named(pattern: str) -> Callable[[str | None], bool]:
    """Return a function that tells whether a model's id, in small letters, has a part that matches."""
    part = re.compile(pattern)
    return lambda model: model is not None and part.search(model.lower()) is not None


_OPENAI = re.compile(r"(?:openai/)?(?:gpt-\d|o\d|chatgpt|codex|ft:)")
_REASONING = re.compile(r"deepseek-(?:v[4-9]|reasoner)|kimi-(?:k2-thinking|k2\.[5-9]|k[3-9]|thinking)|k2p5")
_REASONING_WHEN_ON = re.compile(r"deepseek|kimi")

_is_full = _named("llama-?4|pixtral")
"""Of those the models that take a status and media in results."""
_sees = _named("llama-?3-2|llama-?4|pixtral")
_is_newer = _named(r"mistral-large-3|ministral|magistral|voxtral|devstral|deepseek[.-]v")
"""Of those the models that are served as others are, without the older ones' limits."""
_is_listed = _named("llama|mistral|mixtral|cohere|command-r|ai21|jamba|deepseek|writer|palmyra|titan")
_is_older_claude = _named(r"claude-(?:instant|v?\d|(?:opus|sonnet|haiku)-4(?:-[01])?(?:-\d{8}|@|:|$))")
_takes_forced = _named(r"claude-(?:opus|sonnet|haiku|fable)-(?:4-[89]|[5-9])(?!\d)")
_has_joined_results = _named("llama|writer|palmyra")
_is_mistral_large = _named("mistral-large")
_is_nova_micro = _named("nova-micro")

is_mistral = _named(
    r"mistral(?!\.pixtral)|mixtral|(?<!mistral\.)pixtral|codestral|ministral|magistral|devstral"
)
"""Whether a model id is one of Mistral's; Bedrock's Pixtral takes what others do."""

is_claude = _named("claude")
"""Whether a model is a Claude, whoever serves it."""

takes_prefill = _named(r"claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|@|:|$))|nova")
"""Whether a conversation may end with the assistant (rule 14)."""

takes_repeated_roles = _named("titan")
"""Whether messages of one role may follow each other (rule 12): Titan took two of the user's."""

lacks_streamed_tools = _named("llama-?3|jamba|mistral-small-2402|titan")
"""Whether a model has no tools in streams (rule 29)."""

lacks_cache_points = _named("nova")
"""Whether a model takes no cache point among its tools (rule 32)."""

wants_signatures = _named(r"gemini-(?:[3-9]|\d\d)")
"""Whether a model wants its thought signatures back with calls: Gemini from 3 on (rule 44)."""


def is_newer_claude(model: str | None) -> bool:
    """Return whether a model is a Claude from 4.5 on, which may start a conversation (rule 13)."""
    return is_claude(model) and not _is_older_claude(model)


def _is_plain(model: str | None) -> bool:
    return _is_listed(model) and not _is_newer(model)


def parts_results(model: str | None) -> bool:
    """Return whether results must stand alone in their message (rule 16)."""
    return (is_mistral(model) and not _is_newer(model)) or _has_joined_results(model)


def wants_unique_ids(model: str | None, wire: Wire) -> bool:
    """Return whether a call id may not come again in a later turn: Claude before 4.5 (rule 6)."""
    return (wire.calls.unique_ids or is_claude(model)) and not is_newer_claude(model)


def is_openai(model: str | None) -> bool:
    """Return whether OpenAI serves a model, as far as is known: its limits are not those of compatible servers."""
    return model is None or _OPENAI.match(model.lower()) is not None


def is_compatible(model: str | None) -> bool:
    """Return whether a model is known to be neither OpenAI's nor Claude: servers of others check less."""
    return not is_openai(model) and not is_claude(model)


def lacks_choice(model: str | None, word: str) -> bool:
    """Return whether a model lacks the choice `any` or `tool` (rule 27)."""
    takes_any = word == "any" and _is_mistral_large(model)
    return word in ("any", "tool") and not takes_any and _is_plain(model)


def refuses_forced(model: str | None, wire: Wire) -> bool:
    """Return whether a model that thinks adaptively refuses a forced call (rule 28): Claude up to 4.7 on Bedrock.

    Anthropic's own API takes it (pydantic-ai#7283, 2026-08); Bedrock from Opus 4.8 on (langchain-aws#1141, #1151,
    2026-07).
    """
    return wire.tools.model_roots and is_claude(model) and not _takes_forced(model)


def lacks_status(model: str | None) -> bool:
    """Return whether a model refuses a result's status (rule 29)."""
    return _is_plain(model) and not _is_full(model)


def lacks_result_images(model: str | None) -> bool:
    """Return whether a model sees no image inside a result (rule 30)."""
    return lacks_status(model) or _is_nova_micro(model)


def lacks_images(model: str | None) -> bool:
    """Return whether a model sees no image at all."""
    return lacks_result_images(model) and not _sees(model)


def wants_reasoning(model: str | None, thinking: bool | None) -> bool:
    """Return whether a model wants its `reasoning_content` back with calls: DeepSeek's and Kimi's (rule 43).

    Those of its maker's own API, unless thinking is off; another host's only if thinking is said to be on.
    """
    if model is None or thinking is False:
        return False
    name = model.lower()
    return _REASONING.match(name) is not None or (
        thinking is True and _REASONING_WHEN_ON.search(name) is not None
    )
