"""Tools that are defined among the messages, for a provider that has them beside the messages only."""

from __future__ import annotations

from dataclasses import replace

from toolgen_runtime.providers.shared.messages.prepared import change_attribute
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic, named_tools
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.requests.given import Given
from toolgen_runtime.transcript.messages import ToolChange, Turn


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
