"""Repair the roles of messages: their order, the first and the last one, and what may follow results."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter

from toolgen_transcripts.codec import models
from toolgen_transcripts.messages import Text, ToolResult, native_members, with_native
from toolgen_transcripts.rules.draft import Draft, Entry, made
from toolgen_transcripts.rules.history.texts import is_plain_text
from toolgen_transcripts.rules.matching import is_servers_own, is_summary
from toolgen_transcripts.rules.rule import CHAT, CLAUDE, GEMINI, OPENAI, Rule, rule, step

REPEATED_ROLE = rule(
    "repeated-role",
    12,
    "two messages of one role in a row",
    "merge them",
    "A conversation must alternate between user and assistant roles. Make sure the conversation"
    " alternates between user and assistant roles and try again.",
    r"roles must alternate between",
    source="langchain-aws#130",
)


ASSISTANT_FIRST = rule(
    "assistant-first",
    13,
    "the conversation starts with the assistant",
    "insert a user message before it",
    "A conversation must start with a user message. Try again with a conversation that starts with a"
    " user message.",
    of=CLAUDE,
    anthropic='messages: first message must use the "user" role',
    gemini="Please ensure that single turn requests end with a user role or the role field is empty.",
    source="dify#12340",
)


ASSISTANT_LAST = rule(
    "assistant-last",
    14,
    "the conversation ends with the assistant",
    "end with a user message",
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    of=CLAUDE | CHAT,
    openai="Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",  # Mistral
    source="hermes-agent#101401, crewAI#2194, autogen#5044",
)


TRAILING_SPACE = rule(
    "trailing-space",
    15,
    "the last assistant message ends in white space",
    "remove the white space",
    "messages: final assistant content cannot end with trailing whitespace",
    of=CLAUDE,
    source="langchain-aws#599",
)


MIXED_RESULTS = rule(
    "mixed-results",
    16,
    "results and other content in one message",
    "insert a short assistant message between them",
    "{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
    source="langchain-aws#141",
)


USER_AFTER_TOOL = rule(
    "user-after-tool",
    61,
    "a user message right after a result, or a system message after the model's, for Mistral",
    "insert a short assistant message between them; put system messages first, or after a user message",
    "Unexpected role 'user' after role 'tool'",
    r"Unexpected role '\w+' after role '\w+'",
    of=CHAT,
    system="Unexpected role 'system' after role '{detail}'",
    source="datapizza-ai#98, zed#37021, litellm#11386, mistralai/mistral-common validator.py",
)
CALL_ORDER = rule(
    "call-order",
    62,
    "a message with calls that follows neither a user's message nor results",
    "insert a user message before the first one; merge consecutive model messages",
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    r"function call turn comes immediately after a user turn or after a function response turn",
    of=GEMINI,
    source="gemini-cli#11814, gemini-cli#26486",
)
DEVELOPER_ROLE = rule(
    "developer-role",
    67,
    "the role `developer`, which the server does not have",
    "send it as `system`",
    "{place}.role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
    r"unknown variant `developer`",
    of=OPENAI,
    source="pi#1048, theia#15144, hermes-studio#1926",
)
_START = "[start of conversation]"


_CONTINUE = "Continue."


_BRIDGE = "I have the results."


@step(
    REPEATED_ROLE,
    after=("orphan-result",),
    why="results that are moved or dropped change which messages are neighbors",
    when=lambda request: not models.takes_repeated_roles(request.model),
)
def alternate(draft: Draft) -> None:
    """Merge consecutive messages that have the same role."""
    grouped = groupby(draft.entries, lambda entry: entry.turn.role)
    runs = [list(run) for role, run in grouped if role != "system"]
    draft.join(runs, REPEATED_ROLE, "merged with the message before")


def _put_first(draft: Draft, rule: Rule) -> None:
    draft.fix(rule, draft.entries[0], "user message put first")
    draft.entries.insert(0, made("user", 0, _START))


@step(
    ASSISTANT_FIRST, ASSISTANT_LAST, after=("repeated-role",), why="merged messages have one role at each end"
)
def begin_and_end(draft: Draft) -> None:
    """Add a user message at the beginning or the end if the first or last message is the assistant's.

    A last assistant message stays if the model supports prefill, if it is marked as one (Mistral), or if the server
    paused a turn to run its own tool.
    """
    request, entries = draft.request, draft.entries
    if not entries:
        return
    first, last = entries[0], entries[-1]
    summary = any(map(is_summary, first.turn.blocks))
    may_begin = summary or request.stateful or models.is_newer_claude(request.model)
    if first.turn.role == "assistant" and request.tests(ASSISTANT_FIRST) and not may_begin:
        _put_first(draft, ASSISTANT_FIRST)
    may_end = any(is_servers_own(b, request.wire.calls) for b in last.turn.blocks)  # a paused turn
    if request.wire.of_many:
        prefixed = native_members(last.turn).get("prefix") is True
        may_end = prefixed or not models.is_mistral(request.model)
    may_end = may_end or models.takes_prefill(request.model)
    if last.turn.role == "assistant" and request.tests(ASSISTANT_LAST) and not may_end:
        draft.fix(ASSISTANT_LAST, last, "user message put last")
        entries.append(made("user", last.origin, _CONTINUE))


@step(
    MIXED_RESULTS,
    after=("empty-message", "missing-thinking"),
    why="both may remove what is to be separated",
    when=lambda request: models.parts_results(request.model),
)
def part_results(draft: Draft) -> None:
    """Split a message that has both results and other content, with a short assistant message in between."""
    parted: dict[Entry | None, list[Entry]] = {}
    for entry in draft.entries:
        results = list(entry.turn.results)
        others = [b for b in entry.turn.blocks if not isinstance(b, ToolResult)]
        if results and others:
            draft.fix(MIXED_RESULTS, entry, "results parted from the rest", *[r.id for r in results])
            draft.put(entry, results)
            parted[entry] = [made("assistant", entry.origin, _BRIDGE), made("user", entry.origin, *others)]
    draft.insert_after(parted)


@step(TRAILING_SPACE, after=("empty-message", "mixed-results"), why="a message that is dropped has no end")
def strip_end(draft: Draft) -> None:
    """Remove whitespace from the end of the assistant's text that the model is to continue."""
    if not draft.entries or draft.entries[-1].turn.role != "assistant":
        return
    last = draft.entries[-1]
    *before, final = last.turn.blocks or (Text(""),)
    if is_plain_text(final) and final.text.strip() and final.text != final.text.rstrip():
        draft.fix(TRAILING_SPACE, last, "white space at the end stripped")
        draft.put(last, [*before, Text(final.text.rstrip())])


