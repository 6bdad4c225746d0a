"""The structure of a history without its content: for logs, when a request still fails."""

from __future__ import annotations

import logging

from toolgen_runtime.history.request import transcript_of
from toolgen_runtime.transcript.messages import (
    Block,
    CachePoint,
    Media,
    Opaque,
    Reasoning,
    ToolCall,
    ToolChange,
    ToolResult,
)

_MAX_LABEL = 80
_log = logging.getLogger("toolgen.transcript")


def _label(text: str | None) -> str:
    return "-" if text is None else ascii(text[:_MAX_LABEL])[1:-1]


def _kind(block: Block) -> str:
    if isinstance(block, ToolCall):
        return f"call({_label(block.name)} id={_label(block.id)})"
    if isinstance(block, ToolResult):
        state = {True: " error", False: " success", None: ""}[block.is_error]
        inner = "+".join(map(_kind, block.content)) or "empty"
        return f"result(id={_label(block.id)}{state} {inner})"
    if isinstance(block, Media):
        return block.kind
    if isinstance(block, Reasoning):
        return "reasoning(signed)" if block.signature else "reasoning"
    if isinstance(block, Opaque | CachePoint | ToolChange):
        value = block.value if isinstance(block, Opaque) else block.source and block.source.value
        known = sorted(map(str, value))[:3] if isinstance(value, dict) else []
        return f"other({','.join(map(_label, known))})"
    text = getattr(block, "text", None)
    return "blank-text" if isinstance(text, str) and not text.strip() else type(block).__name__.lower()


def structure(messages: object, provider: str) -> str:
    """Return one line for each message: number, role, kinds of blocks, tool names and ids, without content.

    Raises:
        ValueError: no messages of that provider are known.
    """
    turns = transcript_of(messages, provider).turns
    return "\n".join(
        f"{i} {t.role}: {' '.join(map(_kind, t.blocks)) or 'empty'}" for i, t in enumerate(turns)
    )


def log_structure(messages: object, provider: str, *, level: int = logging.WARNING) -> None:
    """Write `structure` to the logger `toolgen.transcript`."""
    if _log.isEnabledFor(level):
        _log.log(level, "%s messages:\n%s", provider, structure(messages, provider))
