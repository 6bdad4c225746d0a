"""The order of roles: alternation, the first and the last message."""

from __future__ import annotations

from itertools import groupby

from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.models import takes_repeated_roles
from toolgen_transcripts.messages import Text, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry, made
from toolgen_transcripts.rules.history.texts import is_plain_text
from toolgen_transcripts.rules.matching import is_servers_own
from toolgen_transcripts.rules.rule import CLAUDE, rule, step

REPEATED_ROLE = rule(
    "repeated-role",
    12,
    "two messages of one role in a row",
    "merge them",
    "A conversation must alternate between user and assistant roles. Make sure the conversation"
    " alternates between user and assistant roles and try again.",
    r"roles must alternate between",
)


ASSISTANT_FIRST = rule(
    "assistant-first",
    13,
    "the conversation starts with the assistant",
    "insert a user message before it",
    "A conversation must start with a user message. Try again with a conversation that starts with a"
    " user message.",
    r"function call turn comes immediately after a user turn or after a function response turn",
    of=CLAUDE,
    anthropic='messages: first message must use the "user" role',
    gemini="Please ensure that single turn requests end with a user role or the role field is empty.",
)


ASSISTANT_LAST = rule(
    "assistant-last",
    14,
    "the conversation ends with the assistant",
    "end with a user message",
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    r"Expected last role User or Tool",
    of=CLAUDE,
)


TRAILING_SPACE = rule(
    "trailing-space",
    15,
    "the last assistant message ends in white space",
    "remove the white space",
    "messages: final assistant content cannot end with trailing whitespace",
    of=CLAUDE,
)


MIXED_RESULTS = rule(
    "mixed-results",
    16,
    "results and other content in one message",
    "insert a short assistant message between them",
    "{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
)


_START = "[start of conversation]"


_CONTINUE = "Continue."


_BRIDGE = "I have the results."


@step(
    REPEATED_ROLE,
    after=("orphan-result",),
    why="results that are moved or dropped change which messages are neighbors",
)
def alternate(draft: Draft) -> None:
    """Merge consecutive messages of one role."""
    if takes_repeated_roles(draft.request.model):
        return
    grouped = groupby(draft.entries, lambda entry: entry.turn.role)
    runs = [list(run) for role, run in grouped if role != "system"]
    for entry in [e for run in runs for e in run[1:]]:
        draft.find(REPEATED_ROLE, draft.request.place(entry.origin))
    draft.join(runs, REPEATED_ROLE, "merged with the message before")


@step(
    ASSISTANT_FIRST, ASSISTANT_LAST, after=("repeated-role",), why="merged messages have one role at each end"
)
def begin_and_end(draft: Draft) -> None:
    """Add a user message before a first assistant message, or after a last one.

    A last assistant message stays if the model supports prefill, or if the server paused a turn to run its own tool.
    """
    request, entries = draft.request, draft.entries
    if not entries:
        return
    first, last = entries[0], entries[-1]
    may_begin = request.stateful or models.is_newer_claude(request.model)
    if first.turn.role == "assistant" and request.tests(ASSISTANT_FIRST) and not may_begin:
        draft.fix(ASSISTANT_FIRST, first, "user message put first")
        entries.insert(0, made("user", 0, _START))
    paused = any(is_servers_own(b, request.wire.calls) for b in last.turn.blocks)
    may_end = paused or models.takes_prefill(request.model)
    if last.turn.role == "assistant" and request.tests(ASSISTANT_LAST) and not may_end:
        draft.fix(ASSISTANT_LAST, last, "user message put last")
        entries.append(made("user", last.origin, _CONTINUE))


@step(
    MIXED_RESULTS, after=("empty-message", "missing-thinking"), why="both may remove what is to be separated"
)
def part_results(draft: Draft) -> None:
    """Separate results from other content by a short assistant message."""
    if not models.parts_results(draft.request.model):
        return
    parted: dict[Entry | None, list[Entry]] = {}
    for entry in draft.entries:
        results = list(entry.turn.results)
        others = [b for b in entry.turn.blocks if not isinstance(b, ToolResult)]
        if results and others:
            draft.fix(MIXED_RESULTS, entry, "results parted from the rest", [r.id for r in results])
            draft.put(entry, results)
            parted[entry] = [made("assistant", entry.origin, _BRIDGE), made("user", entry.origin, *others)]
    draft.insert_after(parted)


@step(TRAILING_SPACE, after=("empty-message", "mixed-results"), why="a message that is dropped has no end")
def strip_end(draft: Draft) -> None:
    """Strip white space from the end of the assistant text that the model is to continue."""
    last = draft.entries[-1] if draft.entries else None
    if last is None or last.turn.role != "assistant":
        return
    *before, final = last.turn.blocks or (Text(""),)
    if is_plain_text(final) and final.text.strip() and final.text != final.text.rstrip():
        draft.fix(TRAILING_SPACE, last, "white space at the end stripped")
        draft.put(last, [*before, Text(final.text.rstrip())])
