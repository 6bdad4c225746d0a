"""The features of its API that each model supports. A model is recognized by parts of its id.

If a model is unknown (None, or an id without a model's name, such as that of an inference profile), a rule applies only
if its repair loses nothing. Observed behavior of a server has priority over its documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from toolgen_transcripts.codec.wire import Wire


def _named(pattern: str) -> Callable[[str | None], bool]:
    """Return a function that tests whether a part of a model's id matches the pattern, ignoring case."""
    part = re.compile(pattern)
    return lambda model: model is not None and part.search(model.lower()) is not None


_OPENAI = re.compile(r"(?:openai/)?(?:gpt-\d|o\d|chatgpt|codex|ft:)")
_OPENAI_HOST = re.compile(r"\bopenai\.(?:com|azure\.com|azure\.us)\b")
_MAKERS_HOST = re.compile(r"\b(?:deepseek\.com|moonshot\.(?:ai|cn)|kimi\.com)\b")
_REASONING = re.compile(
    r"deepseek-(?:v[4-9][\d.]*(?:-pro|-flash)?|reasoner)$"  # another host, with a date in the name, takes it without
    r"|kimi-(?:k2-thinking|k2\.[5-9]|k[3-9]|thinking)|k2p5"
)
_REASONING_WHEN_ON = re.compile(r"deepseek|kimi")

_is_full = _named("llama-?4|pixtral")
"""The listed models (`_is_listed`) that accept a status and media in results."""
_sees = _named("llama-?3-2|llama-?4|pixtral")
_is_newer = _named(r"mistral-large-3|ministral|magistral|voxtral|devstral|deepseek[.-]v")
"""The listed models (`_is_listed`) that have the same features as other models, without the limits of older ones."""
_is_listed = _named("llama|mistral|mixtral|cohere|command-r|ai21|jamba|deepseek|writer|palmyra|titan")
_is_older_claude = _named(r"claude-(?:instant|v?\d|(?:opus|sonnet|haiku)-4(?:-[01])?(?:-\d{8}|@|:|$))")
_takes_forced = _named(r"claude-(?:opus|sonnet|haiku|fable)-(?:4-[89]|[5-9])(?!\d)")
_has_joined_results = _named("llama|writer|palmyra")
_is_mistral_large = _named("mistral-large")
_is_nova_micro = _named("nova-micro")

rejects_forced = _named(r"claude-opus-5-5(?!\d)")
"""Whether a model rejects every forced call, even without thinking: Opus 5.5, on Anthropic's API and on Bedrock.

Sources: can1357/oh-my-pi#12939, vercel/ai#21364, 567-labs/instructor#2681 (2026-09-23; Opus 5 accepts them).
"""

_rejects_strict = _named(r"claude-(?:opus-4-[78]|opus-5-5|sonnet-5|fable-5-1)(?!\d)")
"""The models on Bedrock that reject `strict`. Versions do not help, because Opus 4.6 and 5 accept it.

Sources: vercel/ai#16237 and litellm#31582 (Opus 4.7, 4.8), litellm#33193 (Sonnet 5 rejects it, Opus 5 and Sonnet 4.6
accept it, 2026-07-27), lobehub#19876 (Opus 5.5 and Fable 5.1 reject it, Opus 5 and Fable 5 accept it, 2026-09-23).
"""

is_mistral = _named(
    r"mistral(?!\.pixtral)|mixtral|(?<!mistral\.)pixtral|codestral|ministral|magistral|devstral"
)
"""Whether a model has the limits of Mistral's models, which Pixtral on Bedrock does not have."""

is_claude = _named("claude")
"""Whether a model is a Claude model, on any service."""

takes_prefill = _named(r"claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|@|:|$))|nova")
"""Whether a model accepts a conversation that ends with an assistant message (`assistant-last`)."""

takes_repeated_roles = _named("titan")
"""Whether a model accepts consecutive messages with the same role (`repeated-role`); Titan accepted two user messages.
"""

lacks_streamed_tools = _named("llama-?3|jamba|mistral-small-2402|titan")
"""Whether a model does not support tools in streams (`unsupported-feature`)."""

lacks_cache_points = _named("nova")
"""Whether a model rejects cache points among its tools (`cache-point`)."""

lacks_reasoning = _named(r"^(?:openai/)?(?:gpt-3\.5|gpt-4|chatgpt-4)")
"""Whether a model of OpenAI does not reason, and therefore rejects reasoning items."""

wants_result_ids = _named(r"gemini-(?:3\.[5-9]|[4-9]|\d\d)")
"""Whether a model requires the id of the call in each result, as Gemini does from 3.5 on."""

