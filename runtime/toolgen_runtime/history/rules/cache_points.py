"""Cache points: where a request has them, and at most four of them (rule 38).

A point is a block of its own (Bedrock) or a member of any block, tool or prompt (Anthropic); one for the whole
request takes the place of one (https://docs.claude.com/en/docs/build-with-claude/prompt-caching).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolgen_runtime.history.request import Request
from toolgen_runtime.history.rules.draft import Draft
from toolgen_runtime.history.tool_blocks import listed_tools
from toolgen_runtime.history.unjudged_calls import native
from toolgen_runtime.history.whole_request import Unset
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.wire import RequestShape, Wire
from toolgen_runtime.transcript.messages import (
    Block,
    CachePoint,
    Json,
    Media,
    Opaque,
    Text,
    ToolCall,
    ToolChange,
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


def _block_has_point(block: Block, shape: RequestShape) -> bool:
    if isinstance(block, Opaque) and isinstance(block.value, ToolCall | ToolResult):
        return _block_has_point(block.value, shape)
    marked = isinstance(block, Text | Media | ToolCall | ToolResult | ToolChange) and block.cache is not None
    return isinstance(block, CachePoint) or marked or _has_point(native(block), shape)


def _points(block: Block, shape: RequestShape) -> int:
    """Return how many a block is or has, the content of a result included."""
    inner = block.content if isinstance(block, ToolResult) else ()
    return _block_has_point(block, shape) + sum(_block_has_point(b, shape) for b in inner)


def in_prompt(request: Request) -> int:
    """Return how many there are in the system prompt and the request itself."""
    prompt = request.system if isinstance(request.system, list) else []
    return sum(_has_point(block, request.wire.request) for block in prompt) + request.cached


def _beside(request: Request) -> int:
    """Return how many there are outside the messages."""
    tools = {} if isinstance(request.tools, Unset) or request.tools is None else request.tools
    return sum(_has_point(tool, request.wire.request) for tool in listed_tools(tools)) + in_prompt(request)


def _without(block: Block, shape: RequestShape) -> Block | None:
    """Return a block without its own cache point; None where it is nothing else."""
    if isinstance(block, CachePoint):
        return None
    if isinstance(block, Opaque):
        if isinstance(block.value, ToolCall | ToolResult):
            return replace(block, value=_without(block.value, shape))
        if not isinstance(block.value, dict):
            return block
        return (
            None if shape.cache_block in block.value else replace(block, value=_cleared(block.value, shape))
        )
    if isinstance(block, Text | Media | ToolCall | ToolResult | ToolChange):
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
    if excess <= 0 or not request.tests(RuleId.TOO_MANY_CACHE_POINTS):
        return values
    out = []
    for value in values:
        if excess > 0 and _has_point(value, shape):
            excess -= 1
            value = _cleared(value, shape)
        out.append(value)
    return [value for value in out if value != {}]


class _Excess:
    """The cache points that are still to be left out."""

    def __init__(self, count: int, shape: RequestShape) -> None:
        self.count = count
        self.shape = shape

    def _thinned(self, block: Block) -> Block | None:
        if self.count <= 0 or not _block_has_point(block, self.shape):
            return block
        self.count -= 1
        return _without(block, self.shape)

    def taken_from(self, block: Block) -> Block | None:
        """Return a block without cache points while there are too many; None where it is nothing else.

        Those inside a result come before its own.
        """
        if self.count > 0 and isinstance(block, ToolResult):
            inner = [self._thinned(b) for b in block.content]
            if any(kept is not b for kept, b in zip(inner, block.content, strict=True)):
                content = tuple(b for b in inner if isinstance(b, Text | Json | Media | Opaque))
                block = replace(block, content=content)
        return self._thinned(block)


def limit_cache_points(draft: Draft) -> None:
    """Rule 38: the newest stay."""
    request = draft.request
    if not request.tests(RuleId.TOO_MANY_CACHE_POINTS):
        return
    count = sum(_points(b, request.wire.request) for turn in draft.turns for b in turn.blocks) + _beside(
        request
    )
    if count > MOST:
        place = request.wire.messages.list_key
        draft.find(RuleId.TOO_MANY_CACHE_POINTS, place, (), str(count))
    excess = _Excess(count - MOST, request.wire.request)
    for entry in draft.entries:
        before = excess.count
        kept = [excess.taken_from(block) for block in entry.turn.blocks] if before > 0 else entry.turn.blocks
        for _ in range(before - excess.count):
            draft.log(RuleId.TOO_MANY_CACHE_POINTS, entry.origin, "cache point left out")
        draft.put(entry, [block for block in kept if block is not None])
