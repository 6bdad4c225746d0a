"""Match results with calls, and find calls that the rules must not check.

A result belongs to the assistant turn right before it, and there to the call with its id. If several calls have the
same id, their order decides.

Calls that the server itself runs, and results of calls that only their provider knows (a client's tool search), are set
aside unchanged, because the rules about calls do not apply to them.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from toolgen_transcripts.codec.members import Native, at_path
from toolgen_transcripts.codec.wire import CallShape, Wire
from toolgen_transcripts.messages import (
    Block,
    Opaque,
    ToolCall,
    ToolResult,
    Turn,
    native_members,
    native_value,
)


def is_unlabelled(result: ToolResult) -> bool:
    """Return whether a result has neither an id nor a tool name that could identify its call."""
    return result.id is None and not result.name


def _by_id(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Iterator[tuple[int, int]]:
    given, wanted = _places(results), _places(calls)
    for id, places in wanted.items():
        found = given.get(id, [])
        if len(places) == 1 and found:  # prefer the first result that is not an error
            found = [next((i for i in found if not results[i].is_error), found[0])]
        yield from zip(places, found, strict=False)


def _places(parts: Sequence[ToolCall | ToolResult]) -> dict[str, list[int]]:
    """Return the indices of the parts by their ids."""
    places = defaultdict[str, list[int]](list)
    for index, part in enumerate(parts):
        if part.id is not None:
            places[part.id].append(index)
    return places


def _by_name(
    calls: Sequence[ToolCall], results: Sequence[ToolResult], answers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """For each call, yield the first unused result with the same name.

    If both have ids, they are not matched by name.
    """
    used = set(answers.values())
    named = defaultdict[tuple[str, bool], deque[int]](deque)
    for index, result in enumerate(results):
        if index not in used and result.name:
            named[result.name, result.id is None].append(index)
    for place, call in enumerate(calls):
        if place not in answers:
            queues = [named[call.name, True]]
            if call.id is None:
                queues.append(named[call.name, False])
            if waiting := [queue for queue in queues if queue]:
                yield place, min(waiting).popleft()


def match(
    calls: Sequence[ToolCall], results: Sequence[ToolResult], *, in_order: bool, by_name: bool = False
) -> tuple[dict[int, int], set[int]]:
    """Match the calls of one exchange with its results.

    Return the result of each call, and further results for it.

    They are matched by ids, by names if either side has no id (Gemini), and by their order if calls lack an id that the
    API requires (`in_order`). Results with other ids than the calls belong to them if their names, order and number are
    the same (`by_name`). A single result without id and name belongs to the only call without a result.
    """
    answers = dict(_by_id(calls, results))
    answers |= _by_name(calls, results, answers)
    waiting = [place for place in range(len(calls)) if place not in answers]
    spare = sorted(set(range(len(results))).difference(answers.values()))
    if by_name and [calls[place].name for place in waiting] == [results[i].name for i in spare]:
        return answers | dict(zip(waiting, spare, strict=True)), set()
    unlabelled = [i for i in spare if is_unlabelled(results[i])]
    nameless = [place for place in waiting if in_order and calls[place].id is None]
    if nameless or len(waiting) == len(unlabelled) == 1:  # several would be ambiguous
        answers.update(zip(nameless or waiting, unlabelled, strict=False))
    called = {c.id for c in calls if c.id is not None}
    return answers, {i for i in spare if results[i].id in called}


@dataclass(frozen=True, slots=True)
class Exchange:
    """The indexes of some consecutive assistant turns, and of the other turns that follow them."""

    assistant: tuple[int, ...]
    response: tuple[int, ...]


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Group turns into exchanges: assistant turns with the turns that follow.

    Only the first exchange may have no assistant turns, and only the last may have no turns after them.
    """
    out: list[Exchange] = []
    assistant: tuple[int, ...] = ()
    for is_assistant, run in groupby(range(len(turns)), lambda index: turns[index].role == "assistant"):
        if is_assistant:
            assistant = tuple(run)
        else:
            out.append(Exchange(assistant, tuple(run)))
            assistant = ()
    if assistant:
        return [*out, Exchange(assistant, ())]
    return out


