"""Cache points: where a request has them, and at most four of them (rule 38).

A point is a block of its own (Bedrock) or a member of any block, tool or prompt (Anthropic); one for the whole
request takes the place of one (https://docs.claude.com/en/docs/build-with-claude/prompt-caching).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolgen_runtime.history.answers import native
from toolgen_runtime.history.request import Request, Unset
from toolgen_runtime.history.rules.draft import Draft, Entry
from toolgen_runtime.history.tool_blocks import listed_tools
from toolgen_runtime.provider_rules.table import Rules
from toolgen_runtime.providers.shared.settings import RequestShape
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import (
    Block,
    CachePoint,
    Json,
    Media,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
)

MOST = 4


def is_cache_point(block: Block, wire: Wire) -> bool:
    """Return whether a block is a cache point and nothing else."""
    key = wire.request.cache_block
    value = native(block) if isinstance(block, Opaque) else None
    return isinstance(block, CachePoint) or (bool(key) and isinstance(value, dict) and key in value)


def _has_point(value: object, shape: RequestShape) -> bool:
    keys = (shape.cache_block, shape.cache_member)
    return isinstance(value, dict) and any(key and value.get(key) is not None for key in keys)


def _is_marked(block: Block, shape: RequestShape) -> bool:
    """Return whether a block is a cache point, or has one."""
    if isinstance(block, Opaque) and isinstance(block.value, ToolCall | ToolResult):
        block = block.value
    marked = isinstance(block, CachePoint) or getattr(block, "cache", None) is not None
    return marked or _has_point(native(block), shape)


def in_prompt(request: Request) -> int:
    """Return how many there are in the system prompt and the request itself."""
    prompt = request.system if isinstance(request.system, list) else []
    return sum(_has_point(block, request.wire.request) for block in prompt) + request.cached


def _without(block: Block, shape: RequestShape) -> Block | None:
    """Return a block without its own cache point; None where it is nothing else."""
    if isinstance(block, Opaque) and isinstance(block.value, ToolCall | ToolResult):
        return replace(block, value=_without(block.value, shape))
    if isinstance(block, CachePoint) or (isinstance(block, Opaque) and shape.cache_block in block.value):
        return None
    if isinstance(block, Opaque):
        return replace(block, value=_cleared(block.value, shape))
    if isinstance(block, Text | Media | ToolCall | ToolResult):
        block = replace(block, cache=None)
    if block.source is None or not isinstance(block.source.value, dict):
        return block
    return replace(block, source=replace(block.source, value=_cleared(block.source.value, shape)))


def _cleared(value: dict[str, Any], shape: RequestShape) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k not in (shape.cache_member, shape.cache_block)}


def without_oldest(request: Request, values: list[Any], others: int) -> list[Any]:
    """Return tools, or the blocks of a system prompt, with the last cache points that `others` leave room for."""
    shape = request.wire.request
    excess = sum(_has_point(value, shape) for value in values) + others - MOST
    if excess <= 0 or not request.tests(Rules.TOO_MANY_CACHE_POINTS):
        return values
    oldest = [index for index, value in enumerate(values) if _has_point(value, shape)][:excess]
    out = [_cleared(value, shape) if index in oldest else value for index, value in enumerate(values)]
    return [value for value in out if value != {}]


def limit_cache_points(draft: Draft) -> None:
    """Rule 38: the newest stay; those inside a result go before its own."""
    request, shape = draft.request, draft.request.wire.request
    tools = listed_tools({} if isinstance(request.tools, Unset) else request.tools or {})
    count = sum(_is_marked(b, shape) for b in draft.blocks()) + in_prompt(request)
    count += sum(_has_point(tool, shape) for tool in tools)
    if count <= MOST:
        return
    draft.find(Rules.TOO_MANY_CACHE_POINTS, request.wire.messages.list_key, (), str(count))
    excess = count - MOST

    def thinned(entry: Entry, block: Block) -> Block | None:
        nonlocal excess
        if excess > 0 and isinstance(block, ToolResult):
            inner = [thinned(entry, b) for b in block.content]
            if any(kept is not b for kept, b in zip(inner, block.content, strict=True)):
                content = tuple(b for b in inner if isinstance(b, Text | Json | Media | Opaque))
                block = replace(block, content=content)
        if excess <= 0 or not _is_marked(block, shape):
            return block
        excess -= 1
        draft.note(Rules.TOO_MANY_CACHE_POINTS, entry, "cache point left out")
        return _without(block, shape)

    for entry in draft.entries:
        kept = [thinned(entry, block) for block in entry.turn.blocks]
        draft.put(entry, [block for block in kept if block is not None])
