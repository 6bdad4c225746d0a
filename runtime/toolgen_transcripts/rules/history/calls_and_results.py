"""Give every call exactly one result, in the right place, and remove results without a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from toolgen_transcripts.messages import Block, Text, ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry, made
from toolgen_transcripts.rules.history.calls_without_tools import as_text
from toolgen_transcripts.rules.history.names_and_ids import DUPLICATE_CALL_ID, CallIds
from toolgen_transcripts.rules.matching import Exchange, exchanges, is_unlabelled, match
from toolgen_transcripts.rules.rule import ANTHROPIC, CLAUDE, rule, step

ORPHAN_RESULT = rule(
    "orphan-result",
    1,
    "a result without its call",
    "remove results whose call is not in the previous assistant turn",
    "The number of toolResult blocks at {place}.content exceeds the number of toolUse blocks of"
    " previous turn.",
    r"No tool call found for (?:\w+ ){1,3}output",
    r"role \S{1,2}tool\S{1,2} must be a response to a prece?eding message",
    anthropic="{place}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each"
    " `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    openai="Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
    " with 'tool_calls'.",
    openai_responses="No tool call found for function call output with call_id {ids}.",
    gemini="Please ensure that function response turn comes immediately after a function call turn.",
    source="Just-Curieous/Curie#16, pydantic-ai#2327",
)


MISSING_RESULT = rule(
    "missing-result",
    2,
    "a call without its result, or results in several messages",
    "put all results into the next message; add an error result for a missing one",
    "Expected toolResult blocks at {place}.content for the following Ids: {ids}",
    r"No tool output found for (?:\w+ ){1,3}call",
    r"insufficient tool messages following tool_calls message",
    r"Not the same number of function calls and responses",
    openai="An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    openai_responses="No tool output found for function call {ids}.",
    custom="No tool output found for custom tool call {ids}.",
    gemini="Please ensure that the number of function response parts is equal to the number of function"
    " call parts of the function call turn.",
    source="agno#6698, mlflow#24296, eino-ext#571, docker-agent#2958",
)


MISSING_RESULT_CLAUDE = rule(
    "missing-result-claude",
    3,
    "a call without its result, in Claude's wording",
    "put all results into the next message; add an error result for a missing one",
    "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each"
    " `tool_use` block must have a corresponding `tool_result` block in the next message.",
    of=ANTHROPIC,
    source="pydantic-ai#3253",
)


RESULTS_NOT_FIRST = rule(
    "results-not-first",
    4,
    "other content before the results",
    "move the results to the beginning of their message",
    "{place}: Did not find {detail} tool_result block(s) at the beginning of this message. Messages"
    " following tool_use blocks must begin with a matching number of tool_result blocks.",
    r"Did not find \d+ .?tool_result.? block",
    of=CLAUDE,
    source="anthropic-sdk-typescript#653",
)


DUPLICATE_RESULT = rule(
    "duplicate-result",
    5,
    "two results for one call",
    "keep the first that is not an error; if all are errors, keep the first",
    "The toolResult blocks at {place}.content contain duplicate Ids: {ids}",
    gemini="The toolResult blocks at {place}.parts contain duplicate Ids: {ids}",
    gemini_interactions="Several function_result steps have one call_id: {ids}",
    anthropic="{place}: each tool_use must have a single result. Found multiple `tool_result` blocks"
    " with id: {ids}",
    openai="Duplicate tool messages for the tool_call_id {ids}",
    openai_responses="Duplicate function call output for call_id {ids}",
    source="litellm#20047",
)


_Given = tuple[Entry, ToolResult]


_NO_RESULT = "Error: no result was recorded for this call; it may not have run."


@dataclass(slots=True)
class _Round:
    """One exchange: its entries, its calls, their results in the final order, and results without a call.

    The latter are `orphans`. `missing` lists the positions of calls without a result, and `renamed` gives new ids by
    the positions of calls. If `torn` is true, the calls must be merged into one message; if `split` is, the results.
    """

    assistant: list[Entry]
    response: list[Entry]
    calls: list[ToolCall]
    results: list[ToolResult] = field(default_factory=list)
    orphans: list[_Given] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    renamed: dict[int, str] = field(default_factory=dict)
    torn: bool = False
    split: bool = False

    def late(self) -> Iterator[tuple[Entry, list[ToolResult]]]:
        """Yield each entry of the response that has results after other content, with these results."""
        others = False
        for entry in self.response:
            late = []
            for block in entry.turn.blocks:
                if not isinstance(block, ToolResult):
                    others = True
                elif others:
                    late.append(block)
            if late:
                yield entry, late


class _Pairing:
    """Matches calls with results in a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.request = draft.request
        self.shape = draft.request.wire.calls
        self.ids = CallIds(draft)
        self.emptied: list[Entry] = []
        """The entries from which results were removed."""
        tests = self.request.tests
        self.missing = MISSING_RESULT_CLAUDE if tests(MISSING_RESULT_CLAUDE) else MISSING_RESULT
        self.ordered = tests(RESULTS_NOT_FIRST) or self.shape.results_follow
        self.late = RESULTS_NOT_FIRST if tests(RESULTS_NOT_FIRST) else MISSING_RESULT

    def begin(self, exchange: Exchange) -> _Round:
        """Match the calls of an exchange with its results, rename repeated call ids, and remove second
        results.
        """
        draft, shape = self.draft, self.shape
        assistant = [draft.entries[i] for i in exchange.assistant]
        response = [draft.entries[i] for i in exchange.response]
        found = _Round(assistant, response, [call for e in assistant for call in e.turn.calls])
        given = [(e, r) for e in response for r in e.turn.results]
        in_order = not shape.ids_optional
        answers, extras = match(found.calls, [r for _, r in given], in_order=in_order, by_name=shape.by_name)
        self._find_torn(found)
        self.ids.renumber([*found.assistant, *found.response], found.renamed)
        owner = {result: call for call, result in answers.items()}
        for index, (entry, result) in enumerate(given):
            if index in owner:
                place = owner[index]
                call = found.calls[place]
                id = found.renamed.get(place, call.id)
                result = self._of_kind(entry, result, call)
                found.results.append(self.ids.labelled(entry, result, call, id))
            elif index in extras:
                action = "second result for one call dropped"
                draft.fix(DUPLICATE_RESULT, entry, action, result.id)
            elif self.request.stateful and (result.id is not None or (result.name and not in_order)):
                # its call may be on the server
                found.results.append(result)
            else:
                draft.find(ORPHAN_RESULT, entry, result.id)
                found.orphans.append((entry, result))
        found.missing = [i for i in range(len(found.calls)) if i not in answers]
        if found.missing:
            self._find_missing(found)
        if found.calls:
            self._find_late(found)
            self._find_split(found)
        return found

    def _of_kind(self, entry: Entry, result: ToolResult, call: ToolCall) -> ToolResult:
        """Return the result as an item of the same kind as its call (Responses: `custom`)."""
        kinds = {"function", *self.shape.own_results}
        if result.kind == call.kind or not {result.kind, call.kind} <= kinds:
            return result
        action = f"result sent as one of a {call.kind} call"
        wording = "custom" if call.kind == "custom" else ""
        self.draft.fix(MISSING_RESULT, entry, action, call.id, wording=wording)
        return replace(result, kind=call.kind, source=None)

    def _find_torn(self, found: _Round) -> None:
        """Find calls in several consecutive messages, if results must directly follow the message with their calls."""
        for entry in found.assistant[:-1]:
            if entry.turn.calls and self.shape.results_follow:
                place = self.request.place(entry.origin + 1)
                self.draft.find(MISSING_RESULT, place, *[call.id for call in entry.turn.calls])
                found.torn = True

    def _find_missing(self, found: _Round) -> None:
        calls = [found.calls[i] for i in found.missing]
        at = found.assistant[-1].origin
        if self.missing is MISSING_RESULT:
            at = found.response[0].origin if found.response else at + 1
        wording = "custom" if all(call.kind in self.shape.own_results for call in calls) else ""
        self.draft.find(self.missing, self.request.place(at), *[call.id for call in calls], wording=wording)

    def _find_late(self, found: _Round) -> None:
        """Find results after other content, if results must be first."""
        if not self.ordered:
            return
        for entry, late in found.late():
            ids = [result.id for result in late]
            self.draft.find(self.late, entry, *ids, detail=str(len(entry.turn.results)))

    def _find_split(self, found: _Round) -> None:
        """Find the results of one message's calls in several messages, if they must be together."""
        holders = [entry for entry in found.response if entry.turn.results]
        called = [entry for entry in found.assistant if entry.turn.calls]
        is_parallel = len(called) == 1 and len(found.calls) > 1
        if self.shape.results_together and is_parallel and len(holders) > 1:
            ids, found.split = [result.id for result in holders[1].turn.results], True
            self.draft.fix(MISSING_RESULT, holders[1], "results put into one message", *ids)

    def complete(self, found: _Round, index: int, late: _Given | None) -> None:
        """Add the missing result of a call: one that comes later in the history, or else an error result."""
        call = found.calls[index]
        if late is not None:
            found.results.append(late[1])
            self.draft.note(MISSING_RESULT, late[0], "late result moved to its call", call.id)
            return
        id = found.renamed.get(index, call.id)
        found.results.append(ToolResult(id, (Text(_NO_RESULT),), True, call.name, kind=call.kind))
        self.draft.note(self.missing, found.assistant[-1], "error result added", id)

    def drop(self, entry: Entry, result: ToolResult) -> None:
        """Remove a result that belongs to no call. A result with neither an id nor a tool name is kept as
        text.
        """
        named = result.id is not None or (self.shape.by_name and not is_unlabelled(result))
        if named or not result.content:
            action = "result without its call dropped"
            self.draft.note(ORPHAN_RESULT, entry, action, result.id)
            return
        self.draft.note(ORPHAN_RESULT, entry, "result of an unknown call turned into text")
        blocks = [
            b for block in entry.turn.blocks for b in ([block] if block is not result else as_text(block, {}))
        ]
        self.draft.put(entry, blocks)
        if not entry.turn.results:
            entry.turn = replace(entry.turn, role="user")

    def place(self, found: _Round) -> list[Entry]:
        """Move the results to the beginning of the response, or return new messages for them."""
        given = [id(result) for entry in found.response for result in entry.turn.results]
        kept = dict.fromkeys(map(id, found.results))
        late = [result.id for _, late in found.late() for result in late if id(result) in kept]
        if given == [*kept] and not (late and self.ordered) and not found.split:
            return []
        if late:
            self.draft.note(self.late, found.response[0], "results put first", *late)
        origin = (*found.response[:1], *found.assistant[-1:])[0].origin
        for entry in found.response:
            self.draft.put(entry, _without_results(entry))
        if self.shape.result_role == "tool":
            self.emptied += found.response
            return [made("tool", origin, result) for result in found.results]
        if home := next((e for e in found.response if e.turn.role != "system"), None):
            self.draft.put(home, [*found.results, *home.turn.blocks])
            self.emptied += [e for e in found.response if e is not home]
            return []
        if found.results:
            return [made("user", origin, *found.results)]
        return []


