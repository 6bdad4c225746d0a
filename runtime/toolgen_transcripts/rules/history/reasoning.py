"""Repair the reasoning that a server requires in the history next to the calls (`reasoning_content`, and
OpenAI's APIs).

It may be missing, incomplete, not stored or refused. `thinking` is about Claude and Gemini.
"""

from __future__ import annotations

from itertools import takewhile
from operator import attrgetter

from toolgen_transcripts.codec.models import lacks_reasoning, wants_all_reasoning
from toolgen_transcripts.messages import Block, Reasoning, Source, native_members, with_native
from toolgen_transcripts.rules.draft import Draft, Spot, each_block
from toolgen_transcripts.rules.rule import ANTHROPIC, OPENAI, RESPONSES, rule, step

MISSING_REASONING = rule(
    "missing-reasoning",
    43,
    "calls without the reasoning that led to them",
    "send `reasoning_content` back with the calls; otherwise send a placeholder",
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    r"in the thinking mode must be passed back",
    r"Missing .?reasoning_content.? field in the assistant message",
    r"reasoning_content is missing in assistant tool call message",
    of=ANTHROPIC | OPENAI,
    source="new-api#4806, langchain#39370, openclaw#73417, DeepSeek-Reasonix#8902, dotcraft#263",
)


TORN_REASONING = rule(
    "torn-reasoning",
    46,
    "reasoning without the item that followed it, or that item without its reasoning",
    "send reasoning items back with the items that followed them; leave out one whose next item is missing",
    "Item '{detail}' of type 'reasoning' was provided without its required following item.",
    r"of type '\w+' was provided without its required 'reasoning' item",
    of=RESPONSES,
    source="openai-agents-python#2503",
)


REASONING_REFUSED = rule(
    "reasoning-refused",
    69,
    "reasoning items for a model that does not reason",
    "leave them out",
    "Reasoning input items can only be provided to a reasoning or computer use model.",
    r"[Rr]easoning input items can only be provided",
    of=RESPONSES,
    source="openai-agents-python#569",
)


UNSTORED_REASONING = rule(
    "unstored-reasoning",
    49,
    "reasoning without `encrypted_content` that the server has not stored",
    "ask for `reasoning.encrypted_content` (`include`), or leave the item out",
    "Item with id '{detail}' not found. Items are not persisted when `store` is set to false. Try again"
    " with `store` set to true, or remove this item from your input.",
    r"Items are not persisted when .?store.? is set to false",
    of=RESPONSES,
    source="openai-agents-js#326, openai-agents-js#929",
)


PLACEHOLDER = "."
"""The text in place of missing reasoning. DeepSeek and Kimi require some text, but do not read it."""


@step(
    MISSING_REASONING,
    after=("input-not-object", "empty-message"),
    why="the message is written anew",
    when=attrgetter("wants_reasoning"),
)
def add_reasoning(draft: Draft) -> None:
    """Fill the field in which the model requires reasoning, from another field or with a placeholder."""
    request = draft.request
    key, called = request.wire.messages.reasoning_key, False
    all_of_them = request.thinking is True and wants_all_reasoning(request.model)
    for entry in draft.entries:
        turn, ids = entry.turn, [call.id for call in entry.turn.calls]
        value = native_members(turn)
        called = called or bool(ids)
        wanted = turn.role == "assistant" and (ids or (called and all_of_them))
        if not wanted or isinstance(value.get(key), str):
            continue
        thoughts = [block for block in turn.blocks if isinstance(block, Reasoning)]
        # Other APIs have it as a block, which only the model can write; Responses have no switch for it.
        if not key:
            if not thoughts and (request.thinking is True or request.wire.of_many):
                draft.find(MISSING_REASONING, entry, *ids)
            continue
        text = "\n".join(block.text for block in thoughts if block.text)
        entry.turn = with_native(turn, {**value, key: text or PLACEHOLDER}, request.provider)
        if not thoughts:
            made = Source(request.provider, {key: PLACEHOLDER})
            draft.put(entry, [Reasoning(PLACEHOLDER, source=made), *turn.blocks])
        action = "reasoning sent back" if text else "placeholder put for the reasoning"
        draft.fix(MISSING_REASONING, entry, action, *ids)


def _stored_id(block: Block) -> str | None:
    """Return the id of reasoning that the server may have stored."""
    id = native_members(block).get("id")
    if isinstance(block, Reasoning) and isinstance(id, str):
        return id
    return None


@step(UNSTORED_REASONING, when=lambda request: request.unstored and request.is_openai)
@each_block
def drop_unstored(draft: Draft, at: Spot, block: Block) -> Block | None:
    """Remove reasoning that consists only of an id, if the server does not store reasoning."""
    id = _stored_id(block)
    if id is None or (isinstance(block, Reasoning) and block.signature is not None):
        return block
    draft.fix(UNSTORED_REASONING, at, "reasoning that is not stored left out", detail=id)
    return None


@step(TORN_REASONING, after=("unstored-reasoning",), why="what is left out follows no reasoning")
def drop_torn(draft: Draft) -> None:
    """Remove reasoning items that have an id from the end of a message.

    OpenAI requires the item that followed them.
    """
    request = draft.request
    for entry in draft.entries if request.is_openai else ():
        torn = list(takewhile(lambda block: _stored_id(block) is not None, reversed(entry.turn.blocks)))
        if torn:
            place = request.place_in(request.starts[entry.origin + 1] - 1)
            action, last = "reasoning that nothing follows dropped", _stored_id(torn[0]) or ""
            draft.fix(TORN_REASONING, entry, action, place=place, detail=last)
            draft.put(entry, entry.turn.blocks[: -len(torn)])
    draft.drop_emptied([entry for entry in draft.entries if entry.turn.role == "assistant"])


@step(REASONING_REFUSED, when=lambda request: lacks_reasoning(request.model))
@each_block
def drop_for_plain_models(draft: Draft, at: Spot, block: Block) -> Block | None:
    """Remove reasoning from requests to a model that does not reason."""
    if not isinstance(block, Reasoning):
        return block
    draft.fix(REASONING_REFUSED, at, "reasoning left out")
    return None
