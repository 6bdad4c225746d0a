"""Where generateContent requests and responses have what stands beside contents and tools."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini.spelling import camel, camel_name
from toolgen_runtime.providers.shared.models import always_thinks, gemini_thinking_form
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import (
    Thinking,
    ThinkingPlaces,
    budget_of,
    effort_of,
    is_off,
)
from toolgen_runtime.providers.shared.wire import paths


def _think(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say how much to think: 2.5 takes a budget, Pro at least 128; later ones an effort."""
    form = gemini_thinking_form(model)
    if form == "none":
        return {} if is_off(thinking) else None
    if is_off(thinking):
        if form == "budget":
            config: dict[str, Any] = {"thinkingBudget": 128 if always_thinks(model) else 0}
        else:
            config = {"thinkingLevel": "low" if "pro" in model else "minimal"}
    elif isinstance(thinking, str) and form != "budget":
        config = {"thinkingLevel": effort_of(thinking, ("minimal", "low", "medium", "high"))}
    else:
        config = {"thinkingBudget": budget_of(thinking)}
    if not is_off(thinking):
        config["includeThoughts"] = True
    return {"generationConfig": {"thinkingConfig": config}}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}}


_GENERATION = paths(
    "temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs presencePenalty "
    "frequencyPenalty seed responseMimeType responseSchema responseJsonSchema routingConfig modelSelectionConfig "
    "responseModalities mediaResolution speechConfig audioTimestamp thinkingConfig imageConfig "
    "enableEnhancedCivicAnswers enableAffectiveDialog"
)
"""https://ai.google.dev/api/generate-content#v1beta.GenerationConfig."""


def _normalized(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request as REST has it: google-genai's `config` has the generation's settings among the others."""
    named = {camel_name(key): value for key, value in request.items()}
    generation = camel(named.pop("generationConfig", None) or {})
    for key in _GENERATION & named.keys():
        generation[key] = camel(named.pop(key)) if key == "thinkingConfig" else named.pop(key)
    named |= {"toolConfig": camel(named["toolConfig"])} if "toolConfig" in named else {}
    return {**named, "generationConfig": generation} if generation else named


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("generationConfig", "maxOutputTokens"),
        "temperature": ("generationConfig", "temperature"),
        "top_p": ("generationConfig", "topP"),
        "top_k": ("generationConfig", "topK"),
        "stop": ("generationConfig", "stopSequences"),
        "presence_penalty": ("generationConfig", "presencePenalty"),
        "frequency_penalty": ("generationConfig", "frequencyPenalty"),
        "seed": ("generationConfig", "seed"),
    },
    think=_think,
    answer=_answer,
    thinking=ThinkingPlaces(
        budget=(("generationConfig", "thinkingConfig", "thinkingBudget"),),
        effort=(("generationConfig", "thinkingConfig", "thinkingLevel"),),
    ),
    choice=("toolConfig", "functionCallingConfig"),
    efforts=("minimal", "low", "medium", "high", "xhigh"),  # google.genai.types.ThinkingLevel
    normalize=_normalized,
)


def _response(response: dict[str, Any]) -> dict[str, Any]:
    """Return a response as REST has it; what google-genai dumps by default has other names."""
    named = {camel_name(key): value for key, value in response.items()}
    if isinstance(candidates := named.get("candidates"), list):
        named["candidates"] = [
            {camel_name(key): value for key, value in each.items()} if isinstance(each, dict) else each
            for each in candidates
        ]
    return {
        **named,
        **{key: camel(named[key]) for key in ("usageMetadata", "promptFeedback") if key in named},
    }


RESPONSE = ResponseSettings(
    message=("candidates", "content"),
    stop=("candidates", "finishReason"),
    blocked=("promptFeedback", "blockReason"),
    usage={
        "input_tokens": ("usageMetadata", "promptTokenCount"),
        "output_tokens": ("usageMetadata", "candidatesTokenCount"),
        "cache_read_tokens": ("usageMetadata", "cachedContentTokenCount"),
        "reasoning_tokens": ("usageMetadata", "thoughtsTokenCount"),
    },
    reasoning_apart=True,
    normalize=_response,
)
