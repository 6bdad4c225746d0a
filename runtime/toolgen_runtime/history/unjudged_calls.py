"""Calls that the rules do not look at, set aside while they are judged.

A call that the server runs itself, one in the older form without an id, and a result of a call that only its own
provider knows (a client's tool search) are set aside as they are: no rule about calls holds for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from toolgen_runtime.history.answers import exchanges
from toolgen_runtime.providers.shared.wire import CallShape, Wire
from toolgen_runtime.transcript.messages import Block, Opaque, ToolCall, ToolResult, Turn


def _inner(value: object, key: str) -> dict[str, Any]:
    found = value.get(key) if key and isinstance(value, dict) else value
    return found if isinstance(found, dict) else {}


def members_of(value: object, key: str, shape: CallShape) -> dict[str, Any]:
    """Return the native object with the own members of a call or a result, `key` in either spelling."""
    found = _inner(value, key)
    return found or _inner(value, shape.other_keys[key]) if key in shape.other_keys else found


def native(block: Block) -> Any:
    """Return the value that a block was read from, None where there is none."""
    if isinstance(block, Opaque):
        return block.value
    return block.source.value if block.source is not None else None


def is_other_call(call: ToolCall) -> bool:
    """Return whether a call is not of a function: what it is called with need not be an object."""
    return call.kind != "function"


def _served_members(block: Block, shape: CallShape) -> dict[str, Any]:
    """Return the own members of a call that the server runs itself, or of its result; none for any other block."""
    value = native(block)
    if isinstance(value, ToolCall | ToolResult):
        value = native(value)
    for key in (shape.call_key, shape.result_key):
        members = members_of(value, key, shape)
        kind = members.get("type")
        if shape.server_types and isinstance(kind, str) and re.fullmatch(shape.server_types, kind):
            return members
    return {}


def _served(turn: Turn, shape: CallShape) -> set[str]:
    """Return the ids of the calls of a turn that the server runs itself."""
    ids = (_served_members(block, shape).get(shape.id_key) for block in turn.blocks)
    return {id for id in ids if isinstance(id, str) and id}


def is_servers_own(block: Block, shape: CallShape) -> bool:
    """Return whether a block is a call that the server runs itself, or its result."""
    return isinstance(block, Opaque) and bool(_served_members(block, shape))


def _unjudged(turn: Turn) -> set[str]:
    """Return the ids that blocks of a turn bear which no rule knows."""
    values = [_inner(b.value, "") for b in turn.blocks if isinstance(b, Opaque)]
    ids = [value.get("call_id", _inner(value, "tool_call").get("id")) for value in values]
    return {id for id in ids if isinstance(id, str)}


def _is_apart(part: ToolCall | ToolResult, shape: CallShape) -> bool:
    """Return whether a call or a result is of the older form, or a result has its tool's name for the call's id."""
    value = _inner(native(part), "")
    if isinstance(part, ToolCall):
        return bool(shape.function_key) and shape.function_key in value
    named = shape.named_results and part.id is None and isinstance(value.get("name"), str)
    return named or (bool(shape.function_role) and value.get("role") == shape.function_role)


def _set_aside(turn: Turn, ids: set[str], wire: Wire) -> Turn:
    apart = {id(part) for part in turn.parts if part.id in ids or _is_apart(part, wire.calls)}
    if not apart:
        return turn
    return replace(turn, blocks=tuple(Opaque(wire.provider, b) if id(b) in apart else b for b in turn.blocks))


def judged(turns: Sequence[Turn], wire: Wire, unawaited: frozenset[str] = frozenset()) -> tuple[Turn, ...]:
    """Return the turns as the rules look at them; nothing waits for the results of `unawaited` tools."""
    pending = {call.id for turn in turns for call in turn.calls if call.name in unawaited and call.id}
    seen = [_set_aside(turn, pending, wire) if pending else turn for turn in turns]
    for exchange in exchanges(seen):
        other = {id for i in exchange.assistant for id in _unjudged(seen[i])}
        own = {c.id for i in exchange.assistant for c in seen[i].calls}
        for i in exchange.assistant:
            seen[i] = _set_aside(seen[i], _served(seen[i], wire.calls), wire)
        for i in exchange.response:
            seen[i] = _set_aside(seen[i], other - own, wire)
    return tuple(seen)


def writable(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns as the codec writes them: the inverse of `judged`."""

    def put_back(block: Block) -> Block:
        part = block.value if isinstance(block, Opaque) else None
        return part if isinstance(part, ToolCall | ToolResult) else block

    return tuple(replace(turn, blocks=tuple(map(put_back, turn.blocks))) for turn in turns)
