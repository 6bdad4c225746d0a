"""Shorten a history to a number of tokens. Calls keep their results, and no content is invented."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from math import ceil
from typing import Any

from toolgen_transcripts.codec.members import JsonObject, Native, text_or_none
from toolgen_transcripts.messages import (
    Block,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Turn,
    native_members,
)
from toolgen_transcripts.rules.matching import exchanges, is_summary
from toolgen_transcripts.rules.request import Request, native_of

BYTES_PER_TOKEN = 4
MESSAGE_TOKENS = 4
MEDIA_TOKENS = 1600
_LONG = 256
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
Counter = Callable[[JsonObject], int]
NOTE = "[result cleared to save space; call the tool again if you need it]"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages that were kept and those that were dropped, in order. `tokens` is the size of those that
    were kept.

    `cleared` are the original messages whose results were replaced with a note (`clear_results`).
    """

    messages: list[Native]
    dropped: list[Native]
    tokens: int
    cleared: list[Native] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    """User messages (`head`) and the model's rounds in response to them, as indices of turns.

    A round consists of consecutive turns of the model and the results of its calls. Only the first part may have no
    head.
    """

    head: list[int] = field(default_factory=list)
    rounds: list[list[int]] = field(default_factory=list)

    @property
    def least(self) -> list[int]:
        """The turns that must be kept if any turn of this part is: the user messages and the last round."""
        return [*self.head, *(turn for turns in self.rounds[-1:] for turn in turns)]


def _id_of(block: Block) -> str | None:
    """Return the id of a call or a result, even of an opaque one that no rule checks."""
    value = block.value if isinstance(block, Opaque) else block
    if isinstance(value, ToolCall | ToolResult):
        return value.id
    if not isinstance(value, dict):
        return None
    served = str(value.get("type")).endswith("_tool_use")  # a program's result comes in a later message
    id = value.get("call_id") or value.get("tool_use_id") or (value.get("id") if served else None)
    return text_or_none(id)


def _joined(turns: tuple[Turn, ...]) -> set[int]:
    """Return, for each call, the turns up to its result, because other turns may be between them."""
    open_: dict[str, int] = {}
    spans = [0] * (len(turns) + 1)
    """For each turn, the change in the number of open spans from a call to its result."""
    for index, turn in enumerate(turns):
        for block in turn.blocks:
            id = _id_of(block)
            if id is not None and id in open_ and not isinstance(block, ToolCall):
                spans[open_.pop(id) + 1] += 1
                spans[index + 1] -= 1
            elif id is not None and not isinstance(block, ToolResult):
                open_[id] = index
    return {index for index, within in enumerate(accumulate(spans)) if within}


def _parts(request: Request) -> tuple[list[int], list[_Part]]:
    """Return the turns that always stay (system messages, if they are among the others), and the parts."""
    pinned: list[int] = []
    parts: list[_Part] = []
    goes_on = False  # whether the previous turn is the model's
    joined = _joined(request.turns)
    for index, turn in enumerate(request.turns):
        if turn.role == "system" and request.wire.messages.system_messages:
            pinned.append(index)
            continue
        said = native_members(turn).get(request.wire.messages.role_key)
        is_known = said in (None, *request.wire.messages.roles)  # the role `function` is not a user
        own = turn.role == "user" and is_known and not turn.results and index not in joined
        if not parts or (own and parts[-1].rounds):
            parts.append(_Part())
        is_said = turn.role == "assistant"
        if own:
            parts[-1].head.append(index)
        elif parts[-1].rounds and (goes_on or index in joined or not is_said):
            parts[-1].rounds[-1].append(index)
        else:
            parts[-1].rounds.append([index])
        goes_on = is_said
    for part in parts:
        part.rounds = _with_reasoning(part.rounds, request.turns)
    return pinned, parts


def _with_reasoning(rounds: list[list[int]], turns: tuple[Turn, ...]) -> list[list[int]]:
    """Join rounds of calls to an earlier round with reasoning, because the reasoning belongs to all these calls."""
    out: list[list[int]] = []
    thinking = False
    for indices in rounds:
        reasons = any(isinstance(b, Reasoning) for i in indices for b in turns[i].blocks)
        calls = any(turns[i].calls for i in indices)
        if thinking and calls and not reasons:
            out[-1] += indices
        else:
            out.append(list(indices))
        thinking = thinking or reasons
    return out


