"""Gemini's generateContent API as data: its names, shapes and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm, Slot
from toolgen_transcripts.codec.members import JsonObject, Native
from toolgen_transcripts.codec.shapes import NAME, NAMES, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons


@lru_cache(maxsize=256)
def snake(camel: str) -> str:
    """Convert a field's name to snake case, as google-genai writes it."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", camel)


def camel_name(name: object) -> str:
    """Convert a field's name to camel case, as the REST API writes it.

    google-genai dumps snake case, and the API accepts both.
    """
    return re.sub("_([a-z])", lambda found: found[1].upper(), str(name))


_SCHEMAS = ("responseSchema", "responseJsonSchema")
"""Fields whose keys are the caller's own names (of properties) and not the API's."""


def camel(value: Any) -> Any:
    """Return a copy of an object with its field names in camel case, as in the REST API.

    The same applies to the fields of objects inside it, except schemas.
    """
    if not isinstance(value, Mapping):
        return value
    named = {camel_name(key): member for key, member in value.items()}
    return {key: member if key in _SCHEMAS else camel(member) for key, member in named.items()}


def either(members: JsonObject, camel: str) -> Any:
    """Return the value of a field, under its name in the REST API or in the SDK; None if it is missing."""
    value = members.get(camel)
    if value is None:
        return members.get(snake(camel))
    return value


_NUMBERED = ("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")
"""The finish reasons whose numbers are the same in the published enums of the Gemini API and of Vertex AI. The numbers
from 6 on have other meanings there, so they stay unknown."""


def finish_reason(candidate: JsonObject) -> Any:
    """Return a candidate's finish reason, which is a number in dumps of Google's protobuf messages
    (`to_dict()`).
    """
    reason = either(candidate, "finishReason")
    if type(reason) is int and 0 <= reason < len(_NUMBERED):
        return _NUMBERED[reason]
    return reason


def both(fields: frozenset[str]) -> frozenset[str]:
    """Return dotted paths in every mixture of camel case and snake case."""
    steps = ([{step, snake(step)} for step in field.split(".")] for field in fields)
    return frozenset(".".join(path) for each in steps for path in product(*each))


def _media(key: str, **members: Slot) -> MediaForm:
    """Return a form of media that reads both spellings of each field."""
    unwritten = Slot("name", write=media.never, needed=False)
    named = {f"{name}|{snake(name)}": slot for name, slot in {**members, "displayName": unwritten}.items()}
    return MediaForm({f"{key}|{snake(key)}": named})


_GENERATION = paths(
    "temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs presencePenalty "
    "frequencyPenalty seed responseMimeType responseSchema responseJsonSchema routingConfig modelSelectionConfig "
    "responseModalities mediaResolution speechConfig audioTimestamp thinkingConfig imageConfig "
    "enableEnhancedCivicAnswers enableAffectiveDialog"
)
"""The members of `generationConfig`: https://ai.google.dev/api/generate-content#v1beta.GenerationConfig."""


def _normalized(request: Native) -> Native:
    """Return a request in REST format. In google-genai, the fields of `generationConfig` are directly in `config`."""
    named = {camel_name(key): value for key, value in request.items()}
    generation = camel(named.pop("generationConfig", None) or {})
    for key in [key for key in named if key in _GENERATION]:
        generation[key] = named.pop(key)
        if key == "thinkingConfig":
            generation[key] = camel(generation[key])
    if "toolConfig" in named:
        named |= {"toolConfig": camel(named["toolConfig"])}
    if generation:
        return {**named, "generationConfig": generation}
    return named


