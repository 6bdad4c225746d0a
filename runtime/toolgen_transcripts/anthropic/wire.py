"""The Anthropic Messages API as data: its names, shapes and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm, Slot
from toolgen_transcripts.codec.shapes import NAME, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons
from toolgen_transcripts.messages import MediaKind
from toolgen_transcripts.strict.subsets import CLAUDE

CLIENT_TOOLS = frozenset({"bash", "computer", "memory", "str_replace_based_edit_tool", "str_replace_editor"})
"""The tools that the client runs and whose names are fixed:
https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.
"""

_PLAIN = Slot("media_type", lambda _: "text/plain", media.never, needed=False)
_LINKED = (
    {
        "type": "url",
        "url": Slot("uri", write=lambda uri: uri if uri.startswith(("https://", "http://")) else None),
        "media_type": media.READ_TYPE,
    },
    {"type": "file", "file_id": media.FILE, "media_type": media.READ_TYPE},
)
_PDF = Slot("media_type", write={"application/pdf": "application/pdf"}.get, needed="writing")
_TEXT = Slot(
    "media_type",
    write=dict.fromkeys(("text/plain", "text/markdown", "text/csv"), "text/plain").get,
    needed="writing",
)


def _media(kind: MediaKind, *sources: Mapping[str, Any], **about: Any) -> list[MediaForm]:
    return [MediaForm({"type": kind, "source": s, **about}, kind) for s in (*sources, *_LINKED)]


WIRE = Wire(
    provider="anthropic",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 128),
    id_rule=WireRule(r"[A-Za-z0-9_-]+", 256),
    stop_key="stop_reason",
    # anthropic 2.12.0, types/beta/beta_stop_reason.py, 2026-11-23. After `pause_turn` and `compaction` the message is
    # complete, and the turn continues in the next message. `refusal` stops the model in the middle of a message.
    stops={
        **reasons("stop", "end_turn stop_sequence", whole=True),
        **reasons("tool_calls", "tool_use", whole=True),
        **reasons("pause", "pause_turn compaction", whole=True),
        **reasons("length", "max_tokens model_context_window_exceeded"),
        **reasons("content_filter", "refusal"),
    },
    usage={
        "input_tokens": "input_tokens+cache_read_input_tokens+cache_creation_input_tokens",
        "output_tokens": "output_tokens",
        "cache_read_tokens": "cache_read_input_tokens",
        "cache_write_tokens": "cache_creation_input_tokens",
    },
    messages=MessageShape(
        empty_last=True,
        text_type={"": "text"},
        members={"type": str, "text": str, "thinking": str},
        result=("content",),
        result_type="tool_result",
        reads={
            "message": paths("role content"),
            "text": paths("type text cache_control"),
            "search_result": paths("type title source content.type content.text cache_control"),
            "tool_use": paths("type id name input cache_control"),
            "tool_result": paths("type tool_use_id content is_error cache_control"),
            "thinking": paths("type thinking signature"),
            "redacted_thinking": paths("type data"),
            "cache_control": paths("type ttl"),
        },
        media=(
            *_media(
                "image",
                {
                    "type": "base64",
                    "media_type": Slot("media_type", needed="writing", default="image/png"),
                    "data": media.BASE64,
                },
            ),
            *_media(
                "document",
                {"type": "base64", "media_type": _PDF, "data": media.BASE64},
                {"type": "text", "media_type": _TEXT, "data": media.TEXT},
                {"type": "content", "content": media.TEXTS, "media_type": _PLAIN},
                title=media.NAME,
                context=media.CONTEXT,
                citations={"enabled": media.CITATIONS},
            ),
        ),
        attributes=paths("document.name document.context document.citations cache result.cache"),
        definitions={"tool_addition": ("tool", "definition")},
    ),
    request=RequestShape(
        cache_member="cache_control",
        paths=under(same="max_tokens temperature top_p top_k", stop="stop_sequences"),
        tokens_required=True,
    ),
    calls=CallShape(
        published_ids=True,
        call_types={"function": "tool_use"},
        result_id_key="tool_use_id",
        unique_ids=True,
        client_tools=CLIENT_TOOLS,
        server_types=r"(?:server|mcp)_tool_use|\w+_tool_result",
    ),
    tools=ToolShape(
        reads=paths("type name description input_schema strict cache_control"),
        schema_path=("input_schema",),
        types=frozenset({"custom"}),
        choice_key="tool_choice",
        choice_path=("tool_choice",),
        choices={
            "auto": {"type": "auto"},
            "required": {"type": "any"},
            "none": {"type": "none"},
            "tool": {"type": "tool", "name": NAME},
        },
        choice_type_key="type",
        refused_at_root=("anyOf", "oneOf", "allOf"),
        property_names=r"[a-zA-Z0-9_.-]{1,64}",
        strict=CLAUDE,
    ),
    stream=StreamFormat(end="message_stop", block_end="content_block_stop", start_key="content_block"),
    reasoning_from=frozenset({"bedrock", "anthropic"}),  # Claude's signatures are valid on both
)
"""The facts about this API; for the stop reasons see https://docs.anthropic.com/en/api/handling-stop-reasons."""
