"""Prepare a transcript before it is written for a provider.

The result has only blocks that the provider accepts, and ids and names where it requires them.
"""

from __future__ import annotations

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

    runs: list[tuple[int, Turn, list[Block]]] = []
    for index, turn in turns:
        first = runs[-1][1] if runs else None
        if (
            first is None
            or speaker(first) != speaker(turn)
            or (is_native(first, wire.provider) and is_native(turn, wire.provider))
        ):
            runs.append((index, turn, []))
        runs[-1][2].extend(turn.blocks)
    return [(index, replace(turn, blocks=tuple(blocks))) for index, turn, blocks in runs]


def _paired(turns: Indexed, encoding: Encoding) -> Indexed:
    """Return turns in which each call has an id, and each result refers to its call.

    A result has the id and the kind of its call and, if required, the tool's name. A result without an id belongs to
    the first call of its tool that has no result. The provider's own blocks do not change.
    """
    taken = {part.id for _, turn in turns for part in turn.parts}
    waiting: dict[str | None, str] = {}
    latest: dict[str | None, ToolCall] = {}  # an id may be repeated

    def numbered(call: ToolCall, index: int, ordinal: int) -> ToolCall:
        id = f"call_{index}_{ordinal}"
        while id in taken:
            id += "_"
        encoding.at = f"/turns/{index}/blocks/{ordinal}"
        encoding.lose("id-made", "the call had no id: one was made from its position", call.name)
        waiting[id] = call.name
        return replace(call, id=id)

    def answering(result: ToolResult) -> ToolResult:
        id = result.id
        if id is None and not is_native(result, encoding.provider):
            id = next((id for id, name in waiting.items() if result.name in (None, name)), None)
            waiting.pop(id, None)
        call = latest.get(id)
        if call is None:
            return result
        name = call.name if encoding.wire.calls.by_name else None
        kind = result.kind if call.kind == "function" else call.kind
        return replace(result, id=id, name=result.name or name, kind=kind)

    out: Indexed = []
    for index, turn in turns:
        blocks: list[Block] = []
        for ordinal, block in enumerate(turn.blocks):
            if isinstance(block, ToolCall):
                if block.id is None and not is_native(block, encoding.provider):
                    block = numbered(block, index, ordinal)
                if block.id is not None:
                    latest[block.id] = block
            elif isinstance(block, ToolResult):
                block = answering(block)
            blocks.append(block)
        out.append((index, replace(turn, blocks=tuple(blocks))))
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


def _note_unread(block: Block, encoding: Encoding, cache_attribute: str = "cache") -> None:
    """Add a diagnostic for each field of another provider's block that the neutral form lacks."""
    if isinstance(block, Opaque) or is_native(block, encoding.provider):
        return
    at, cache = encoding.at, getattr(block, "cache", None)
    sources = [node.source for node in (block, cache) if node is not None and node.source is not None]
    unread = [path for source in sources for path in source.unread]
    encoding.lose_fields(unread, getattr(block, "name", "") or "")
    if cache is not None and not encoding.says(cache_attribute):
        encoding.dropped(cache)
    if isinstance(block, ToolResult):
        for ordinal, part in enumerate(block.content):
            encoding.at = f"{at}/content/{ordinal}"
            _note_unread(part, encoding, "result.cache")


def _is_bare_signature(block: Block, provider: str) -> bool:
    """Return whether a block is an empty text that only carries another provider's signature (Gemini's last part)."""
    if not isinstance(block, Text) or block != Text(""):
        return False
    return block.source is not None and not is_native(block, provider)


def _accepted(blocks: tuple[Block, ...], place: str, encoding: Encoding) -> tuple[Block, ...]:
    """Return the blocks that the provider accepts, with a diagnostic for each loss."""
    accepted: list[Block] = []
    for ordinal, block in enumerate(blocks):
        encoding.at = f"{place}/{ordinal}"
        if not _survives(block, encoding.wire):
            encoding.dropped(block)
            continue
        _note_unread(block, encoding)
        if len(blocks) == 1 or not _is_bare_signature(block, encoding.provider):
            accepted.append(block)
    return tuple(accepted)


def _spoken(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """Return the turns that the provider accepts, and the system blocks that move to the system prompt."""
    turns: Indexed = []
    moved: list[Block] = []
    for index, given in enumerate(transcript):
        blocks = _accepted(given.blocks, f"/turns/{index}/blocks", encoding)
        is_own = is_native(given, encoding.provider)
        encoding.at = f"/turns/{index}"
        if given.source is not None and not is_own:
            encoding.lose_fields(given.source.unread)
        if given.role == "system" and not is_own and not encoding.wire.messages.system_messages:
            encoding.lose("system-moved", "a system message among the turns: moved to the system prompt")
            moved += blocks
        elif is_own or blocks:
            turns.append((index, replace(given, blocks=blocks)))
        else:
            encoding.lose("turn-dropped", f"{encoding.provider} cannot express any of this turn: left out")
    return turns, moved


def prepare(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """Return the turns as the provider requires them, and the system prompt. Reserve all names and ids.

    Each turn comes with its index; merged turns have the index of the first. Turns from the provider itself do not
    change.
    """
    ids = [part.id for t in transcript for part in t.parts if part.id]
    names = [
        c.name.removeprefix(f"{c.namespace}.") if c.namespace and encoding.says("namespace") else c.name
        for t in transcript
        for c in t.calls
    ]
    encoding.codec.reserve(filter(None, names), ids)
    spoken, moved = _spoken(transcript, encoding)
    turns = _paired(_merge(spoken, encoding.wire), encoding)
    system = _accepted(transcript.system, "/system", encoding)
    given = transcript.system_source
    own = given is not None and given.provider == encoding.provider
    prompt = [b for b in (*system, *moved) if own or b != Text("")]
    return turns, prompt