def _late_results(rounds: list[_Round]) -> dict[tuple[int, str | None], _Given]:
    """Return the first late result for each call (the last call with its id before it), by the call's round and id."""
    last: dict[str | None, int] = {}
    late: dict[tuple[int, str | None], _Given] = {}
    for number, found in enumerate(rounds):
        last |= {call.id: number for call in found.calls if call.id is not None}
        for entry, result in found.orphans:
            if result.id in last:
                late.setdefault((last[result.id], result.id), (entry, result))
    return late


def _without_results(entry: Entry) -> list[Block]:
    return [block for block in entry.turn.blocks if not isinstance(block, ToolResult)]


def _drop_stray(draft: Draft) -> None:
    """Remove results from assistant messages, where they belong to no call."""
    for entry in draft.entries:
        if entry.turn.role == "assistant" and entry.turn.results:
            ids = [result.id for result in entry.turn.results]
            for id in ids:
                draft.find(ORPHAN_RESULT, entry, id)
            draft.note(ORPHAN_RESULT, entry, "result dropped from an assistant message", *ids)
            draft.put(entry, _without_results(entry))


@step(ORPHAN_RESULT, MISSING_RESULT, DUPLICATE_RESULT, DUPLICATE_CALL_ID)
def pair(draft: Draft) -> None:
    """Give every call one result and every result one call, and keep the results of a response together at
    its beginning.
    """
    _drop_stray(draft)
    pairing = _Pairing(draft)
    rounds = [pairing.begin(exchange) for exchange in exchanges(draft.turns)]
    torn = [found for found in rounds if found.torn]
    action = "assistant messages with calls merged"
    draft.join([found.assistant for found in torn], MISSING_RESULT, action, is_known=True)
    for found in torn:
        found.assistant = found.assistant[:1]
    late_results = _late_results(rounds)
    moved: set[int] = set()
    for number, found in enumerate(rounds):
        for index in found.missing:
            late = late_results.get((number, found.calls[index].id))
            if index in found.renamed:
                late = None
            if late is not None:
                moved.add(id(late[1]))
            pairing.complete(found, index, late)
    placed: dict[Entry | None, list[Entry]] = {}
    for found in rounds:
        for entry, result in found.orphans:
            if id(result) not in moved:
                pairing.drop(entry, result)
        placed[found.assistant[-1] if found.assistant else None] = pairing.place(found)
    draft.insert_after(placed)
    draft.drop_emptied(pairing.emptied)