@step(
    USER_AFTER_TOOL,
    after=("orphan-result",),
    why="results are moved to their calls",
    when=lambda request: models.is_mistral(request.model),
)
def part_from_user(draft: Draft) -> None:
    """Insert a short assistant message between results and the user message after them (Mistral).

    Also find misplaced system messages.
    """
    parted: dict[Entry | None, list[Entry]] = {}
    for entry, following in pairwise(draft.entries):
        role = entry.turn.role
        if role == "tool" and following.turn.role == "user":
            draft.fix(USER_AFTER_TOOL, following, "assistant message put before the user's")
            parted[entry] = [made("assistant", entry.origin, _BRIDGE)]
        elif role in ("tool", "assistant") and following.turn.role == "system":
            draft.find(USER_AFTER_TOOL, following, detail=role, wording="system")
    draft.insert_after(parted)


@step(CALL_ORDER, after=("orphan-result",), why="results are moved to their calls")
def order_calls(draft: Draft) -> None:
    """Insert a user message before calls at the beginning, and merge other calls into the message before
    them.
    """
    entries, runs, before = draft.entries, list[list[Entry]](), list[Entry]()
    for entry in entries:
        if entry.turn.role != "assistant":
            before = []
        elif not entry.turn.calls:
            before.append(entry)
        else:
            if before:
                draft.find(CALL_ORDER, entry)
                runs.append([*before, entry])
            before = []
    draft.join(runs, CALL_ORDER, "merged with the message before", is_known=True)
    opening = [e for e in entries[:1] if e.turn.role == "assistant" and e.turn.calls]
    if opening and not draft.request.stateful:
        _put_first(draft, CALL_ORDER)


@step(DEVELOPER_ROLE, when=attrgetter("is_deepseek"))
def rename_developer(draft: Draft) -> None:
    """Change developer messages to system messages if the server does not know the role."""
    key = draft.request.wire.messages.role_key
    for entry in draft.entries:
        value = native_members(entry.turn)
        if value.get(key) == "developer":
            draft.fix(DEVELOPER_ROLE, entry, "role sent as system")
            entry.turn = with_native(entry.turn, {**value, key: "system"}, draft.request.provider)
