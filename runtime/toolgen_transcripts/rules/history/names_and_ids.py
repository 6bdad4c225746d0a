"""Names and ids of calls and results that a provider or a model does not accept."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from toolgen_transcripts.messages import Block, ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.native_tools import choice_of
from toolgen_transcripts.rules.rule import ALL, rule, step

INVALID_LABEL = rule(
    "invalid-label",
    19,
    "a name or an id that the provider does not accept",
    "rename it with the codec, both in the tools and in the history",
    "Value '{detail}' at '{place}' failed to satisfy constraint: Member must satisfy regular expression"
    " pattern",
    r"(?:toolSpec\.name|toolUse\.name|toolUseId)'? failed to satisfy constraint: Member must",
    r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}does not match pattern",
    r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}string too long",
    r"Invalid function name",
    r"(?:tools|messages)\.\d+.{0,200}String should match pattern",
    r"function_(?:call|response)\.name: (?:\[\S{0,80}\])?:? ?Name cannot be empty",
    r"Invalid '(?:tools|messages|input)\[\d+\][^']{0,80}name': empty string",
    r"(?:tools|messages)\.\d+\S{0,120}\.name: String should have at (?:most|least)",
    anthropic="{place}: String should match pattern ({detail})",
    openai="Invalid '{place}': string does not match pattern or is too long ({detail})",
    gemini="Invalid function name at {place} ({detail}). Must start with a letter or an underscore.",
    source="remote-swe-agents#457",
)


MISTRAL_ID = rule(
    "mistral-id",
    35,
    "a call id that Mistral does not accept",
    "replace the id with one of nine letters and digits (the codec does this)",
    "Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",
    of=ALL,
    source="opencode#48843",
)


UNNAMED = "unnamed_tool"


def _relabelled(draft: Draft, entry: Entry, place: str, part: Block) -> Block:
    """Return a call or result with a legal name and a legal id; if the id is missing, it stays missing."""
    if not isinstance(part, ToolCall | ToolResult):
        return part
    request, shape = draft.request, draft.request.wire.calls
    is_call, given_id = isinstance(part, ToolCall), part.id
    below = request.inside(place, shape.call_key if is_call else shape.result_key)
    id_key = shape.id_key if is_call else shape.result_id_key
    if part.id is None:
        if not shape.ids_optional:
            draft.find(INVALID_LABEL, f"{below}.{id_key}")
    elif not request.id_rule.legal(part.id):
        rule = MISTRAL_ID if request.id_rule.exact else INVALID_LABEL
        wire = draft.ids.encode_id(part.id)
        action, at = f"id {part.id!r} sent as {wire!r}", f"{below}.{id_key}"
        draft.fix(rule, entry, action, [part.id], at=at, detail=part.id)
        part = replace(part, id=wire)
    name = part.name or ""
    unnamed = part.name is None and (not shape.by_name or shape.names_optional)
    if (unnamed and not is_call) or request.wire.name_rule.legal(name):
        return part
    draft.find(INVALID_LABEL, f"{below}.name", (given_id,), name)
    if is_call and not name:
        draft.note(INVALID_LABEL, entry, f"call without a name named {UNNAMED}", part.id)
        return replace(part, name=UNNAMED)
    if part.name is None:  # the call has the name
        return part
    wire = draft.names.encode_name(name or UNNAMED)
    draft.note(INVALID_LABEL, entry, f"name {part.name!r} sent as {wire!r}", part.id)
    return replace(part, name=wire)


def all_ids(draft: Draft) -> set[str]:
    """Return every id in the history."""
    return {p.id for e in draft.entries for p in e.turn.parts if p.id is not None}


@step(INVALID_LABEL)
def name_tools(draft: Draft) -> None:
    """Encode illegal names of tools, and the name in the tool choice."""
    rule, block, shape = draft.request.wire.name_rule, draft.tools_block(), draft.request.wire.tools
    tools = list(draft.tools())
    draft.names.reserve([tool.name for tool in tools if isinstance(tool.name, str) and tool.name])
    for tool in tools:
        given = tool.name
        if isinstance(given, str) and rule.legal(given):
            continue
        name = given if isinstance(given, str) and given else UNNAMED
        if rule.legal(name):
            wire = name
        else:
            wire = draft.names.encode_name(name)
        action = f"name {given!r} sent as {wire!r}"
        draft.fix(INVALID_LABEL, f"{tool.place}.name", action, detail=str(given or ""))
        tool.spec["name"] = wire
    if choice_of(block, shape) == "tool":
        if shape.choice_type_key:
            chosen = block[shape.choice_key]
        else:
            chosen = block[shape.choice_key]["tool"]
        name = chosen.get("name")
        if isinstance(name, str) and not rule.legal(name):
            chosen["name"] = draft.names.encode_name(name)


@step(INVALID_LABEL, MISTRAL_ID, after=("calls-without-tools",), why="calls that became text need no ids")
def label(draft: Draft) -> None:
    """Encode illegal names and ids of calls and results with the codec."""
    names = [p.name for e in draft.entries for p in e.turn.parts if p.name]
    draft.names.reserve(names)
    draft.ids.reserve(ids=all_ids(draft))
    draft.each(partial(_relabelled, draft))
