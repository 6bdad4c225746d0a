"""What is known of models, by parts of their ids: what each takes of its API, and how it is told to think.

An unknown model (None, or an id that tells nothing, such as an inference profile's) gets the strictest reading
where a repair costs nothing, and no complaint where it would. What servers were seen to take, or to refuse,
wins over their documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from toolgen_runtime.providers.shared.wire import Wire

_MISTRAL = re.compile(
    r"mistral(?!\.pixtral)|mixtral|(?<!mistral\.)pixtral|codestral|ministral|magistral|devstral",
    re.IGNORECASE,
)
_PREFILL = re.compile(r"claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|@|:|$))|nova")
_OLDER_CLAUDE = re.compile(r"claude-(?:instant|v?\d|(?:opus|sonnet|haiku)-4(?:-[01])?(?:-\d{8}|@|:|$))")
_ADAPTIVE_FORCED = re.compile(r"claude-(?:opus|sonnet|haiku|fable)-(?:4-[89]|[5-9])(?!\d)")
_OPENAI = re.compile(r"(?:openai/)?(?:gpt-\d|o\d|chatgpt|codex|ft:)")
_GEMINI_3 = re.compile(r"gemini-(?:[3-9]|\d\d)")
_REASONING = re.compile(r"deepseek-(?:v[4-9]|reasoner)|kimi-(?:k2-thinking|k2\.[5-9]|k[3-9]|thinking)|k2p5")
_REASONING_WHEN_ON = re.compile(r"deepseek|kimi")

# Thinking: https://docs.claude.com/en/docs/build-with-claude/extended-thinking and /adaptive-thinking,
# https://ai.google.dev/gemini-api/docs/thinking, https://platform.openai.com/docs/guides/reasoning.
_CLAUDE_WITHOUT_THINKING = re.compile(r"claude-(?:instant|v?2|3-(?:opus|sonnet|haiku|5))")
_CLAUDE_BUDGET_ONLY = re.compile(r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|@|:|$))")
_CLAUDE_EFFORT_ONLY = re.compile(r"claude-(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9])")
_GEMINI_WITHOUT_THINKING = re.compile(r"gemini-(?:1|2\.0)|gemma")
_GEMINI_BUDGET_ONLY = re.compile(r"gemini-2\.5")
_GEMINI_ALWAYS_THINKS = re.compile(r"gemini-2\.5-pro")
_BEDROCK_WITHOUT_THINKING = re.compile(
    r"llama|mistral|mixtral|pixtral|cohere|command|ai21|jamba|titan|palmyra|nova-(?:micro|lite|pro|premier)-v1|\.r1"
)
_OPENAI_WITHOUT_THINKING = re.compile(r"(?:openai/)?(?:gpt-(?:3|4)|chatgpt-4|ft:gpt-(?:3|4))")
_OPENAI_EFFORTS = (
    (re.compile(r"(?:openai/)?gpt-5-pro"), ("high",)),
    (re.compile(r"(?:openai/)?o\d"), ("low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-5(?!\.)"), ("minimal", "low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-5\.1"), ("none", "low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-(?:5\.|[6-9])"), ("none", "low", "medium", "high", "xhigh")),
)

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
_FULL = ("llama4", "llama-4", "pixtral")
"""Of those the models that take a status and media in results."""
_NEWER = ("mistral-large-3", "ministral", "magistral", "voxtral", "devstral", "deepseek.v", "deepseek-v")
"""Of those the models that are served as others are, without the older ones' limits."""
_SEEING = ("llama3-2", "llama-3-2", *_FULL)
_WITHOUT_S3 = (*_PLAIN, "claude", "qwen", "gemma", "gpt-oss", "kimi", "minimax", "nemotron", "glm")


def _has(model: str | None, parts: Iterable[str]) -> bool:
    return model is not None and any(part in model.lower() for part in parts)


def is_mistral(model: str | None) -> bool:
    """Return whether a model id is one of Mistral's; Bedrock's Pixtral takes what others do."""
    return model is not None and _MISTRAL.search(model) is not None


def is_claude(model: str | None) -> bool:
    """Return whether a model is a Claude, whoever serves it."""
    return _has(model, ("claude",))


def is_newer_claude(model: str | None) -> bool:
    """Return whether a model is a Claude from 4.5 on."""
    return model is not None and is_claude(model) and _OLDER_CLAUDE.search(model.lower()) is None


def takes_prefill(model: str | None) -> bool:
    """Return whether a conversation may end with the assistant (rule 14)."""
    return model is not None and _PREFILL.search(model.lower()) is not None


def takes_repeated_roles(model: str | None) -> bool:
    """Return whether messages of one role may follow each other (rule 12): Titan took two of the user's."""
    return _has(model, ("titan",))


def takes_assistant_first(model: str | None) -> bool:
    """Return whether a conversation may start with the assistant (rule 13)."""
    return is_newer_claude(model)


def _is_plain(model: str | None) -> bool:
    return _has(model, _PLAIN) and not _has(model, _NEWER)


def parts_results(model: str | None) -> bool:
    """Return whether results must stand alone in their message (rule 16)."""
    older = is_mistral(model) and not _has(model, _NEWER)
    return older or _has(model, ("llama", "writer", "palmyra"))


