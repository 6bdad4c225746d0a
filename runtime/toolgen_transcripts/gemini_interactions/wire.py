"""Gemini's Interactions API as data: its names, shapes and limits.

https://ai.google.dev/gemini-api/docs/interactions, revision 2026-05-20; types of google-genai 3.4.0
(`google.genai.interactions`), read on 2026-11-23.
"""

from __future__ import annotations

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm
from toolgen_transcripts.codec.shapes import NAME, NAMES, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons
from toolgen_transcripts.messages import MediaKind

MEDIA: tuple[MediaKind, ...] = ("image", "audio", "video", "document")


WIRE = Wire(
    provider="gemini_interactions",
    name_rule=WireRule(r"[A-Za-z_][A-Za-z0-9_.:-]*", 128),  # not published: the rule of generateContent
    stop_key="status",
    # google-genai 3.4.0, interactions.Interaction.status: all nine. According to the documentation, the results of the
    # calls must follow after `requires_action`, so the calls are complete.
    stops={
        **reasons("stop", "completed", whole=True),
        **reasons("tool_calls", "requires_action", whole=True),
        **reasons("length", "incomplete budget_exceeded"),
        **reasons("pause", "requires_continuation"),
        **reasons("error", "failed cancelled"),
        **reasons("unknown", "in_progress queued idle"),
    },
    usage={
        "input_tokens": "total_input_tokens",
        "output_tokens": "total_output_tokens+total_thought_tokens",
        "cache_read_tokens": "total_cached_tokens",
        "reasoning_tokens": "total_thought_tokens",
    },
    messages=MessageShape(
        list_key="input",
        system_key="system_instruction",
        system_text=True,
        block_places=False,
        role_key="type",
        roles={"user_input": "user", "model_output": "assistant"},
        text_type={"": "text"},
        item_key="type",
        item_types=paths(
            "user_input model_output thought function_call function_result code_execution_call "
            "code_execution_result file_search_call file_search_result google_maps_call google_maps_result "
            "google_search_call google_search_result mcp_server_tool_call mcp_server_tool_result processing_call "
            "processing_result retrieval_call retrieval_result tool_search_call tool_search_result "
            "url_context_call url_context_result"
        ),
        text_input=True,
        input_types=frozenset({"text", *MEDIA}),
        reads={
            "message": paths("type content"),
            "function_call": paths("type id name arguments"),
            "function_result": paths("type call_id name result is_error"),
            "thought": paths("type signature summary.type summary.text"),
            "text": paths("type text"),
        },
        media=tuple(
            MediaForm({"type": kind, "mime_type": typed, **said}, kind)
            for kind in MEDIA
            for typed, said in (
                (media.WRITTEN_TYPE, {"data": media.BASE64}),
                (media.TYPE, {"uri": media.URL}),
            )
        ),
        attributes=paths("uri.media_type"),
    ),
    request=RequestShape(
        tool_keys=("tools",),
        thinking_paths=(),
        state_keys=("previous_interaction_id", "continuation_token", "cached_content"),
        store_key="store",
        paths={
            **under("generation_config", same="temperature top_p seed", max_tokens="max_output_tokens"),
            **under("generation_config", stop="stop_sequences"),
        },
    ),
    calls=CallShape(
        call_types={"function": "function_call"},
        result_id_key="call_id",
        by_name=True,
        names_optional=True,
        input_key="arguments",
        result_role="tool",
        server_types=r"(?!function_)\w+_(?:call|result)",
    ),
    tools=ToolShape(
        reads=paths("type name description parameters"),
        types=frozenset({"function"}),
        schema_optional=True,
        choice_path=("generation_config", "tool_choice"),
        # `auto` is the API's default, so `generation_config` is not needed for it
        choices={
            "required": "any",
            "none": "none",
            "validated": "validated",
            "tool": {"allowed_tools": {"mode": "any", "tools": [NAME]}},
            "allowed": {"allowed_tools": {"mode": "any", "tools": NAMES}},
            "allowed_auto": {"allowed_tools": {"mode": "auto", "tools": NAMES}},
        },
        untyped_root=True,
    ),
    stream=StreamFormat(end="interaction.completed", block_end="step.stop", start_key="step", calls="steps"),
)
