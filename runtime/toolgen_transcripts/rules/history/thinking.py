"""Repair the model's thinking and its signatures.

Thinking must be sent back with its calls, to the host and the model that signed it. It must never end a Claude message.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from toolgen_transcripts.codec.members import without
from toolgen_transcripts.codec.models import is_claude, wants_signatures
from toolgen_transcripts.messages import (
    Block,
    Reasoning,
    Text,
    ToolCall,
    native_members,
    with_native,
    without_last_reasoning,
)
from toolgen_transcripts.rules.draft import Draft, Entry, Spot, each_block, located
from toolgen_transcripts.rules.history.calls_without_tools import turn_into_text
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import CLAUDE, GEMINI, rule, step
from toolgen_transcripts.rules.well_formed import EMPTY

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
    members = native_members(block)
    found = (members.get(key) for key in request.wire.messages.signature_keys)
    return next(filter(None, found), None)


def _is_signed(request: Request, block: Block) -> bool:
    """Return whether a block has a signature that only its host or model accepts."""
    if request.wire.messages.signature_keys:
        return _signature(request, block) not in (None, *_SKIPS)
    return isinstance(block, Reasoning) and bool(block.signature or block.redacted)


def _call_to_skip(request: Request, call: ToolCall) -> ToolCall:
    """Return the call with the value that skips the signature check, in the spelling of its native part."""
    members, (key, other) = native_members(call), request.wire.messages.signature_keys
    spelt = key if request.wire.calls.call_key in members else other
    return with_native(call, {**without(members, key, other), spelt: SKIP}, request.provider)


@step(FOREIGN_SIGNATURE, when=attrgetter("moved"))
@each_block
def forget_moved(draft: Draft, at: Spot, block: Block) -> Block | None:
    """Remove signatures that only another host (Gemini) or another model (Claude) would accept.

    In Gemini's calls the value that skips the check replaces them. Claude's thinking is removed with its signature.
    """
    request, keys = draft.request, draft.request.wire.messages.signature_keys
    if not _is_signed(request, block):
        return block
    action = "signatures of another host replaced" if keys else "thinking of another model left out"
    draft.fix(FOREIGN_SIGNATURE, at, action)
    if not keys:
        return None
    if isinstance(block, ToolCall):
        return _call_to_skip(request, block)
    if isinstance(block, Reasoning):
        block = replace(block, signature=None)
    return with_native(block, without(native_members(block), *keys), request.provider)


@step(
    MISSING_SIGNATURE,
    after=("input-not-object", "orphan-result"),
    why="the signed call is written anew",
    when=lambda request: wants_signatures(request.model),
)
def sign(draft: Draft) -> None:
    """Mark the first call of each unsigned step of the current turn, so that the server does not check its
    signature.
    """
    request = draft.request
    for role, entries in groupby(_entries_since_prompt(draft), lambda entry: entry.turn.role):
        blocks = list(located(entries))
        calls = [(at, block) for at, block in blocks if isinstance(block, ToolCall)]
        if role != "assistant" or not calls:
            continue
        at, call = calls[0]
        others = [block for _, block in blocks if block is call or not isinstance(block, ToolCall)]
        if any(_signature(request, block) for block in others):  # that of a later call does not count
            continue
        signed = _call_to_skip(request, call)
        draft.put(at.entry, [signed if block is call else block for block in at.entry.turn.blocks])
        action = "call without a signature sent to skip the check"
        draft.fix(MISSING_SIGNATURE, at, action, call.id, detail=call.name)


MISSING_THINKING = rule(
    "missing-thinking",
    42,
    "calls without the thinking that led to them, while thinking is on",
    "send thinking back with its calls, or turn thinking off; otherwise send the last calls and results"
    " as text",
    "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
    " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding"
    " the lastmost set of `tool_use` and `tool_result` blocks).",
    r"Expected .?thinking.? or .?redacted_thinking.?, but found",
    r"final .?assistant.? message must start with a thinking block",
    of=CLAUDE,
    source="https://platform.claude.com/docs/en/build-with-claude/extended-thinking, opencode#3077",
)
UNSIGNED_THINKING = rule(
    "unsigned-thinking",
    50,
    "thinking without its signature, as an interrupted stream leaves it",
    "leave it out: it cannot be signed later",
    "{place}.thinking.signature: Field required",
    r"\bthinking\.signature: Field required",
    of=CLAUDE,
    source="gajae-code#107, hermes-agent#24107",
)
FINAL_THINKING = rule(
    "final-thinking",
    51,
    "an assistant message that ends in thinking",
    "leave out the thinking at the end",
    "{place}: The final block in an assistant message cannot be `thinking`.",
    r"final block in an assistant message cannot be .?(?:redacted_)?thinking",
    of=CLAUDE,
    source="forgecode#2107, claude-code#63374",
)
THINKING_WHILE_OFF = rule(
    "thinking-while-off",
    52,
    "thinking in the last assistant message, while thinking is off",
    "turn thinking on, or leave its thinking out",
    "{place}: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
    r"thinking.{0,3} is disabled, an .?assistant.? message in the final position cannot contain",
    of=CLAUDE,
    source="forgecode#1853",
)


def _entries_since_prompt(draft: Draft) -> list[Entry]:
    """Return the entries after the last user turn without results."""
    own = [i for i, turn in enumerate(draft.turns) if turn.role == "user" and not turn.results]
    return draft.entries[max(own, default=-1) + 1 :]


def _is_for_claude(request: Request) -> bool:
    """Return whether the model is Claude. Without a model, this is assumed for Anthropic's API but not for Bedrock."""
    return is_claude(request.model) or (request.model is None and not request.wire.tools.model_roots)