def wants_unique_ids(model: str | None, wire: Wire) -> bool:
    """Return whether a call id may not come again in a later turn: Claude before 4.5 (rule 6)."""
    return (wire.calls.unique_ids or is_claude(model)) and not is_newer_claude(model)


def takes_empty_tools(model: str | None) -> bool:
    """Return whether an empty list of tools is taken: by servers other than OpenAI's that speak its API (rule 21)."""
    return model is not None and _OPENAI.match(model.lower()) is None


def is_openai(model: str | None) -> bool:
    """Return whether OpenAI serves a model, as far as is known: its limits are not those of compatible servers."""
    return model is None or _OPENAI.match(model.lower()) is not None


def is_compatible(model: str | None) -> bool:
    """Return whether a model is known to be neither OpenAI's nor Claude: servers of others check less."""
    return not is_openai(model) and not is_claude(model)


def lacks_choice(model: str | None, word: str) -> bool:
    """Return whether a model lacks the choice `any` or `tool` (rule 27)."""
    if word not in ("any", "tool") or (word == "any" and _has(model, ("mistral-large",))):
        return False
    return _is_plain(model)


def refuses_forced(model: str | None, wire: Wire) -> bool:
    """Return whether a model that thinks adaptively refuses a forced call (rule 28): Claude up to 4.7 on Bedrock.

    Anthropic's own API takes it (pydantic-ai#7283, 2026-08); Bedrock from Opus 4.8 on (langchain-aws#1141, #1151,
    2026-07).
    """
    if not wire.tools.model_roots or model is None or not is_claude(model):
        return False
    return _ADAPTIVE_FORCED.search(model.lower()) is None


def lacks_streamed_tools(model: str | None) -> bool:
    """Return whether a model has no tools in streams (rule 29)."""
    return _has(model, ("llama3", "llama-3", "jamba", "mistral-small-2402", "titan"))


def lacks_status(model: str | None) -> bool:
    """Return whether a model refuses a result's status (rule 29)."""
    return _is_plain(model) and not _has(model, _FULL)


def lacks_result_images(model: str | None) -> bool:
    """Return whether a model sees no image inside a result (rule 30)."""
    return (_is_plain(model) and not _has(model, _FULL)) or _has(model, ("nova-micro",))


def lacks_images(model: str | None) -> bool:
    """Return whether a model sees no image at all."""
    return lacks_result_images(model) and not _has(model, _SEEING)


def lacks_video(model: str | None) -> bool:
    """Return whether a model takes no video (rule 36)."""
    return _has(model, (*_PLAIN, "claude", "nova-micro"))


def lacks_s3(model: str | None) -> bool:
    """Return whether a model cannot read media from S3 (rule 36): only Nova can."""
    return _has(model, _WITHOUT_S3)


def lacks_s3_in_results(model: str | None, kind: str) -> bool:
    """Return whether a model cannot read media of a kind from S3 inside a result (rule 36).

    Claude was seen to take them there, and Nova to refuse all but pictures.
    """
    if is_claude(model):
        return False
    return lacks_s3(model) or (_has(model, ("nova",)) and kind != "image")


def lacks_cache_points(model: str | None) -> bool:
    """Return whether a model takes no cache point among its tools (rule 32)."""
    return _has(model, ("nova",))


def wants_signatures(model: str | None) -> bool:
    """Return whether a model wants its thought signatures back with calls: Gemini from 3 on (rule 44)."""
    return model is not None and _GEMINI_3.search(model.lower()) is not None


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


ThinkingForm = Literal["none", "budget", "effort", "either"]
"""How a model is told how much to think: not at all, by a number of tokens, by an effort, or by one of the two."""


def claude_thinking_form(model: str) -> ThinkingForm:
    """Return how a Claude model is told how much to think."""
    if _CLAUDE_WITHOUT_THINKING.search(model):
        return "none"
    if _CLAUDE_EFFORT_ONLY.search(model):
        return "effort"
    return "budget" if _CLAUDE_BUDGET_ONLY.search(model) else "either"


def gemini_thinking_form(model: str) -> ThinkingForm:
    """Return how a Gemini model is told how much to think."""
    if _GEMINI_WITHOUT_THINKING.search(model):
        return "none"
    return "budget" if _GEMINI_BUDGET_ONLY.search(model) else "either"


def always_thinks(model: str) -> bool:
    """Return whether a Gemini model cannot be told not to think at all."""
    return _GEMINI_ALWAYS_THINKS.search(model) is not None


def lacks_thinking_on_bedrock(model: str) -> bool:
    """Return whether a model does not think, or, as DeepSeek-R1, always does and cannot be told how much."""
    return _BEDROCK_WITHOUT_THINKING.search(model) is not None


def openai_efforts(model: str) -> tuple[str, ...]:
    """Return the efforts that a model takes, least first; none where it cannot be told."""
    if _OPENAI_WITHOUT_THINKING.match(model):
        return ()
    known = (efforts for pattern, efforts in _OPENAI_EFFORTS if pattern.match(model))
    return next(known, ("low", "medium", "high"))
