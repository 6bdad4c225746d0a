"""Calls that are not plain functions, between the form that codecs give them and the one that rules look at.

A call of another type (OpenAI's custom tools) is a block that only its own provider knows, and so is its result;
the rules about calls hold for both all the same, so they become a `ToolCall` and a `ToolResult` here. A call that
the server runs itself, one in the older form without an id, and a result of a call that is not judged here (a
client's tool search) are set aside as they are: no rule about calls holds for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import groupby
from typing import Any

from toolgen_runtime.history.answers import exchanges
from toolgen_runtime.providers.shared.wire import CallShape, Wire
from toolgen_runtime.transcript.messages import Block, Opaque, Source, Text, ToolCall, ToolResult, Turn


def _inner(value: object, key: str) -> dict[str, Any]:
    found = value.get(key) if key and isinstance(value, dict) else value
    return found if isinstance(found, dict) else {}


def members_of(value: object, key: str, shape: CallShape) -> dict[str, Any]:
    """Return the native object with the own members of a call or a result, `key` in either spelling."""
    found = _inner(value, key)
    return found or _inner(value, shape.other_keys[key]) if key in shape.other_keys else found


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def native(block: Block) -> Any:
    """The value that a block was read from, None where there is none."""
    if isinstance(block, Opaque):
        return block.value
    return block.source.value if block.source is not None else None


def is_other_call(block: Block, shape: CallShape) -> bool:
    """Whether a call is not of a function: what it is called with need not be an object."""
    kind = _inner(native(block), "").get("type")
    return isinstance(kind, str) and kind in shape.other_calls


def has_own_result(call: ToolCall, shape: CallShape) -> bool:
    """Whether the result of a call is of a type of its own."""
    kind = _inner(native(call), "").get("type")
    return isinstance(kind, str) and bool(shape.other_calls.get(kind))


def _lifted(block: Block, wire: Wire) -> Block:
    """A call of another type, or the result of one, as a call or a result."""
    if not isinstance(block, Opaque) or block.provider != wire.provider:
        return block
    shape = wire.calls
    value = _inner(block.value, shape.call_wrapper)
    kind = value.get("type")
    if not isinstance(kind, str):
        return block
    source = Source(wire.provider, value)
    if kind in shape.other_calls:
        name = _inner(value, kind).get("name") if shape.call_wrapper else value.get("name")
        return ToolCall(
            _text_or_none(value.get(shape.id_key)), name if isinstance(name, str) else "", {}, source
        )
    if kind and kind in shape.other_calls.values():
        id, output = _text_or_none(value.get(shape.result_id_key)), value.get("output")
        return ToolResult(id, (Text(output),) if isinstance(output, str) else (), source=source)
    return block


def _turned(turns: Iterable[Turn]) -> list[Turn]:
    """The turns with results in turns of their own, where a codec took items for what the model said in a row."""
    out: list[Turn] = []
    for turn in turns:
        if turn.role != "assistant" or not turn.results:
            pieces = [turn]
        else:
            by_kind = groupby(turn.blocks, lambda b: isinstance(b, ToolResult))
            pieces = [
                Turn("tool" if results else "assistant", tuple(blocks), turn.source)
                for results, blocks in by_kind
            ]
        for piece in pieces:
            last = out[-1] if out else None
            if last is not None and last.role == piece.role and piece.role in ("assistant", "tool"):
                out[-1] = replace(last, blocks=last.blocks + piece.blocks)
            else:
                out.append(piece)
    return out


def _served(turn: Turn, shape: CallShape) -> set[str | None]:
    """The ids of the calls of a turn that the server runs itself."""
    return {call.id for call in turn.calls if _has_server_type(_inner(native(call), shape.call_key), shape)}


def _has_server_type(value: dict[str, Any], shape: CallShape) -> bool:
    kind = value.get("type")
    return bool(shape.server_types) and isinstance(kind, str) and bool(re.fullmatch(shape.server_types, kind))


def is_servers_own(block: Block, shape: CallShape) -> bool:
    """Whether a block is a call that the server runs itself, or its result."""
    value = block.value if isinstance(block, Opaque) else None
    if isinstance(value, ToolCall):
        return _has_server_type(_inner(native(value), shape.call_key), shape)
    return _has_server_type(_inner(value, ""), shape)


def _unjudged(turn: Turn) -> set[str]:
    """The ids that blocks of a turn bear which no rule knows."""
    values = [_inner(b.value, "") for b in turn.blocks if isinstance(b, Opaque)]
    return {value["call_id"] for value in values if isinstance(value.get("call_id"), str)}


def _is_older(part: ToolCall | ToolResult, shape: CallShape) -> bool:
    value = _inner(native(part), "")
    if isinstance(part, ToolCall):
        return bool(shape.function_key) and shape.function_key in value
    return bool(shape.function_role) and value.get("role") == shape.function_role


def _set_aside(turn: Turn, ids: set[str | None], wire: Wire) -> Turn:
    blocks = tuple(
        Opaque(wire.provider, b)
        if isinstance(b, ToolCall | ToolResult) and (b.id in ids or _is_older(b, wire.calls))
        else b
        for b in turn.blocks
    )
    return turn if blocks == turn.blocks else replace(turn, blocks=blocks)


def judged(turns: Sequence[Turn], wire: Wire) -> tuple[Turn, ...]:
    """The turns as the rules look at them."""
    seen = [replace(t, blocks=tuple(_lifted(b, wire) for b in t.blocks)) for t in turns]
    if wire.messages.item_key:
        seen = _turned(seen)
    for exchange in exchanges(seen):
        other = {id for i in exchange.assistant for id in _unjudged(seen[i])}
        own = {c.id for i in exchange.assistant for c in seen[i].calls}
        for i in exchange.assistant:
            seen[i] = _set_aside(seen[i], _served(seen[i], wire.calls) - {None}, wire)
        for i in exchange.response:
            seen[i] = _set_aside(seen[i], {*(other - own)}, wire)
    return tuple(seen)


def _rewritten(block: Block, kinds: dict[str | None, str], wire: Wire) -> Block:
    shape = wire.calls
    if isinstance(block, Opaque) and isinstance(block.value, ToolCall | ToolResult):
        return block.value
    if isinstance(block, ToolCall) and is_other_call(block, shape):
        value = {**deepcopy(native(block)), shape.id_key: block.id}
        members = value[value["type"]] if shape.call_wrapper else value
        if isinstance(members, dict) and block.name:
            members["name"] = block.name
        return Opaque(wire.provider, {shape.call_wrapper: value} if shape.call_wrapper else value)
    if isinstance(block, ToolResult):
        kind = kinds.get(block.id) if block.source is None else _inner(native(block), "").get("type")
        if isinstance(kind, str) and kind and kind in shape.other_calls.values():
            made = native(block) or {"type": kind, "output": _said(block)}
            return Opaque(wire.provider, {**deepcopy(made), shape.result_id_key: block.id})
    return block


def _said(result: ToolResult) -> str:
    return "\n".join(b.text for b in result.content if isinstance(b, Text))


def writable(turns: Sequence[Turn], wire: Wire) -> tuple[Turn, ...]:
    """The turns as the codec writes them: the inverse of `judged`."""
    kinds: dict[str | None, str] = {}
    out: list[Turn] = []
    for turn in turns:
        for call in turn.calls:
            kind = _inner(native(call), "").get("type")
            kinds[call.id] = wire.calls.other_calls.get(kind, "") if isinstance(kind, str) else ""
        blocks = tuple(_rewritten(b, kinds, wire) for b in turn.blocks)
        out.append(replace(turn, blocks=blocks))
    return tuple(out)
