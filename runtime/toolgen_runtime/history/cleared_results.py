"""Results that the model has worked with, replaced by a short note: what `fit` does before it drops anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolgen_runtime.history.answers import exchanges
from toolgen_runtime.history.request import Request, native_of
from toolgen_runtime.transcript.messages import Block, Text, ToolResult, Turn

NOTE = "[result cleared to save space; call the tool again if you need it]"


def without_old_results(
    request: Request, spans: list[range], keep: int
) -> tuple[list[dict[str, Any]], set[int]]:
    """Return the messages with a note for each result older than the last `keep` rounds, and where those are.

    A round is what the model said in a row, with the results of its calls.
    """
    messages: list[dict[str, Any]] = list(request.given)
    cleared: set[int] = set()
    rounds = [exchange for exchange in exchanges(request.turns) if exchange.assistant]
    for exchange in rounds[:-keep]:
        for index in exchange.response:
            turn, span = request.turns[index], spans[index]
            made = native_of((_cleared(turn),), request.provider)
            if len(made) != len(span):  # a turn that is written in another number of messages stays
                continue
            for place, message in zip(span, made, strict=True):
                if _size(message) < _size(messages[place]):
                    messages[place] = message
                    cleared.add(place)
    return messages, cleared


def _cleared(turn: Turn) -> Turn:
    return replace(turn, blocks=tuple(map(_noted, turn.blocks)))


def _noted(block: Block) -> Block:
    if not isinstance(block, ToolResult) or block.content == (Text(NOTE),):
        return block
    return replace(block, content=(Text(NOTE),), source=None)


def _size(message: Mapping[str, Any]) -> int:
    return len(repr(message))
