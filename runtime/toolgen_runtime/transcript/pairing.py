"""Which result answers which call.

A result belongs to the assistant turn just before it, within that turn to the call of its id, and where one id
was used by several calls to the one of its ordinal: pairing goes by (assistant turn, ordinal, id).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolgen_runtime.transcript.messages import ToolCall, ToolResult, Turn

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Matching:
    """`answers[i]` is the index of the result of call `i`, or None; `extras` are further results for a call
    that has one, `orphans` results for no call at all.
    """

    answers: tuple[int | None, ...]
    extras: tuple[int, ...]
    orphans: tuple[int, ...]


def _key(part: ToolCall | ToolResult, by_name: bool) -> Key:
    return ("name", part.name or "") if part.id is None or by_name else ("id", part.id)


def _best(results: Sequence[ToolResult], indices: list[int]) -> int:
    """Which of several results for one call to keep: the first that is no error, else the first."""
    return next((i for i in indices if not results[i].is_error), indices[0])


def match(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Matching:
    """Pair the calls of one assistant turn with the results that follow it.

    Where either side has no ids (Gemini), names take their place.
    """
    unnumbered = any(c.id is None for c in calls) or any(r.id is None for r in results)
    by_name = unnumbered and all(r.name for r in results)
    given: dict[Key, list[int]] = {}
    for index, result in enumerate(results):
        given.setdefault(_key(result, by_name), []).append(index)
    wanted: dict[Key, list[int]] = {}
    for index, call in enumerate(calls):
        wanted.setdefault(_key(call, by_name), []).append(index)
    answers: list[int | None] = [None] * len(calls)
    for key, places in wanted.items():
        found = given.get(key, [])
        chosen = [_best(results, found)] if len(places) == 1 and found else found
        for place, index in zip(places, chosen, strict=False):
            answers[place] = index
    used = {a for a in answers if a is not None}
    spare = [i for i in range(len(results)) if i not in used]
    extras = tuple(i for i in spare if _key(results[i], by_name) in wanted)
    return Matching(tuple(answers), extras, tuple(i for i in spare if i not in extras))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A run of assistant turns and the run of other turns after it, as indices into the turns."""

    said: tuple[int, ...]
    reply: tuple[int, ...]


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """The turns in exchanges; only the first may have nothing said, only the last no reply."""
    out: list[Exchange] = []
    said: list[int] = []
    reply: list[int] = []
    for index, turn in enumerate(turns):
        if turn.role == "assistant":
            if reply:
                out.append(Exchange(tuple(said), tuple(reply)))
                said, reply = [], []
            said.append(index)
        else:
            reply.append(index)
    if said or reply:
        out.append(Exchange(tuple(said), tuple(reply)))
    return out