wants_all_reasoning = _named(r"^deepseek-(?:v[4-9]|reasoner)")
"""Whether a model that thinks requires its `reasoning_content` in each message after the first call."""

wants_signatures = _named(r"gemini-(?:[3-9]|\d\d)")
"""Whether a model requires its thought signatures to be sent back with calls, as Gemini does from 3 on
(`missing-signature`).
"""


def is_newer_claude(model: str | None) -> bool:
    """Return whether a model is Claude 4.5 or later, which accepts a history that starts with an assistant
    message.

    See the rule `assistant-first`.
    """
    return is_claude(model) and not _is_older_claude(model)


def _is_plain(model: str | None) -> bool:
    return _is_listed(model) and not _is_newer(model)


def parts_results(model: str | None) -> bool:
    """Return whether the model needs results in a message of their own (rule `mixed-results`)."""
    return (is_mistral(model) and not _is_newer(model)) or _has_joined_results(model)


def wants_unique_ids(model: str | None, wire: Wire) -> bool:
    """Return whether the model rejects a call id that an earlier turn has used.

    This is so for Claude before 4.5 (rule `duplicate-call-id`).
    """
    return (wire.calls.unique_ids or is_claude(model)) and not is_newer_claude(model)


def is_openai(model: str | None, host: str | None = None) -> bool:
    """Return whether a model is, or may be, served by OpenAI.

    Other servers with the same API do not have OpenAI's limits.
    """
    if host:
        return _OPENAI_HOST.search(host.lower()) is not None
    return model is None or _OPENAI.match(model.lower()) is not None


def lacks_choice(model: str | None, word: str, wire: Wire) -> bool:
    """Return whether a model does not support this tool choice (rule `unsupported-choice`). Only `any` and
    `tool` are tested.
    """
    if word not in ("any", "tool"):
        return False
    takes_any = word == "any" and _is_mistral_large(model)
    return rejects_forced(model) or (wire.tools.model_roots and _is_plain(model) and not takes_any)


def refuses_forced(model: str | None, wire: Wire) -> bool:
    """Return whether a model rejects a forced call during adaptive thinking, as Claude up to 4.7 does on
    Bedrock.

    Anthropic's own API accepts such a call (pydantic-ai#7283, 2026-08). Bedrock accepts it from Opus 4.8 on
    (langchain-aws#1141, #1151, 2026-07).
    """
    return wire.tools.model_roots and is_claude(model) and not _takes_forced(model)


def rejects_strict(model: str | None, wire: Wire, host: str | None = None) -> bool:
    """Return whether the server of this model rejects tools that have `strict`.

    On Bedrock, this is so for some models and for all Claude models before 4.5 (langchain-aws#883, litellm#31943).
    Among servers with OpenAI's API, it is so for those that serve DeepSeek's models under a name with a prefix
    (gajae-code#2760); names on DeepSeek's own API have no prefix.
    """
    if model is None:
        return False
    if wire.tools.model_roots:
        return _rejects_strict(model) or _is_older_claude(model)
    return wire.of_many and "deepseek" in model.lower() and not is_deepseek(model, host)


def is_deepseek(model: str | None, host: str | None = None) -> bool:
    """Return whether a model is one of DeepSeek's, served by DeepSeek's own API.

    Names have no prefix there.
    """
    if host:
        return "deepseek.com" in host.lower()
    return model is not None and model.lower().startswith("deepseek-")


def lacks_status(model: str | None) -> bool:
    """Return whether a model rejects tool results that have a status (rule `unsupported-feature`)."""
    return _is_plain(model) and not _is_full(model)


def lacks_result_images(model: str | None) -> bool:
    """Return whether a model rejects images in tool results (rule `result-media`)."""
    return lacks_status(model) or _is_nova_micro(model)


def lacks_images(model: str | None) -> bool:
    """Return whether a model does not accept images."""
    return lacks_result_images(model) and not _sees(model)


def wants_reasoning(model: str | None, thinking: bool | None, host: str | None = None) -> bool:
    """Return whether a model needs the `reasoning_content` of its calls sent back (rule `missing-reasoning`).

    This is so for models of DeepSeek and Kimi. On the API of the model's maker, it holds unless thinking is off; on
    another host, only if thinking is on.
    """
    if model is None or thinking is False:
        return False
    name = model.lower()
    is_makers = host is None or _MAKERS_HOST.search(host.lower()) is not None
    if is_makers and _REASONING.match(name) is not None:
        return True
    return thinking is True and _REASONING_WHEN_ON.search(name) is not None
