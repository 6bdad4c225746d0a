"""Make the ids of calls unique, and give each result the id of its call."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count

from toolgen_transcripts.codec.models import wants_result_ids, wants_unique_ids
from toolgen_transcripts.messages import ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.history.names_and_ids import INVALID_LABEL, all_ids
from toolgen_transcripts.rules.rule import GEMINI, rule

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
        self.taken = all_ids(draft)
        self.last_numbers: dict[str, int] = {}
        """For each id that was requested, the number of the last id that was made from it."""
        self.earlier: set[str] = set()
        """The ids of calls that must not be repeated."""
        self._wants_ids = wants_result_ids(draft.request.model)

    def renumber(self, entries: list[Entry], renamed: dict[int, str]) -> None:
        """Give new ids to calls without an id, or with a repeated id, and record them by the calls' positions."""
        draft = self.draft
        if not wants_unique_ids(self.request.model, self.request.wire):
            self.earlier = set()
        ordinals = count()
        for entry in entries:  # may have stray calls
            ids = [call.id for call in entry.turn.calls if call.id is not None]
            twice = {id for id, times in Counter(ids).items() if times > 1 or id in self.earlier}
            if twice:
                draft.find(DUPLICATE_CALL_ID, self.request.place(entry.origin), sorted(twice))
            blocks = list(entry.turn.blocks)
            for place, call in enumerate(blocks):
                if not isinstance(call, ToolCall):
                    continue
                ordinal = next(ordinals)
                if call.id is None and not self.request.wire.calls.ids_optional:
                    new = self._fresh_id(f"call_{entry.origin}_{place}")
                    draft.note(INVALID_LABEL, entry, f"call without an id given {new!r}", new)
                    renamed[ordinal] = new
                    blocks[place] = replace(call, id=new)
                elif call.id in self.earlier:
                    new = renamed[ordinal] = self._fresh_id(call.id)
                    action = f"second call with id {call.id!r} given {new!r}"
                    draft.note(DUPLICATE_CALL_ID, entry, action, call.id)
                    blocks[place] = replace(call, id=new)
                elif call.id is not None:
                    self.earlier.add(call.id)
            draft.put(entry, blocks)

    def _fresh_id(self, wanted: str) -> str:
        """Return a legal id that is similar to the wanted one and not taken, and mark it as taken."""
        candidate = None
        while candidate is None or candidate in self.taken:
            number = self.last_numbers[wanted] = self.last_numbers.get(wanted, -1) + 1
            if number:
                candidate = f"{wanted}_{number}"
            else:
                candidate = wanted
            if not self.request.id_rule.legal(candidate):
                candidate = self.draft.ids.encode_id(candidate)
        self.taken.add(candidate)
        return candidate

    def labelled(self, entry: Entry, result: ToolResult, call: ToolCall, id: str | None) -> ToolResult:
        """Return a result with the id of its call, and with the call's name if it is required but missing."""
        draft, shape = self.draft, self.request.wire.calls
        if shape.by_name and not (result.name or shape.names_optional):
            action = f"result without a name given {call.name!r}"
            draft.note(INVALID_LABEL, entry, action, call.id)
            result = replace(result, name=call.name)
        if id in (None, result.id):
            return result
        unlike = shape.by_name and id == call.id and (result.id is not None or self._wants_ids)
        if unlike:
            action = f"result given the id {id!r} of its call"
            draft.fix(RESULT_ID, entry, action, [result.id], detail=call.name)
        elif result.id is None and shape.ids_optional:
            return result
        elif result.id is None:
            draft.note(INVALID_LABEL, entry, f"result without an id given {id!r}", id)
        return replace(result, id=id)