WIRE = Wire(
    provider="gemini",
    name_rule=WireRule(r"[A-Za-z_][A-Za-z0-9_.:-]*", 128),
    stop_key="finishReason",
    # google-genai 3.4.0, types.FinishReason, 2026-11-23: all 24. After CONTINUATION the rest of the message is in the
    # next one; FINISH_REASON_UNSPECIFIED and OTHER do not guarantee that the message is complete.
    stops={
        **reasons("stop", "STOP", whole=True),
        **reasons("length", "MAX_TOKENS CONTINUATION"),
        **reasons(
            "content_filter",
            "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR "
            "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION",
        ),
        **reasons("error", "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL MALFORMED_RESPONSE", malformed=True),
        **reasons(
            "error",
            "FINISH_REASON_UNSPECIFIED OTHER LANGUAGE TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE "
            "PUP_LIMITED_DISABLED NO_IMAGE IMAGE_OTHER",
        ),
    },
    usage_key="usageMetadata",
    usage={
        "input_tokens": "promptTokenCount",
        "output_tokens": "candidatesTokenCount+thoughtsTokenCount",
        "cache_read_tokens": "cachedContentTokenCount",
        "reasoning_tokens": "thoughtsTokenCount",
    },
    messages=MessageShape(
        list_key="contents",
        system_key="systemInstruction",
        content_key="parts",
        roles={"user": "user", "model": "assistant", "function": "tool"},
        role_optional=True,
        text_content=False,
        text_input=True,
        signature_keys=("thoughtSignature", "thought_signature"),
        required=(),
        members={
            "text": str,
            **dict.fromkeys(("functionCall", "functionResponse", "inlineData", "fileData"), dict),
            **dict.fromkeys(("function_call", "function_response", "inline_data", "file_data"), dict),
        },
        reads={
            "message": paths("role"),
            "system": paths("role parts"),
            "thought": both(paths("text thought thoughtSignature")),
            "": both(
                paths(
                    "text functionCall.id functionCall.name functionCall.args functionResponse.id "
                    "functionResponse.name functionResponse.response functionResponse.parts"
                )
            ),
        },
        media=(
            _media("inlineData", mimeType=media.WRITTEN_TYPE, data=media.BASE64),
            _media("fileData", mimeType=media.TYPE, fileUri=media.URL),
        ),
        attributes=paths("uri.media_type"),
    ),
    request=RequestShape(
        merged=("config",),
        spelling=camel_name,
        tool_keys=("tools", "toolConfig"),
        thinking_paths=(),
        state_keys=("cachedContent",),
        paths=under(
            "generationConfig",
            same="temperature seed",
            max_tokens="maxOutputTokens",
            top_p="topP",
            top_k="topK",
            stop="stopSequences",
            presence_penalty="presencePenalty",
            frequency_penalty="frequencyPenalty",
        ),
        normalize=_normalized,
    ),
    calls=CallShape(
        call_key="functionCall",
        result_key="functionResponse",
        other_keys={"functionCall": "function_call", "functionResponse": "function_response"},
        ids_optional=True,
        input_key="args",
        by_name=True,
        object_key="response",
        results_together=True,
    ),
    tools=ToolShape(
        reads=both(paths("name description parameters parametersJsonSchema")),
        group_keys=("functionDeclarations", "function_declarations"),
        schema_path=("parametersJsonSchema",),
        other_schema_paths=(("parameters_json_schema",), ("parameters",)),
        openapi_keys=frozenset({"parameters"}),
        schema_optional=True,
        always=frozenset({"description"}),  # required by the API
        choice_path=("toolConfig", "functionCallingConfig"),
        choices={
            "auto": {"mode": "AUTO"},
            "required": {"mode": "ANY"},
            "none": {"mode": "NONE"},
            "validated": {"mode": "VALIDATED"},
            "tool": {"mode": "ANY", "allowedFunctionNames": [NAME]},
            "allowed": {"mode": "ANY", "allowedFunctionNames": NAMES},
            "allowed_auto": {"mode": "VALIDATED", "allowedFunctionNames": NAMES},  # AUTO takes no names
        },
        untyped_root=True,
    ),
    stream=StreamFormat(end="finishReason", calls="candidates[0].content.parts"),
)
"""For the stop reasons see https://ai.google.dev/api/generate-content#FinishReason."""
