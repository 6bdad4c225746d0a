"""What Gemini's generateContent says on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.gemini.spelling import both, snake
from toolgen_runtime.providers.shared.tools.shape import NAME
from toolgen_runtime.providers.shared.wire import (
    CallShape,
    MessageShape,
    RequestShape,
    StreamFormat,
    ToolShape,
    Wire,
    WireRule,
    paths,
    reasons,
)

SPELLINGS = {
    snake(name): name
    for name in (
        *(
            "functionCall",
            "functionResponse",
            "inlineData",
            "fileData",
            "thoughtSignature",
            "mimeType",
            "fileUri",
        ),
        *("displayName", "finishReason", "usageMetadata", "systemInstruction", "toolConfig", "cachedContent"),
    )
}
"""The names as google-genai dumps them; the API reads both spellings."""

WIRE = Wire(
    provider="gemini",
    name_rule=WireRule(r"[A-Za-z_][A-Za-z0-9_.:-]*", 128),
    id_rule=WireRule(r"[!-~]+", 256),  # not published: what is safe
    stop_key="finishReason",
    # google-genai 3.4.0, types.FinishReason, 2026-11-23: all 24. CONTINUATION announces the rest of the message in
    # the next one; FINISH_REASON_UNSPECIFIED and OTHER say nothing that a message could be relied on for.
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
    messages=MessageShape(
        list_key="contents",
        system_key="systemInstruction",
        content_key="parts",
        roles={"user": "user", "model": "assistant", "function": "tool"},
        role_optional=True,
        text_content=False,
        text_input=True,
        signature_keys=("thoughtSignature", "thought_signature"),
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
                    "functionResponse.name functionResponse.response functionResponse.parts "
                    "inlineData.mimeType inlineData.data inlineData.displayName "
                    "fileData.mimeType fileData.fileUri fileData.displayName"
                )
            ),
        },
        attributes=paths("uri.media_type"),
    ),
    request=RequestShape(
        merged=("config",),
        aliases=SPELLINGS,
        tool_keys=("tools", "toolConfig"),
        thinking_paths=(),
        state_keys=("cachedContent",),
    ),
    calls=CallShape(
        call_key="functionCall",
        result_key="functionResponse",
        other_keys={"functionCall": "function_call", "functionResponse": "function_response"},
        ids_optional=True,
        input_key="args",
        by_name=True,
        object_key="response",
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
            "tool": {"mode": "ANY", "allowedFunctionNames": [NAME]},
        },
        untyped_root=True,
    ),
    stream=StreamFormat(end="finishReason", calls=("candidates", 0, "content", "parts")),
)
"""https://ai.google.dev/api/generate-content#FinishReason."""
