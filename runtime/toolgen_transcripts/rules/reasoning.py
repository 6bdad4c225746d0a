"""Reasoning that models require back with calls (rules 42 to 46, 49): missing, foreign and incomplete reasoning."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any

from toolgen_transcripts.codec.models import is_claude, is_openai, wants_reasoning, wants_signatures
from toolgen_transcripts.messages import Block, Opaque, Reasoning, Source, ToolCall, Turn
from toolgen_transcripts.rules.answers import native
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.labels import turn_into_text
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.table import Rules

SKIP = "skip_thought_signature_validator"
"""Google's value for calls that Gemini did not make (https://ai.google.dev/gemini-api/docs/thought-signatures)."""
_SKIPS = {SKIP, SKIP.encode(), b64encode(SKIP.encode()).decode(), "context_engineering_is_the_way_to_go"}
PLACEHOLDER = "."
"""The text for missing reasoning: DeepSeek and Kimi require a text, but do not read it."""


def _loop(turns: Sequence[Turn]) -> range:
    """Return the indices of the turns after the last user turn without results."""
    own = [i for i, turn in enumerate(turns) if turn.role == "user" and not turn.results]
    return range(own[-1] + 1 if own else 0, len(turns))


def flatten_unthought(draft: Draft) -> None:
    """Turn the last calls into text if their thinking is missing, since it cannot be invented (rule 42)."""
    request, loop = draft.request, _loop(draft.turns)
    claude = request.model is None or is_claude(request.model)
    if not (request.thinking is True and claude and loop):
        return
    entries = draft.entries[loop.start :]
    first = next((entry for entry in entries if entry.turn.calls), None)
    thought = any(isinstance(block, Reasoning) for entry in entries for block in entry.turn.blocks)
    if first is None or thought or not entries[-1].turn.results:
        return
    detail = "tool_use" if isinstance(first.turn.blocks[0], ToolCall) else "text"
    ids = [call.id for call in first.turn.calls]
    draft.find(Rules.MISSING_THINKING, draft.request.place(first.origin), ids, detail)
    turn_into_text(draft, entries, Rules.MISSING_THINKING)


def add_reasoning(draft: Draft) -> None:
    """Put reasoning from another member, or a placeholder, in the member where the model requires it (rule 43)."""
    request = draft.request
    key = request.wire.messages.reasoning_key
    for entry in draft.entries if wants_reasoning(request.model, request.thinking) else ():
        turn = entry.turn
        value = turn.source.value if turn.source is not None else {}
        if turn.role != "assistant" or not turn.calls or isinstance(value.get(key), str):
            continue
        thoughts = [block for block in turn.blocks if isinstance(block, Reasoning)]
        text = "\n".join(block.text for block in thoughts if block.text)
        source = Source(request.provider, {**value, key: text or PLACEHOLDER})
        entry.turn = replace(turn, source=source)
        if not thoughts:
            made = Source(request.provider, {key: PLACEHOLDER})
            draft.put(entry, [Reasoning(PLACEHOLDER, source=made), *turn.blocks])
        action = "reasoning sent back" if text else "placeholder put for the reasoning"
        draft.fix(Rules.MISSING_REASONING, entry, action, [call.id for call in turn.calls])


def _signature(request: Request, block: Block) -> Any:
    value = native(block)
    keys = request.wire.messages.signature_keys
    found = [value.get(key) for key in keys] if isinstance(value, dict) else []
    return next(filter(None, found), None)


def _is_signed(request: Request, block: Block) -> bool:
    """Return whether a block has a signature that only its host or model accepts."""
    if request.wire.messages.signature_keys:
        return _signature(request, block) not in (None, *_SKIPS)
    return isinstance(block, Reasoning) and bool(block.signature or block.redacted)


