"""Cache points after the tools, the system prompt and the last message of a request."""

from __future__ import annotations

from dataclasses import replace

from toolgen_runtime.providers.shared.tools.definitions import NamedTools, ToolDefinition
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.transcript.messages import Block, CachePoint, Transcript, Turn


def cached(
    transcript: Transcript, tools: NamedTools, provider: str, cache: bool | str
) -> tuple[Transcript, NamedTools]:
    """Return the history and the tools with a cache point after the tools, the system prompt and the last turn."""
    if "cache" not in wire_of(provider).messages.attributes:  # such APIs cache by themselves, or not at all
        return transcript, tools
    point = CachePoint(cache if isinstance(cache, str) else None)
    if tools:
        *_, name = tools
        last = tools[name]
        if not isinstance(last, ToolDefinition):
            last = ToolDefinition(last.name, last.description, last.schema)
        tools = {**tools, name: replace(last, cache=point)}
    system = _marked(transcript.system, point) if transcript.system else ()
    turns = list(transcript.turns)
    leading = next((i for i, turn in enumerate(turns) if turn.role != "system"), len(turns))
    if leading and not system:
        turns[leading - 1] = _marked_turn(turns[leading - 1], point)
    if len(turns) > leading and turns[-1].blocks and turns[-1].role != "assistant":
        turns[-1] = _marked_turn(turns[-1], point)
    return replace(transcript, turns=tuple(turns), system=system), tools


def _marked_turn(turn: Turn, point: CachePoint) -> Turn:
    return replace(turn, blocks=_marked(turn.blocks, point))


def _marked(blocks: tuple[Block, ...], point: CachePoint) -> tuple[Block, ...]:
    """Return blocks that end with a cache point: their own, where they have one."""
    own = blocks[-1] if isinstance(blocks[-1], CachePoint) else getattr(blocks[-1], "cache", None)
    return blocks if own is not None else (*blocks, point)
