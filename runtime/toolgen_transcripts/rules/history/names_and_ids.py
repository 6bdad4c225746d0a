"""Make the names and ids of calls and results acceptable, and give each call an id of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from toolgen_transcripts.codec.models import wants_result_ids, wants_unique_ids
from toolgen_transcripts.messages import Block, ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry, Spot
from toolgen_transcripts.rules.native_tools import choice_of
from toolgen_transcripts.rules.rule import ALL, GEMINI, rule, step

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


def _relabelled(draft: Draft, at: Spot, part: Block) -> Block:
    """Return a call or result with a legal name and a legal id. If the id is missing, it stays missing."""
    if not isinstance(part, ToolCall | ToolResult):
        return part
    request, shape = draft.request, draft.request.wire.calls
    is_call, given_id = isinstance(part, ToolCall), part.id
    key, id_key = shape.result_key, shape.result_id_key
    if is_call:
        key, id_key = shape.call_key, shape.id_key
    below = request.inside(draft.place(at), key)
    place = f"{below}.{id_key}"
    if part.id is None:
        if not shape.ids_optional:
            draft.find(INVALID_LABEL, place)
    elif not request.id_rule.legal(part.id):
        rule = MISTRAL_ID if request.id_rule.exact else INVALID_LABEL
        wire = draft.ids.encode_id(part.id)
        draft.fix(rule, at, f"id {part.id!r} sent as {wire!r}", part.id, place=place, detail=part.id)
        part = replace(part, id=wire)
    name = part.name or ""
    unnamed = part.name is None and (not shape.by_name or shape.names_optional)
    if (unnamed and not is_call) or request.wire.name_rule.legal(name):
        return part
    draft.find(INVALID_LABEL, f"{below}.name", given_id, detail=name)
    if is_call and not name:
        draft.note(INVALID_LABEL, at, f"call without a name named {UNNAMED}", part.id)
        return replace(part, name=UNNAMED)
    if part.name is None:  # the call has the name
        return part
    wire = draft.names.encode_name(name or UNNAMED)
    draft.note(INVALID_LABEL, at, f"name {part.name!r} sent as {wire!r}", part.id)
    return replace(part, name=wire)


def all_ids(draft: Draft) -> set[str]:
    """Return every id of a call or result in the history."""
    return {p.id for e in draft.entries for p in e.turn.parts if p.id is not None}


@step(INVALID_LABEL)
def name_tools(draft: Draft) -> None:
    """Encode tool names that the provider rejects, in the tools and in the tool choice."""
    rule, block, shape = draft.request.wire.name_rule, draft.tools_block(), draft.request.wire.tools
    tools = list(draft.tools())
    draft.names.reserve([tool.name for tool in tools if isinstance(tool.name, str) and tool.name])
    for tool in tools:
        given = tool.name
        name = given if isinstance(given, str) and given else UNNAMED
        if name == given and rule.legal(name):
            continue
        wire = name if rule.legal(name) else draft.names.encode_name(name)
        action = f"name {given!r} sent as {wire!r}"
        draft.fix(INVALID_LABEL, f"{tool.place}.name", action, detail=str(given or ""))
        tool.spec["name"] = wire
    if choice_of(block, shape) == "tool":
        chosen = block[shape.choice_key]
        if not shape.choice_type_key:
            chosen = chosen["tool"]
        name = chosen.get("name")
        if isinstance(name, str) and not rule.legal(name):
            chosen["name"] = draft.names.encode_name(name)


@step(INVALID_LABEL, MISTRAL_ID, after=("calls-without-tools",), why="calls that became text need no ids")
def label(draft: Draft) -> None:
    """Encode the names and ids of calls and results if the provider rejects them."""
    names = [p.name for e in draft.entries for p in e.turn.parts if p.name]
    draft.names.reserve(names)
    draft.ids.reserve(ids=all_ids(draft))
    draft.each(partial(_relabelled, draft))


DUPLICATE_CALL_ID = rule(
    "duplicate-call-id",
    6,
    "two calls with one id",
    "give the later call and its result a new, numbered id",
    "The toolUse blocks at {place}.content contain duplicate Ids: {ids}",
    r"tool_use.? ids must be unique",
    gemini="The toolUse blocks at {place}.parts contain duplicate Ids: {ids}",
    gemini_interactions="Several function_call steps have one id: {ids}",
    anthropic="{place}: `tool_use` ids must be unique: {ids}",
    openai="Duplicate value for 'tool_call_id' in {place}: {ids}",
    openai_responses="Duplicate item found with call_id {ids}",
    source="Cyber-AutoAgent-ng#72",
)


RESULT_ID = rule(
    "result-id",
    78,
    "a result whose id is not that of its call; from Gemini 3.5 on also a result without the id",
    "give it the id of its call",
    "functionResponse.id does not match functionCall.id",
    r"function_?[rR]esponse\.id (?:does not|must) match",
    of=GEMINI,
    source="remix-studio#35, CLIProxyAPI#5199",
)


class CallIds:
    """The ids of the calls in a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.request = draft.request
        self.shape = draft.request.wire.calls
        self.taken = all_ids(draft)
        self.numbers = defaultdict[str, Iterator[int]](count)
        """For each id that was requested, the numbers for ids made from it."""
        self.earlier: set[str] = set()
        """The ids of calls that must not be repeated."""

    def renumber(self, entries: list[Entry], renamed: dict[int, str]) -> None:
        """Give a new id to each call that has none, or whose id was used before.

        The new ids are stored by the calls' ordinals.
        """
        draft = self.draft
        if not wants_unique_ids(self.request.model, self.request.wire):
            self.earlier = set()
        ordinals = count()
        for entry in entries:  # may have stray calls
            ids = [call.id for call in entry.turn.calls if call.id is not None]
            twice = {id for id, times in Counter(ids).items() if times > 1 or id in self.earlier}
            if twice:
                draft.find(DUPLICATE_CALL_ID, entry, *sorted(twice))
            blocks = list(entry.turn.blocks)
            for place, call in enumerate(blocks):
                if not isinstance(call, ToolCall):
                    continue
                ordinal = next(ordinals)
                if call.id is None and not self.shape.ids_optional:
                    new = self._fresh_id(f"call_{entry.origin}_{place}")
                    draft.note(INVALID_LABEL, entry, f"call without an id given {new!r}", new)
                elif call.id is not None and call.id in self.earlier:
                    new = self._fresh_id(call.id)
                    action = f"second call with id {call.id!r} given {new!r}"
                    draft.note(DUPLICATE_CALL_ID, entry, action, call.id)
                else:
                    if call.id is not None:
                        self.earlier.add(call.id)
                    continue
                renamed[ordinal] = new
                blocks[place] = replace(call, id=new)
            draft.put(entry, blocks)

    def _fresh_id(self, wanted: str) -> str:
        """Return an id similar to the wanted one that is legal and not taken, and mark it as taken."""
        candidate = None
        while candidate is None or candidate in self.taken:
            candidate = f"{wanted}_{next(self.numbers[wanted])}".removesuffix("_0")
            if not self.request.id_rule.legal(candidate):
                candidate = self.draft.ids.encode_id(candidate)
        self.taken.add(candidate)
        return candidate

    def labelled(self, entry: Entry, result: ToolResult, call: ToolCall, id: str | None) -> ToolResult:
        """Return a result with the id of its call. Add the call's name if the result needs one."""
        draft, shape = self.draft, self.shape
        if shape.by_name and not (result.name or shape.names_optional):
            action = f"result without a name given {call.name!r}"
            draft.note(INVALID_LABEL, entry, action, call.id)
            result = replace(result, name=call.name)
        if id in (None, result.id):
            return result
        unlike = (
            shape.by_name
            and id == call.id
            and (result.id is not None or wants_result_ids(self.request.model))
        )
        if unlike:
            action = f"result given the id {id!r} of its call"
            draft.fix(RESULT_ID, entry, action, result.id, detail=call.name)
        elif result.id is None:
            if shape.ids_optional:
                return result
            draft.note(INVALID_LABEL, entry, f"result without an id given {id!r}", id)
        return replace(result, id=id)
