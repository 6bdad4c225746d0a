"""The neutral transcript, and the rules that keep a provider's history acceptable."""

from __future__ import annotations

from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

__all__ = [
    "Block",
    "Json",
    "Media",
    "Opaque",
    "Reasoning",
    "Role",
    "Source",
    "Text",
    "ToolCall",
    "ToolResult",
    "Transcript",
    "Turn",
]
