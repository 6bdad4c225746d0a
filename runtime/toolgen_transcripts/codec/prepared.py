"""Prepare a transcript for a provider.

The result has only blocks that the provider accepts, and ids and names where it requires them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolgen_transcripts.codec.decoding import is_native
from toolgen_transcripts.codec.encoding import Encoding
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Opaque,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

Indexed = list[tuple[int, Turn]]


def _merge(turns: Indexed, wire: Wire) -> Indexed:
    """Merge consecutive turns of the same speaker, unless both were read from the provider's own format."""

    def speaker(turn: Turn) -> Role:
        if turn.role == "tool" and wire.calls.result_role == "user":
            return "user"
        return turn.role

    runs: list[Indexed] = []
    for index, turn in turns:
        first = runs[-1][0][1] if runs else turn
        own = is_native(first, wire.provider) and is_native(turn, wire.provider)
        if not runs or own or speaker(first) != speaker(turn):
            runs.append([])
        runs[-1].append((index, turn))
    merged: Indexed = []
    for run in runs:
        index, turn = run[0]
        if len(run) > 1:
            turn = replace(turn, blocks=tuple(block for _, each in run for block in each.blocks))
        merged.append((index, turn))
    return merged


def _paired(turns: Indexed, encoding: Encoding) -> Indexed:
    """Return turns in which each call has an id, and each result refers to its call.

    A result has the id and the kind of its call and, if required, the tool's name. A result without an id belongs to
    the first call of its tool that has no result. The provider's own blocks do not change.
    """
    taken = {b.id for _, t in turns for b in t.blocks if isinstance(b, ToolCall | ToolResult)}
    waiting: dict[str, ToolCall] = {}
    latest: dict[str | None, ToolCall] = {}  # an id may be repeated

    def numbered(block: Block, index: int, ordinal: int) -> Block:
        if not isinstance(block, ToolCall | ToolResult) or block.id is not None:
            return block
        if is_native(block, encoding.provider):
            return block
        if isinstance(block, ToolResult):
            first = next((id for id, call in waiting.items() if block.name in (None, call.name)), "")
            call = waiting.pop(first, None)
            if call is None:
                return block
            return replace(block, id=call.id, name=call.name)
        id = f"call_{index}_{ordinal}"
        while id in taken:
            id += "_"
        encoding.at = f"/turns/{index}/blocks/{ordinal}"
        encoding.lose("id-made", "the call had no id: made from its place", block.name)
        waiting[id] = replace(block, id=id)
        return waiting[id]

    def answering(block: Block) -> Block:
        if not isinstance(block, ToolResult) or block.id not in latest:
            return block
        call = latest[block.id]
        name = call.name if encoding.wire.calls.by_name else None
        kind = block.kind if call.kind == "function" else call.kind
        return replace(block, name=block.name or name, kind=kind)

    out: Indexed = []
    for index, turn in turns:
        blocks = [numbered(block, index, ordinal) for ordinal, block in enumerate(turn.blocks)]
        latest |= {b.id: b for b in blocks if isinstance(b, ToolCall) and b.id is not None}
        out.append((index, replace(turn, blocks=tuple(map(answering, blocks)))))
    return out


def _survives(block: Block, wire: Wire) -> bool:
    """Return whether a provider accepts a block. It rejects opaque blocks and signed reasoning of other providers."""
    if isinstance(block, Opaque):
        return block.provider == wire.provider
    if is_native(block, wire.provider):
        return True
    if isinstance(block, CachePoint):
        return "cache" in wire.messages.attributes
    if not isinstance(block, Reasoning):
        return True
    signer = block.signed_by or (block.source.provider if block.source else None)
    if signer is None:
        return bool(wire.reasoning_from) and bool(block.signature or block.redacted)
    if signer not in wire.reasoning_from:
        return False
    # redacted reasoning can only be read by its signer, to which another API may have passed it on
    if block.redacted is None:
        return bool(block.signature)
    return signer == wire.provider