def _call_to_skip(request: Request, call: ToolCall) -> ToolCall:
    """Return the call with the value that skips the signature check, in the spelling of its native part."""
    value = native(call) or {}
    key, other = request.wire.messages.signature_keys
    bare = {k: v for k, v in value.items() if k not in (key, other)}
    spelt = key if request.wire.calls.call_key in value else other
    return replace(call, source=Source(request.provider, {**bare, spelt: SKIP}))


def forget_moved(draft: Draft) -> None:
    """Remove signatures that only another host (Gemini) or another model (Claude) accepts (rule 45).

    In Gemini's calls the value that skips the check replaces them. Claude's thinking is removed with its signature.
    """
    request, keys = draft.request, draft.request.wire.messages.signature_keys

    def unsigned(entry: Entry, place: str, block: Block) -> Block | None:
        if not _is_signed(request, block):
            return block
        action = "signatures of another host replaced" if keys else "thinking of another model left out"
        draft.fix(Rules.FOREIGN_SIGNATURE, entry, action, at=place)
        if not keys:
            return None
        if isinstance(block, ToolCall):
            return _call_to_skip(request, block)
        value = {k: v for k, v in native(block).items() if k not in keys}
        if isinstance(block, Opaque):
            return replace(block, value=value)
        source = Source(request.provider, value)
        if isinstance(block, Reasoning):
            return replace(block, signature=None, source=source)
        return replace(block, source=source)

    if request.moved:
        draft.each(unsigned)


def sign(draft: Draft) -> None:
    """Set the value that skips the check in the first call of each unsigned step after the last user turn (rule 44)."""
    request, turns = draft.request, draft.turns
    steps = groupby(_loop(turns), lambda index: turns[index].role) if wants_signatures(request.model) else ()
    for role, step in steps:
        blocks = [(draft.entries[i], o, b) for i in step for o, b in enumerate(turns[i].blocks)]
        calls = [(entry, o, b) for entry, o, b in blocks if isinstance(b, ToolCall)]
        if role != "assistant" or not calls or any(_signature(request, b) for _, _, b in blocks):
            continue
        entry, ordinal, call = calls[0]
        place = request.place(entry.origin, ordinal)
        signed = _call_to_skip(request, call)
        draft.put(entry, [signed if b is call else b for b in entry.turn.blocks])
        action = "call without a signature sent to skip the check"
        draft.fix(Rules.MISSING_SIGNATURE, entry, action, [call.id], at=place, detail=call.name)


def _stored_id(block: Block) -> str | None:
    """Return the id of reasoning that the server may have stored."""
    value = native(block) if isinstance(block, Reasoning) else None
    id = value.get("id") if isinstance(value, dict) else None
    return id if isinstance(id, str) else None


def drop_torn(draft: Draft) -> None:
    """Drop reasoning at the end of a message, without following content (rule 46)."""
    request = draft.request
    for entry in draft.entries if is_openai(request.model) else ():
        torn = list(takewhile(lambda block: _stored_id(block) is not None, reversed(entry.turn.blocks)))
        if torn:
            place = request.place_in(request.starts[entry.origin + 1] - 1)
            action, last = "reasoning that nothing follows dropped", _stored_id(torn[0]) or ""
            draft.fix(Rules.TORN_REASONING, entry, action, at=place, detail=last)
            draft.put(entry, entry.turn.blocks[: -len(torn)])
    draft.drop_emptied([entry for entry in draft.entries if entry.turn.role == "assistant"])


def drop_unstored(draft: Draft) -> None:
    """Drop reasoning that has only its id if the server does not store it (rule 49)."""
    request = draft.request

    def kept(entry: Entry, place: str, block: Block) -> Block | None:
        id = _stored_id(block)
        if id is None or (isinstance(block, Reasoning) and block.signature is not None):
            return block
        action = "reasoning that is not stored left out"
        draft.fix(Rules.UNSTORED_REASONING, entry, action, at=place, detail=id)
        return None

    if request.unstored and is_openai(request.model):
        draft.each(kept)
