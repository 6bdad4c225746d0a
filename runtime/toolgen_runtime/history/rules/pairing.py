"""Rules 1 to 6 and 12: one result for every call, at its place."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from toolgen_runtime.history.answers import exchanges, is_unlabelled, match
from toolgen_runtime.history.rules.draft import NO_RESULT, Draft, Entry, made
from toolgen_runtime.history.rules.labels import all_ids, as_text, fresh_id
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import wants_unique_ids
from toolgen_runtime.transcript.messages import Block, Text, ToolCall, ToolResult


@dataclass(slots=True)
class _Round:
    """One exchange: its entries, its calls, the results for them in their final order, and what is left over.

    `emptied` are entries that go if nothing is left in them once the results are taken out.
    """

    assistant: list[Entry]
    response: list[Entry]
    calls: list[ToolCall]
    results: list[ToolResult] = field(default_factory=list)
    orphans: list[tuple[Entry, ToolResult]] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    renamed: dict[int, str] = field(default_factory=dict)
    emptied: list[Entry] = field(default_factory=list)


def _labelled(draft: Draft, entry: Entry, result: ToolResult, call: ToolCall) -> ToolResult:
    """Return a result with the id or the name of its call, where the provider wants one and it has none."""
    shape = draft.request.wire.calls
    if shape.by_name and not (result.name or shape.names_optional):
        action = f"result without a name given {call.name!r}"
        draft.log(RuleId.INVALID_LABEL, entry.origin, action, call.id)
        result = replace(result, name=call.name)
    if result.id is not None or call.id is None or shape.ids_optional:
        return result
    draft.log(RuleId.INVALID_LABEL, entry.origin, f"result without an id given {call.id!r}", call.id)
    return replace(result, id=call.id)


def _sort_out(
    draft: Draft, assistant: list[Entry], response: list[Entry], taken: set[str], earlier: set[str]
) -> _Round:
    """Match calls and results, give calls of one id ids of their own, drop second results."""
    calls = [c for e in assistant for c in e.turn.calls]
    given = [(e, r) for e in response for r in e.turn.results]
    matching = match(calls, [r for _, r in given])
    found = _Round(assistant, response, calls)
    ids: dict[int, str] = {}
    for index, call in enumerate(calls):
        if call.id is not None and call.id in earlier:
            ids[index] = fresh_id(draft, call.id, taken)
            draft.log(
                RuleId.DUPLICATE_CALL_ID,
                assistant[0].origin,
                f"second call with id {call.id!r} given {ids[index]!r}",
                call.id,
            )
        elif call.id is not None:
            earlier.add(call.id)
    found.renamed = ids
    extras = set(matching.extras)
    owner = {answer: index for index, answer in enumerate(matching.answers) if answer is not None}
    for index, (entry, result) in enumerate(given):
        if index in owner:
            place = owner[index]
            result = _labelled(draft, entry, result, calls[place])
            found.results.append(replace(result, id=ids[place]) if place in ids else result)
        elif index in extras:
            draft.log(RuleId.DUPLICATE_RESULT, entry.origin, "second result for one call dropped", result.id)
        elif draft.request.may_have_call(result):
            found.results.append(result)
        else:
            found.orphans.append((entry, result))
    found.missing = [i for i, answer in enumerate(matching.answers) if answer is None]
    return found


def _rounds(draft: Draft) -> list[_Round]:
    taken = all_ids(draft)
    everywhere = wants_unique_ids(draft.request.model, draft.request.wire)
    earlier: set[str] = set()
    out = []
    for exchange in exchanges(draft.turns):
        assistant = [draft.entries[i] for i in exchange.assistant]
        response = [draft.entries[i] for i in exchange.response]
        if not everywhere:
            earlier = set()
        out.append(_sort_out(draft, assistant, response, taken, earlier))
    return out


class _LateResults:
    """Results that came too late for a call: after its exchange, before its id is used again."""

    def __init__(self, rounds: list[_Round]) -> None:
        self._called: dict[str | None, list[int]] = {}
        self._orphans: dict[str | None, deque[tuple[int, Entry, ToolResult]]] = {}
        self._taken: set[int] = set()
        for number, found in enumerate(rounds):
            for id in {call.id for call in found.calls}:
                self._called.setdefault(id, []).append(number)
            for entry, result in found.orphans:
                self._orphans.setdefault(result.id, deque()).append((number, entry, result))

    def take(self, number: int, call_id: str) -> tuple[Entry, ToolResult] | None:
        """Return the first late result for a call of a round, of those that no other call has; rounds ascend."""
        orphans = self._orphans.get(call_id, deque())
        while orphans and orphans[0][0] <= number:
            orphans.popleft()
        called = self._called.get(call_id, [])
        following = bisect_right(called, number)
        if not orphans or (following < len(called) and called[following] <= orphans[0][0]):
            return None
        _, entry, result = orphans.popleft()
        self._taken.add(id(result))
        return entry, result

    def left_in(self, found: _Round) -> list[tuple[Entry, ToolResult]]:
        """Return the results of a round that answer no call."""
        return [(entry, result) for entry, result in found.orphans if id(result) not in self._taken]


def _complete(draft: Draft, rounds: list[_Round]) -> None:
    """Give every call without a result its late one, or an error result that says there is none."""
    late_results = _LateResults(rounds)
    for number, found in enumerate(rounds):
        for index in found.missing:
            call = found.calls[index]
            id = found.renamed.get(index, call.id)
            late = late_results.take(number, id) if id is not None and id == call.id else None
            origin = found.assistant[-1].origin if found.assistant else 0
            if late is not None:
                entry, result = late
                found.results.append(result)
                draft.log(RuleId.MISSING_RESULT, entry.origin, "late result moved to its call", id)
            else:
                found.results.append(ToolResult(id, (Text(NO_RESULT),), True, call.name, kind=call.kind))
                claude = draft.request.tests(RuleId.MISSING_RESULT_CLAUDE)
                rule = RuleId.MISSING_RESULT_CLAUDE if claude else RuleId.MISSING_RESULT
                draft.log(rule, origin, "error result added", id)
        found.missing = []
    for found in rounds:
        found.orphans = late_results.left_in(found)


def _rename_calls(found: _Round) -> None:
    ordinals = iter(range(len(found.calls)))
    for entry in found.assistant:
        blocks: list[Block] = []
        for block in entry.turn.blocks:
            if isinstance(block, ToolCall):
                id = found.renamed.get(next(ordinals))
                block = block if id is None else replace(block, id=id)
            blocks.append(block)
        if found.renamed:
            entry.turn = replace(entry.turn, blocks=tuple(blocks))


def _is_settled(draft: Draft, found: _Round) -> bool:
    """Return whether the replies already are the results, first and in order."""
    blocks = [b for e in found.response for b in e.turn.blocks]
    results = [b for b in blocks if isinstance(b, ToolResult)]
    if list(map(id, results)) != list(map(id, found.results)):
        return False
    ordered = draft.request.tests(RuleId.RESULTS_NOT_FIRST) or draft.request.wire.calls.results_follow
    return not ordered or all(isinstance(b, ToolResult) for b in blocks[: len(results)])


def _after_others(found: _Round) -> list[ToolResult]:
    """Return the results for its calls that stand in the response, after something else."""
    blocks = [b for e in found.response for b in e.turn.blocks]
    first = next((i for i, b in enumerate(blocks) if not isinstance(b, ToolResult)), len(blocks))
    kept = set(map(id, found.results))
    return [b for b in blocks[first:] if isinstance(b, ToolResult) and id(b) in kept]


def _place_results(draft: Draft, found: _Round) -> list[Entry]:
    """Put the results first in the response, in its first message; or return messages of their own for them."""
    if _is_settled(draft, found):
        return []
    late = _after_others(found)
    if late:
        first = draft.request.tests(RuleId.RESULTS_NOT_FIRST)
        rule = RuleId.RESULTS_NOT_FIRST if first else RuleId.MISSING_RESULT
        draft.log(rule, found.response[0].origin, "results put first", *(r.id for r in late))
    for entry in found.response:
        if entry.turn.results:
            draft.put(entry, [b for b in entry.turn.blocks if not isinstance(b, ToolResult)])
    origin = found.response[0].origin if found.response else found.assistant[-1].origin
    if draft.request.wire.calls.result_role == "tool":
        found.emptied = found.response
        return [made("tool", origin, result) for result in found.results]
    if home := next((e for e in found.response if e.turn.role != "system"), None):
        draft.put(home, [*found.results, *home.turn.blocks])
        found.emptied = [e for e in found.response if e is not home]
        return []
    return [made("user", origin, *found.results)] if found.results else []


def _stray(draft: Draft) -> None:
    """Results that stand in an assistant message answer nothing."""
    for entry in draft.entries:
        if entry.turn.role == "assistant" and entry.turn.results:
            draft.log(
                RuleId.ORPHAN_RESULT,
                entry.origin,
                "result in an assistant message dropped",
                *(r.id for r in entry.turn.results),
            )
            draft.put(entry, [b for b in entry.turn.blocks if not isinstance(b, ToolResult)])


def _join_calls(draft: Draft) -> None:
    """Where results must follow the message with their calls, the calls of several in a row go into one."""
    if not draft.request.wire.calls.results_follow:
        return
    runs = [[draft.entries[i] for i in exchange.assistant] for exchange in exchanges(draft.turns)]
    called = [run for run in runs if any(e.turn.calls for e in run[:-1])]
    draft.join(called, RuleId.MISSING_RESULT, "assistant messages with calls merged")


def _drop(draft: Draft, entry: Entry, result: ToolResult) -> None:
    """Take out a result that answers no call; what may be that of several calls, or of none, stays as text."""
    named = result.id is not None or (draft.request.wire.calls.by_name and not is_unlabelled(result))
    if named or not result.content:
        draft.log(RuleId.ORPHAN_RESULT, entry.origin, "result without its call dropped", result.id)
        return
    draft.log(RuleId.ORPHAN_RESULT, entry.origin, "result of an unknown call turned into text")
    blocks = [b for block in entry.turn.blocks for b in (as_text(block, {}) if block is result else [block])]
    draft.put(entry, blocks)
    if not entry.turn.results:
        entry.turn = replace(entry.turn, role="user")


def pair(draft: Draft) -> None:
    """Rules 1 to 6: every call one result, each result its call, results first and together."""
    _stray(draft)
    _join_calls(draft)
    rounds = _rounds(draft)
    _complete(draft, rounds)
    placed: dict[Entry | None, list[Entry]] = {}
    for found in rounds:
        for entry, result in found.orphans:
            _drop(draft, entry, result)
        _rename_calls(found)
        placed[found.assistant[-1] if found.assistant else None] = _place_results(draft, found)
    draft.insert_after(placed)
    draft.drop_emptied(entry for found in rounds for entry in found.emptied)


def _runs(draft: Draft) -> Iterator[list[Entry]]:
    run: list[Entry] = []
    for entry in draft.entries:
        if run and run[-1].turn.role == entry.turn.role != "system":
            run.append(entry)
            continue
        yield run
        run = [entry]
    yield run


def alternate(draft: Draft) -> None:
    """Rule 12: messages of one role in a row become one."""
    if draft.request.alternates:
        draft.join(filter(None, _runs(draft)), RuleId.REPEATED_ROLE, "merged with the message before")