def fit(
    messages: object,
    provider: str,
    *,
    max_tokens: int,
    counter: Counter | None = None,
    keep: int = 1,
    clear_results: int | None = None,
) -> Fitted:
    """Shorten a history to a number of tokens. The given history does not change.

    It takes native messages, or a whole request, for any provider that `check` knows. `counter` is a function that
    counts the tokens of a message (default: `estimate_tokens`). Leave room for the tools, a separate system prompt and
    the response. A history within the budget is returned complete.

    The newest messages are kept first. An older user message is kept only together with at least the last round of
    calls that responded to it. The result therefore begins with a user message. A call is kept together with its
    results and its reasoning. System messages are kept (OpenAI).

    A summary (a `compaction` block or item of Anthropic or OpenAI) is always kept, and only what follows it counts as
    history. The messages before it are dropped first, because the server does not read them.

    The last `keep` user messages and the last round after each of them are always kept, even if they exceed the budget;
    see `tokens` in the result. If the history is valid, the result is valid too. Use `repair` on an invalid history
    first.

    With `clear_results`, results that are older than this number of rounds are first replaced with a short note.
    Messages are dropped only if this is not enough.

    Raises:
        ValueError: `max_tokens`, `keep` or `clear_results` is not positive, or the provider has no messages.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    if min(max_tokens, keep, 1 if clear_results is None else clear_results) < 1:
        raise ValueError("max_tokens, keep and clear_results must be positive numbers")
    request = Request.of(messages, provider)
    given: list[Native] = request.given
    count = counter or estimate_tokens
    costs = [count(message) for message in given]
    if sum(costs) <= max_tokens:
        return Fitted(deepcopy(given), [], sum(costs))
    spans = [range(*pair) for pair in pairwise(request.starts)]  # the indices of each turn's messages
    shown, cleared = given, set[int]()
    if clear_results is not None:
        shown, cleared = _without_old_results(request, spans, clear_results)
        costs = [count(message) for message in shown]
    kept = set(range(len(given)))
    if sum(costs) > max_tokens:
        kept = _kept(request, spans, costs, max_tokens, keep)
    return Fitted(
        [deepcopy(m) for i, m in enumerate(shown) if i in kept],
        [deepcopy(m) for i, m in enumerate(given) if i not in kept],
        sum(cost for i, cost in enumerate(costs) if i in kept),
        [deepcopy(given[i]) for i in sorted(cleared & kept)],
    )


def _kept(request: Request, spans: list[range], costs: list[int], max_tokens: int, keep: int) -> set[int]:
    """Return the indices of the messages that are kept."""
    pinned, parts = _parts(request)
    summaries = [i for i, turn in enumerate(request.turns) if any(map(is_summary, turn.blocks))]
    summary = max(summaries, default=None)  # it replaces all turns before it
    if summary is not None:
        stay, parts = _split_at(summary, parts)
        pinned += stay
    kept: set[int] = set()
    room = max_tokens

    def take(turns: list[int], *, always: bool = False) -> bool:
        nonlocal room
        cost = sum(costs[place] for turn in set(turns) - kept for place in spans[turn])
        if cost > room and not always:
            return False
        room -= cost
        kept.update(turns)
        return True

    take(pinned, always=True)
    # They belong to calls on the server.
    if request.stateful and summary is None and parts and not parts[0].head:
        take([turn for turns in parts[0].rounds for turn in turns], always=True)
    for part in parts[-keep:]:
        take(part.least, always=True)
    for age, part in enumerate(reversed(parts)):
        if age < keep or (part.head and take(part.least)):
            all(map(take, reversed(part.rounds)))
    return {place for turn in kept for place in spans[turn]}


def _split_at(summary: int, parts: list[_Part]) -> tuple[list[int], list[_Part]]:
    """Return the turns that stay with a summary, and the parts after it. The server does not read what comes before."""
    stay, later = [summary], list[_Part]()
    for part in parts:
        part.head = [turn for turn in part.head if turn > summary]
        stay += [turn for turns in part.rounds if summary in turns for turn in turns if turn > summary]
        part.rounds = [turns for turns in part.rounds if turns[0] > summary]
        if part.head or part.rounds:
            later.append(part)
    return stay, later


def _without_old_results(request: Request, spans: list[range], keep: int) -> tuple[list[Native], set[int]]:
    """Return the messages with a note in place of each result older than the last `keep` rounds, and their indices."""
    messages: list[Native] = list(request.given)
    cleared: set[int] = set()
    rounds = [exchange for exchange in exchanges(request.turns) if exchange.assistant]
    for exchange in rounds[:-keep]:
        for index in exchange.response:
            made = native_of(_cleared(request.turns[index]), request.wire)
            stays = len(made) != len(spans[index])  # the turn would become another number of messages
            for place, message in () if stays else zip(spans[index], made, strict=True):
                if len(repr(message)) < len(repr(messages[place])):
                    messages[place] = message
                    cleared.add(place)
    return messages, cleared


def _cleared(turn: Turn) -> Turn:
    note = (Text(NOTE),)
    blocks = (
        replace(b, content=note, source=None) if isinstance(b, ToolResult) and b.content != note else b
        for b in turn.blocks
    )
    return replace(turn, blocks=tuple(blocks))


def _tokens(value: Any) -> float:
    if isinstance(value, Mapping):
        return sum(_tokens(key) + _tokens(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_tokens, value))
    if isinstance(value, bytes | bytearray):
        return min(len(value) / BYTES_PER_TOKEN, MEDIA_TOKENS)
    text = str(value)
    if value is None:
        text = ""
    tokens = len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN
    is_media = text.startswith("data:") or (len(text) > _LONG and _BASE64.fullmatch(text) is not None)
    if is_media:
        return min(tokens, MEDIA_TOKENS)
    return tokens


def estimate_tokens(message: JsonObject) -> int:
    """Estimate how many tokens a native message has, including the names of its fields.

    Four bytes of UTF-8 count as one token, and each message adds four tokens. Bytes, data URLs and long base64 texts
    count at most 1,600 tokens each, because providers bill media by their size as pictures or pages. The estimate can
    be wrong by a third, and by more for text that is neither prose nor code.
    """
    return ceil(_tokens(message)) + MESSAGE_TOKENS
