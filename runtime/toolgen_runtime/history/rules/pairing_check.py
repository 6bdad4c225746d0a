"""Rules 1 to 6 and 12: every call has its one result, at its place, and the speakers alternate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolgen_runtime.history.answers import Exchange, exchanges, match
from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import wants_unique_ids
from toolgen_runtime.transcript.messages import ToolCall, ToolResult


def _unanswered(request: Request, exchange: Exchange, calls: list[ToolCall]) -> Violation:
    ids = tuple(call.id for call in calls)
    if request.tests(RuleId.MISSING_RESULT_CLAUDE):
        return request.broken(RuleId.MISSING_RESULT_CLAUDE, request.place(exchange.assistant[-1]), ids)
    return request.broken(
        RuleId.MISSING_RESULT,
        request.place(exchange.response[0] if exchange.response else exchange.assistant[-1] + 1),
        ids,
        wording="custom" if all(call.kind in request.wire.calls.own_results for call in calls) else "",
    )


def _pairs(request: Request, exchange: Exchange) -> Iterator[Violation]:
    calls = [c for i in exchange.assistant for c in request.turns[i].calls]
    results = [(i, r) for i in exchange.response for r in request.turns[i].results]
    matching = match(calls, [r for _, r in results])
    for index in matching.orphans:
        turn, result = results[index]
        if request.may_have_call(result):
            continue
        yield request.broken(RuleId.ORPHAN_RESULT, request.place(turn), (result.id,))
    for index in matching.extras:
        turn, result = results[index]
        yield request.broken(
            RuleId.ORPHAN_RESULT if result.id is None else RuleId.DUPLICATE_RESULT,
            request.place(turn),
            (result.id,),
        )
    missing = [c for c, answer in zip(calls, matching.answers, strict=True) if answer is None]
    if missing:
        yield _unanswered(request, exchange, missing)


def _in_assistant(request: Request, exchange: Exchange) -> Iterator[Violation]:
    """Results in assistant messages, and calls that another assistant message follows, where results must."""
    for i in exchange.assistant:
        for result in request.turns[i].results:
            yield request.broken(RuleId.ORPHAN_RESULT, request.place(i), (result.id,))
    if request.wire.calls.results_follow:
        for i in exchange.assistant[:-1]:
            if request.turns[i].calls:
                yield request.broken(
                    RuleId.MISSING_RESULT, request.place(i + 1), tuple(c.id for c in request.turns[i].calls)
                )


def _after_others(request: Request, exchange: Exchange) -> Iterator[Violation]:
    """Results after something else, where they must be first."""
    if not any(request.turns[i].calls for i in exchange.assistant):
        return
    others = False
    for i in exchange.response:
        late: list[str | None] = []
        for block in request.turns[i].blocks:
            others = others or not isinstance(block, ToolResult)
            if others and isinstance(block, ToolResult):
                late.append(block.id)
        if late and request.tests(RuleId.RESULTS_NOT_FIRST):
            yield request.broken(
                RuleId.RESULTS_NOT_FIRST, request.place(i), tuple(late), str(len(request.turns[i].results))
            )
        elif late and request.wire.calls.results_follow:
            yield request.broken(RuleId.MISSING_RESULT, request.place(i), tuple(late))


def _reused(request: Request, exchange: Exchange, earlier: set[str]) -> Iterator[Violation]:
    """Ids that stand for two calls: of one turn, or for Claude of the whole request."""
    seen = earlier if wants_unique_ids(request.model, request.wire) else set()
    for i in exchange.assistant:
        ids = [c.id for c in request.turns[i].calls if c.id is not None]
        twice = {id for id, times in Counter(ids).items() if times > 1} | (seen & set(ids))
        if twice:
            yield request.broken(RuleId.DUPLICATE_CALL_ID, request.place(i), tuple(sorted(twice)))
        seen |= set(ids)


def pairing(request: Request) -> Iterator[Violation]:
    """Rules 1 to 6."""
    earlier: set[str] = set()
    for exchange in exchanges(request.turns):
        yield from _pairs(request, exchange)
        yield from _in_assistant(request, exchange)
        yield from _after_others(request, exchange)
        yield from _reused(request, exchange, earlier)


def alternation(request: Request) -> Iterator[Violation]:
    """Rule 12."""
    if not request.alternates:
        return
    for index in range(1, len(request.turns)):
        role = request.turns[index].role
        if role != "system" and role == request.turns[index - 1].role:
            yield request.broken(RuleId.REPEATED_ROLE, request.place(index))