@step(
    UNSIGNED_THINKING,
    after=("foreign-signature",),
    why="signatures of another model have been left out with their thinking",
    when=_is_for_claude,
)
@each_block
def drop_unsigned(draft: Draft, at: Spot, block: Block) -> Block | None:
    """Remove thinking that has no signature."""
    if not isinstance(block, Reasoning) or block.signature or block.redacted:
        return block
    draft.fix(UNSIGNED_THINKING, at, "thinking without a signature left out")
    return None


@step(
    FINAL_THINKING,
    THINKING_WHILE_OFF,
    after=("empty-message",),
    why="a blank text at the end is dropped",
    when=_is_for_claude,
)
def drop_final(draft: Draft) -> None:
    """Remove thinking at the end of a message and, while thinking is off, all thinking in the last message."""
    request = draft.request
    for index, entry in enumerate(draft.entries):
        goes_on = draft.entries[index + 1 : index + 2]
        if entry.turn.role != "assistant" or (goes_on and goes_on[0].turn.role == "assistant"):
            continue  # the server joins messages of one role
        blocks = without_last_reasoning(entry.turn).blocks
        if len(blocks) < len(entry.turn.blocks):
            draft.fix(FINAL_THINKING, entry, "thinking at the end left out")
        said = tuple(block for block in blocks if not isinstance(block, Reasoning))
        if len(said) < len(blocks) and not goes_on and request.thinking is False:
            draft.fix(THINKING_WHILE_OFF, entry, "thinking left out")
            blocks = said
        if len(blocks) < len(entry.turn.blocks):
            draft.put(entry, blocks or [Text(EMPTY)])


@step(MISSING_THINKING, after=("empty-message",), why="the messages after the last prompt must be final")
def flatten_unthought(draft: Draft) -> None:
    """Turn the last calls into text if the model's thinking before them is missing."""
    request, entries = draft.request, _entries_since_prompt(draft)
    claude = request.model is None or is_claude(request.model)
    if not (request.thinking is True and claude):
        return
    first = next((entry for entry in entries if entry.turn.calls), None)
    thought = any(isinstance(block, Reasoning) for entry in entries for block in entry.turn.blocks)
    if first is None or thought or not entries[-1].turn.results:
        return
    detail = "tool_use" if isinstance(first.turn.blocks[0], ToolCall) else "text"
    ids = [call.id for call in first.turn.calls]
    draft.find(MISSING_THINKING, first, *ids, detail=detail)
    turn_into_text(draft, entries, MISSING_THINKING)
