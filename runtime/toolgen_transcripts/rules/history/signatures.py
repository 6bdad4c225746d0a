"""Signatures that only one host or model accepts, and calls without a signature."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from toolgen_transcripts.codec.models import wants_signatures
from toolgen_transcripts.messages import Block, Opaque, Reasoning, Source, ToolCall
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.history.thinking import turns_since_prompt
from toolgen_transcripts.rules.matching import native
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import CLAUDE, GEMINI, rule, step

FOREIGN_SIGNATURE = rule(
    "foreign-signature",
    45,
    "a signature from another host (Gemini: AI Studio, Vertex AI) or another model (Claude)",
    "repair the history with `moved=True`: this replaces Gemini's signatures with the value that skips"
    " the check, and leaves out Claude's thinking",
    "{place}: Invalid `signature` in `thinking` block",
    r"thought signature is not valid",
    r"(?:corrupted|invalid) thought_?\s?signature",
    r"invalid .?signature.? in .?thinking.? block",
    of=CLAUDE | GEMINI,
    gemini="Corrupted thought signature.",
    source="https://ai.google.dev/gemini-api/docs/thought-signatures, hermes-agent#24107",
)


MISSING_SIGNATURE = rule(
    "missing-signature",
    44,
    "a call without its thought signature",
    "send signatures back; for a call that Gemini did not make, send the value that skips the check",
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to"
    " work correctly, and missing thought_signature may lead to degraded model performance. Additional"
    " data, function call `{detail}`, at {place}.",
    r"missing a .?thought_?signature",
    of=GEMINI,
    source="https://ai.google.dev/gemini-api/docs/thought-signatures",
)


SKIP = "skip_thought_signature_validator"
"""Google's value for calls that Gemini did not make (https://ai.google.dev/gemini-api/docs/thought-signatures)."""


_SKIPS = {SKIP, SKIP.encode(), b64encode(SKIP.encode()).decode(), "context_engineering_is_the_way_to_go"}


def _signature(request: Request, block: Block) -> Any:
    value = native(block)
    keys = request.wire.messages.signature_keys
    if isinstance(value, dict):
        found = [value.get(key) for key in keys]
    else:
        found = []
    return next(filter(None, found), None)


def _is_signed(request: Request, block: Block) -> bool:
    """Return whether a block has a signature that only its host or model accepts."""
    if request.wire.messages.signature_keys:
        return _signature(request, block) not in (None, *_SKIPS)
    return isinstance(block, Reasoning) and bool(block.signature or block.redacted)


def _call_to_skip(request: Request, call: ToolCall) -> ToolCall:
    """Return the call with the value that skips the signature check, under the same key as in its native part."""
    value = native(call) or {}
    key, other = request.wire.messages.signature_keys
    bare = {k: v for k, v in value.items() if k not in (key, other)}
    spelt = key if request.wire.calls.call_key in value else other
    return replace(call, source=Source(request.provider, {**bare, spelt: SKIP}))


@step(FOREIGN_SIGNATURE, when=attrgetter("moved"))
def forget_moved(draft: Draft) -> None:
    """Remove signatures that only another host (Gemini) or another model (Claude) accepts.

    In Gemini's calls, the value that skips the check replaces them. Claude's thinking is removed together with its
    signature.
    """
    request, keys = draft.request, draft.request.wire.messages.signature_keys

    def unsigned(entry: Entry, place: str, block: Block) -> Block | None:
        if not _is_signed(request, block):
            return block
        action = "signatures of another host replaced" if keys else "thinking of another model left out"
        draft.fix(FOREIGN_SIGNATURE, entry, action, at=place)
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

    draft.each(unsigned)


@step(
    MISSING_SIGNATURE,
    after=("input-not-object", "orphan-result"),
    why="the signed call is written anew",
    when=lambda request: wants_signatures(request.model),
)
def sign(draft: Draft) -> None:
    """After the last user turn, add the value that skips the check to the first call of each unsigned step."""
    request, turns = draft.request, draft.turns
    for role, indices in groupby(turns_since_prompt(turns), lambda index: turns[index].role):
        blocks = [(draft.entries[i], o, b) for i in indices for o, b in enumerate(turns[i].blocks)]
        calls = [(entry, o, b) for entry, o, b in blocks if isinstance(b, ToolCall)]
        if role != "assistant" or not calls:
            continue
        entry, ordinal, call = calls[0]
        others = [b for _, _, b in blocks if b is call or not isinstance(b, ToolCall)]
        if any(_signature(request, b) for b in others):  # that of a later call does not count
            continue
        place = request.place(entry.origin, ordinal)
        signed = _call_to_skip(request, call)
        draft.put(entry, [signed if b is call else b for b in entry.turn.blocks])
        action = "call without a signature sent to skip the check"
        draft.fix(MISSING_SIGNATURE, entry, action, [call.id], at=place, detail=call.name)
