"""The Bedrock Converse API as data: its names, shapes and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm, Slot
from toolgen_transcripts.codec.shapes import NAME, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons
from toolgen_transcripts.messages import MediaKind
from toolgen_transcripts.strict.subsets import CLAUDE


def _media(kind: MediaKind, *sources: Mapping[str, Any], **about: Any) -> list[MediaForm]:
    uri = Slot("uri", write=lambda uri: uri if uri.startswith("s3://") else None)
    stored = {"s3Location": {"uri": uri}}
    return [
        MediaForm({kind: {"format": media.format_slot(kind), "source": source, **about}}, kind)
        for source in ({"bytes": media.BYTES}, *sources, stored)
    ]


_FIELDS = "additionalModelRequestFields"


WIRE = Wire(
    provider="bedrock",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[A-Za-z0-9_.:-]+", 64),
    stop_key="stopReason",
    # botocore 1.44.5, bedrock-runtime 2023-09-30, StopReason, 2026-11-23.
    stops={
        **reasons("stop", "end_turn stop_sequence", whole=True),
        **reasons("tool_calls", "tool_use", whole=True),
        **reasons("length", "max_tokens model_context_window_exceeded"),
        **reasons("content_filter", "guardrail_intervened content_filtered"),
        **reasons("error", "malformed_model_output malformed_tool_use", malformed=True),
    },
    usage={
        "input_tokens": "inputTokens+cacheReadInputTokens+cacheWriteInputTokens",
        "output_tokens": "outputTokens",
        "cache_read_tokens": "cacheReadInputTokens",
        "cache_write_tokens": "cacheWriteInputTokens",
    },
    messages=MessageShape(
        text_content=False,
        required=(),
        members={
            "text": str,
            **dict.fromkeys(
                ("toolUse", "toolResult", "reasoningContent", "image", "document", "video"), dict
            ),
        },
        result=("toolResult", "content"),
        reads={
            "message": paths("role"),
            "": paths(
                "text json cachePoint.type cachePoint.ttl citationsContent.content.text guardContent.text.text "
                "searchResult.title searchResult.source searchResult.content.text "
                "toolUse.toolUseId toolUse.name toolUse.input "
                "toolResult.toolUseId toolResult.content toolResult.status "
                "reasoningContent.reasoningText.text reasoningContent.reasoningText.signature "
                "reasoningContent.redactedContent"
            ),
        },
        media=(
            *(form for kind in ("image", "video", "audio") for form in _media(kind)),
            *_media(
                "document",
                {"text": Slot("data", media.TEXT.read, media.never)},
                {"content": media.TEXTS},
                name=media.FILE_NAME,
                context=media.CONTEXT,
                citations={"enabled": media.CITATIONS},
            ),
            *(MediaForm({"guardContent": form.template}, "image") for form in _media("image")[:1]),
        ),
        attributes=paths("document.name document.context document.citations cache uri.media_type"),
    ),
    request=RequestShape(
        model_key="modelId",
        cache_block="cachePoint",
        thinking_paths=(
            (_FIELDS, "thinking", "type"),
            (_FIELDS, "reasoning_config", "type"),
        ),
        paths={
            **under(
                "inferenceConfig",
                same="temperature",
                max_tokens="maxTokens",
                top_p="topP",
                stop="stopSequences",
            ),
            "top_k": (_FIELDS, "top_k"),
        },
    ),
    calls=CallShape(
        published_ids=True,
        call_key="toolUse",
        result_key="toolResult",
        id_key="toolUseId",
        result_id_key="toolUseId",
        json_blocks=True,
        own_ids=r"tooluse_[A-Za-z0-9_-]{1,56}",
        server_types="server_tool_use",
    ),
    tools=ToolShape(
        reads=paths("toolSpec.name toolSpec.description toolSpec.inputSchema toolSpec.strict"),
        block_key="toolConfig",
        definition_key="toolSpec",
        schema_path=("inputSchema", "json"),
        choice_key="toolChoice",
        choice_path=("toolChoice",),
        choices={"auto": {"auto": {}}, "required": {"any": {}}, "tool": {"tool": {"name": NAME}}},
        refused_at_root=("anyOf", "oneOf", "allOf"),
        model_roots=True,
        property_names=r"[a-zA-Z0-9_.-]{1,64}",
        strict=CLAUDE,
        no_choice=frozenset({"none"}),
    ),
    stream=StreamFormat(
        end="messageStop", block_end="contentBlockStop", index_key="contentBlockIndex", start_key="start"
    ),
    reasoning_from=frozenset({"bedrock", "anthropic"}),  # Claude's signatures are valid on both
)
"""The facts about this API; for `stopReason` see
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
"""

UNKNOWN_MEMBER = "SDK_UNKNOWN_MEMBER"
"""What botocore puts in place of a union member that is not in its service model."""

SERVER_TOOL_USE = WIRE.calls.server_types
"""The `type` of a tool use that the server itself runs."""