def _note_unread(blocks: Iterable[Block], place: str, encoding: Encoding, *, nested: bool = False) -> None:
    """Add a diagnostic for each block of another provider that has fields which the neutral form lacks."""
    attributes = encoding.wire.messages.attributes
    for ordinal, block in enumerate(blocks):
        if isinstance(block, Opaque) or is_native(block, encoding.provider):
            continue
        at = f"{place}/{ordinal}"
        encoding.at = at
        if _survives(block, encoding.wire):
            cache = getattr(block, "cache", None)
            sources = [node.source for node in (block, cache) if node is not None and node.source is not None]
            unread = [path for source in sources for path in source.unread]
            encoding.lose_fields(unread, getattr(block, "name", "") or "")
            if cache is not None and ("result.cache" if nested else "cache") not in attributes:
                encoding.lose("cache-dropped", f"{encoding.provider} has no cache point here: left out")
        if isinstance(block, ToolResult):
            _note_unread(block.content, f"{at}/content", encoding, nested=True)


def _is_bare_signature(block: Block, provider: str) -> bool:
    """Return whether a block is an empty text that only carries another provider's signature (Gemini's last part)."""
    if not isinstance(block, Text) or block != Text(""):
        return False
    return block.source is not None and not is_native(block, provider)


def _surviving(turn: Turn, place: str, encoding: Encoding) -> Turn:
    blocks: list[Block] = []
    for ordinal, block in enumerate(turn.blocks):
        if _is_bare_signature(block, encoding.provider) and len(turn.blocks) > 1:
            continue
        encoding.at = f"{place}/{ordinal}"
        if _survives(block, encoding.wire):
            blocks.append(block)
        elif isinstance(block, CachePoint):
            encoding.lose("cache-dropped", f"{encoding.provider} has no cache point here: left out")
        else:
            encoding.dropped(block)
    if len(blocks) == len(turn.blocks):
        return turn
    return replace(turn, blocks=tuple(blocks))


def _spoken(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """Return the turns that the provider accepts, and the system blocks that move to the system prompt."""
    turns: Indexed = []
    moved: list[Block] = []
    for index, given in enumerate(transcript):
        _note_unread(given.blocks, f"/turns/{index}/blocks", encoding)
        turn = _surviving(given, f"/turns/{index}/blocks", encoding)
        encoding.at = f"/turns/{index}"
        if given.source is not None and not is_native(given, encoding.provider):
            encoding.lose_fields(given.source.unread)
        if is_native(turn, encoding.provider):
            turns.append((index, turn))
        elif turn.role == "system" and not encoding.wire.messages.system_messages:
            encoding.lose("system-moved", "a system message among the turns: moved to the system prompt")
            moved += turn.blocks
        elif turn.blocks:
            turns.append((index, turn))
        else:
            encoding.lose("turn-dropped", f"{encoding.provider} can have nothing of this turn: left out")
    return turns, moved


def prepare(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """Return the turns in the form that the provider requires, and the system prompt. All names and ids are reserved.

    Each turn comes with its index; merged turns have the index of the first. Turns from the provider itself do not
    change.
    """
    calls = [c for t in transcript for c in t.calls]
    ids = [c.id for c in calls if c.id] + [r.id for t in transcript for r in t.results if r.id]
    names = [
        c.name.removeprefix(f"{c.namespace}.") if c.namespace and encoding.says("namespace") else c.name
        for c in calls
    ]
    encoding.codec.reserve(filter(None, names), ids)
    spoken, moved = _spoken(transcript, encoding)
    turns = _paired(_merge(spoken, encoding.wire), encoding)
    _note_unread(transcript.system, "/system", encoding)
    system = _surviving(Turn("system", transcript.system), "/system", encoding).blocks
    given = transcript.system_source
    own = given is not None and given.provider == encoding.provider
    prompt = [b for b in (*system, *moved) if own or b != Text("")]
    return turns, prompt
