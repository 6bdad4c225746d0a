"""Legal names and ids (rules 19 and 35), and calls as text if the request has no tools (rule 7)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from toolgen_transcripts.codec.json_values import json_text
from toolgen_transcripts.messages import Block, Json, Media, Text, ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.request import Unset
from toolgen_transcripts.rules.rule import Rule
from toolgen_transcripts.rules.table import Rules
from toolgen_transcripts.tools.definitions import defined_in

UNNAMED = "unnamed_tool"


def as_text(block: Block, names: dict[str | None, str]) -> list[Block]:
    """Return a call or a result as text, followed by its media; any other block unchanged."""
    if isinstance(block, ToolCall):
        return [Text(f"[called {block.name} with {json_text(block.input)}]")]
    if isinstance(block, ToolResult):
        name = block.name or names.get(block.id, "a tool")
        state = "error from" if block.is_error else "result of"
        media: list[Block] = [b for b in block.content if isinstance(b, Media)]
        inner = [b for b in block.content if isinstance(b, Text | Json)]
        told = "\n".join(b.text if isinstance(b, Text) else json_text(b.value) for b in inner)
        return [Text(f"[{state} {name}: {told}]"), *media]
    return [block]


def flatten(draft: Draft) -> None:
    """Turn calls and results into text if the request has no tools (rule 7)."""
    request = draft.request
    if isinstance(request.tools, Unset) or (request.tools or {}).get("tools"):
        return
    blocks = [block for turn in draft.turns for block in turn.blocks]
    if not any(map(defined_in, blocks)) and any(isinstance(block, ToolCall | ToolResult) for block in blocks):
        draft.find(Rules.CALLS_WITHOUT_TOOLS, request.wire.tools.block_key or "tools")
        turn_into_text(draft, draft.entries, Rules.CALLS_WITHOUT_TOOLS)


def turn_into_text(draft: Draft, entries: list[Entry], rule: Rule) -> None:
    """Turn the calls and results of some entries into text, as a change for a rule."""
    names: dict[str | None, str] = {}
    for entry in entries:
        names |= {call.id: call.name for call in entry.turn.calls}
        ids = [part.id for part in entry.turn.parts]
        if ids:
            draft.put(entry, [b for block in entry.turn.blocks for b in as_text(block, names)])
            draft.note(rule, entry, "calls and results turned into text", *ids)


def _relabelled(draft: Draft, entry: Entry, place: str, part: Block) -> Block:
    """Return a call or a result with a legal name and a legal id; a missing id stays missing."""
    if not isinstance(part, ToolCall | ToolResult):
        return part
    request, shape = draft.request, draft.request.wire.calls
    is_call, given_id = isinstance(part, ToolCall), part.id
    below = request.inside(place, shape.call_key if is_call else shape.result_key)
    id_key = shape.id_key if is_call else shape.result_id_key
    if part.id is None:
        if not shape.ids_optional:
            draft.find(Rules.INVALID_LABEL, f"{below}.{id_key}")
    elif not request.id_rule.legal(part.id):
        rule = Rules.MISTRAL_ID if request.id_rule.exact else Rules.INVALID_LABEL
        wire = draft.ids.encode_id(part.id)
        action, at = f"id {part.id!r} sent as {wire!r}", f"{below}.{id_key}"
        draft.fix(rule, entry, action, [part.id], at=at, detail=part.id)
        part = replace(part, id=wire)
    name = part.name or ""
    unnamed = part.name is None and (not shape.by_name or shape.names_optional)
    if (unnamed and not is_call) or request.wire.name_rule.legal(name):
        return part
    draft.find(Rules.INVALID_LABEL, f"{below}.name", (given_id,), name)
    if is_call and not name:
        draft.note(Rules.INVALID_LABEL, entry, f"call without a name named {UNNAMED}", part.id)
        return replace(part, name=UNNAMED)
    if part.name is None:  # the call has the name
        return part
    wire = draft.names.encode_name(name or UNNAMED)
    draft.note(Rules.INVALID_LABEL, entry, f"name {part.name!r} sent as {wire!r}", part.id)
    return replace(part, name=wire)


def all_ids(draft: Draft) -> set[str]:
    """Return every id in the history."""
    return {p.id for e in draft.entries for p in e.turn.parts if p.id is not None}


def label(draft: Draft) -> None:
    """Encode illegal names and ids of calls and results with the codec (rules 19 and 35)."""
    names = [p.name for e in draft.entries for p in e.turn.parts if p.name]
    draft.names.reserve(names)
    draft.ids.reserve(ids=all_ids(draft))
    draft.each(partial(_relabelled, draft))
