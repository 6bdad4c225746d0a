"""What a history is made ready with: cache points, and tools among the messages moved beside them."""

from __future__ import annotations

from dataclasses import replace

from toolgen_runtime.providers.shared.messages.prepared import change_attribute
from toolgen_runtime.providers.shared.tools.definitions import (
    NamedTools,
    ProviderDiagnostic,
    ToolDefinition,
    named_tools,
)
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.requests.given import Given
from toolgen_runtime.transcript.messages import Block, CachePoint, ToolChange, Transcript, Turn


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


def move_definitions(given: Given, provider: str) -> None:
    """Move definitions that the provider's messages cannot have to the tools, with a diagnostic for each.

    A tool that the request itself defines by that name stays.
    """
    attributes = wire_of(provider).messages.attributes
    turns: list[Turn] = []
    for index, turn in enumerate(given.transcript.turns):
        moved = {
            ordinal: block
            for ordinal, block in enumerate(turn.blocks)
            if isinstance(block, ToolChange)
            and block.definitions
            and change_attribute(block) not in attributes
        }
        for ordinal, change in moved.items():
            given.tools = {**named_tools(change.definitions), **given.tools}
            given.diagnostics += _notes(change, f"/turns/{index}/blocks/{ordinal}", provider)
        if moved:
            turn = replace(turn, blocks=tuple(b for o, b in enumerate(turn.blocks) if o not in moved))
        if turn.blocks or not moved:
            turns.append(turn)
    given.transcript = replace(given.transcript, turns=tuple(turns))


def _notes(change: ToolChange, place: str, provider: str) -> list[ProviderDiagnostic]:
    """Return what is said of a change that was moved, and of what was in it beside the definitions."""
    notes = [
        ProviderDiagnostic(
            "tool-change-moved",
            f"{provider} defines no tool among the messages: moved to the tools, so it is there from the start",
            tool.name,
            place,
        )
        for tool in change.definitions
    ]
    unread = change.source.unread if change.source is not None else ()
    if unread:
        message = f"{provider} has no form for {', '.join(unread)}: left out"
        notes.append(ProviderDiagnostic("field-dropped", message, "", place))
    return notes
