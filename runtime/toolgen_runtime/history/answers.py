"""Which result answers which call.

A result belongs to the assistant turn just before it, within that turn to the call of its id, and where one id
was used by several calls to the one of its ordinal: pairing goes by (assistant turn, ordinal, id).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from toolgen_runtime.transcript.messages import ToolCall, ToolResult, Turn


@dataclass(frozen=True, slots=True)
class Matching:
    """`answers[i]` is the index of the result of call `i`, or None; `extras` are further results for a call
    that has one, `orphans` results for no call at all.
    """

    answers: tuple[int | None, ...]
    extras: tuple[int, ...]
    orphans: tuple[int, ...]


def _best(results: Sequence[ToolResult], indices: list[int]) -> int:
    """Return which of several results for one call to keep: the first that is not an error, else the first."""
    return next((i for i in indices if not results[i].is_error), indices[0])


def _by_id(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Iterator[tuple[int, int]]:
    given, wanted = _places(results), _places(calls)
    for id, places in wanted.items():
        found = given.get(id, [])
        chosen = [_best(results, found)] if len(places) == 1 and found else found
        yield from zip(places, chosen, strict=False)


def _places(parts: Sequence[ToolCall | ToolResult]) -> dict[str, list[int]]:
    """Return where each id stands."""
    places: dict[str, list[int]] = {}
    for index, part in enumerate(parts):
        if part.id is not None:
            places.setdefault(part.id, []).append(index)
    return places


def _by_name(
    calls: Sequence[ToolCall], results: Sequence[ToolResult], answers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    used = set(answers.values())
    named: dict[str, deque[int]] = {}
    unnumbered: dict[str, deque[int]] = {}
    for index, result in enumerate(results):
        if index not in used and result.name:
            named.setdefault(result.name, deque()).append(index)
            if result.id is None:
                unnumbered.setdefault(result.name, deque()).append(index)
    for place, call in enumerate(calls):
        if place in answers:
            continue
        spare = (named if call.id is None else unnumbered).get(call.name, deque())
        while spare and spare[0] in used:  # by a call that the other table was for
            spare.popleft()
        if spare:
            used.add(spare[0])
            yield place, spare.popleft()


def is_unlabelled(result: ToolResult) -> bool:
    """Return whether a result says neither by an id nor by its tool's name which call it is for."""
    return result.id is None and not result.name


def _by_place(
    calls: Sequence[ToolCall], results: Sequence[ToolResult], answers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    used = set(answers.values())
    waiting = [place for place in range(len(calls)) if place not in answers]
    spare = [i for i, result in enumerate(results) if i not in used and is_unlabelled(result)]
    if len(waiting) == len(spare) == 1:  # of several nobody knows which is whose
        yield waiting[0], spare[0]


def match(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Matching:
    """Pair the calls of one assistant turn with the results that follow it: by ids, by names where
    either side has none (Gemini), and the one result that has neither with the one call that is left.
    """
    answers = dict(_by_id(calls, results))
    answers |= _by_name(calls, results, answers)
    answers |= _by_place(calls, results, answers)
    used = set(answers.values())
    called = {c.id for c in calls if c.id is not None}
    spare = [i for i in range(len(results)) if i not in used]
    extras = tuple(i for i in spare if results[i].id in called)
    orphans = tuple(i for i in spare if results[i].id not in called)
    return Matching(tuple(answers.get(i) for i in range(len(calls))), extras, orphans)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A run of assistant turns and the run of other turns after it, as indices into the turns."""

    assistant: tuple[int, ...]
    response: tuple[int, ...]


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Return the turns in exchanges; only the first may have no assistant turns, only the last no response."""
    out: list[Exchange] = []
    assistant: tuple[int, ...] = ()
    for is_assistant, run in groupby(range(len(turns)), lambda index: turns[index].role == "assistant"):
        if is_assistant:
            assistant = tuple(run)
        else:
            out.append(Exchange(assistant, tuple(run)))
            assistant = ()
    return [*out, Exchange(assistant, ())] if assistant else out