def members_of(value: object, key: str, shape: CallShape) -> Native:
    """Return the native object that contains the fields of a call or result. It may be under either spelling
    of `key`.
    """
    for name in (key, shape.other_keys.get(key, key)):
        found = at_path(value, (name,)) if name else value
        if isinstance(found, dict):
            return found
    return {}


def is_summary(block: Block) -> bool:
    """Return whether a block is the summary of a compaction, which stands for everything before it.

    The summary of a failed compaction is empty.
    """
    value = native_members(block)
    return value.get("type") == "compaction" and bool(value.get("content") or value.get("encrypted_content"))


def _served_members(block: Block, shape: CallShape) -> Native:
    """Return the fields of a call that the server itself runs, or of its result; `{}` for any other block."""
    value = native_value(block)
    if isinstance(value, ToolCall | ToolResult):
        value = native_value(value)
    if not shape.server_types:
        return {}
    for key in (shape.call_key, shape.result_key):
        members = members_of(value, key, shape)
        kind = members.get("type")
        if isinstance(kind, str) and re.fullmatch(shape.server_types, kind):
            return members
    return {}


def is_servers_own(block: Block, shape: CallShape) -> bool:
    """Return whether a block is a call that the provider's server runs itself, or the result of one."""
    return isinstance(block, Opaque) and bool(_served_members(block, shape))


def _unchecked_ids(turn: Turn) -> set[str]:
    """Return the ids in those blocks of a turn that the rules do not check."""
    values = [native_members(b) for b in turn.blocks if isinstance(b, Opaque)]
    ids = [value.get("call_id", at_path(value, ("tool_call", "id"))) for value in values]
    return {id for id in ids if isinstance(id, str)}


def _is_named(part: ToolCall | ToolResult, shape: CallShape) -> bool:
    """Return whether a part is a result that has its tool's name instead of the call's id."""
    named = shape.named_results and isinstance(part, ToolResult) and part.id is None
    return named and isinstance(native_members(part).get("name"), str)


def _set_aside(turn: Turn, ids: set[str], wire: Wire) -> Turn:
    aside = {id(part) for part in turn.parts if part.id in ids or _is_named(part, wire.calls)}
    if not aside:
        return turn
    return replace(turn, blocks=tuple(Opaque(wire.provider, b) if id(b) in aside else b for b in turn.blocks))


def judged(turns: Sequence[Turn], wire: Wire, unawaited: Collection[str] = ()) -> tuple[Turn, ...]:
    """Return the turns without the calls and results that the rules must not check.

    Calls to `unawaited` tools are set aside too.
    """
    pending = {call.id for turn in turns for call in turn.calls if call.name in unawaited and call.id}
    seen = [_set_aside(turn, pending, wire) if pending else turn for turn in turns]
    for exchange in exchanges(seen):
        other = {id for i in exchange.assistant for id in _unchecked_ids(seen[i])}
        own = {c.id for i in exchange.assistant for c in seen[i].calls}
        for i in exchange.assistant:
            served = [_served_members(b, wire.calls).get(wire.calls.id_key) for b in seen[i].blocks]
            seen[i] = _set_aside(seen[i], {id for id in served if isinstance(id, str) and id}, wire)
        for i in exchange.response:
            seen[i] = _set_aside(seen[i], other - own, wire)
    return tuple(seen)


def writable(turn: Turn) -> Turn:
    """Undo `judged`: return the turn with all its calls and results, so that the codec can write it."""
    aside = (isinstance(b, Opaque) and isinstance(b.value, ToolCall | ToolResult) for b in turn.blocks)
    blocks = (native_value(b) if is_aside else b for b, is_aside in zip(turn.blocks, aside, strict=True))
    return replace(turn, blocks=tuple(blocks))
