"""Repair blank texts, and messages without content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TypeGuard

from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.members import at_path, without
from toolgen_transcripts.messages import (
    Block,
    BlockT,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    native_members,
    with_native,
)
from toolgen_transcripts.rules.draft import Draft, Entry, Spot, Where, each_block
from toolgen_transcripts.rules.history.cache_points import is_cache_point
from toolgen_transcripts.rules.matching import is_servers_own
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import CHAT, CLAUDE, GEMINI, Rule, rule, step
from toolgen_transcripts.rules.well_formed import EMPTY

EMPTY_TEXT = rule(
    "empty-text",
    8,
    "an empty text block",
    "remove the block; use a placeholder if the message has no other content",
    "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try"
    " again.",
    r"required oneof field 'data' must have one initialized field",
    anthropic="{place}: text content blocks must be non-empty",
    source="botocore#3525",
)


BLANK_TEXT = rule(
    "blank-text",
    9,
    "text with only white space",
    "remove the block; use a placeholder if the message has no other content",
    "{place}: text content blocks must contain non-whitespace text",
    of=CLAUDE,
    source="hermes-agent#63983",
)


EMPTY_MESSAGE = rule(
    "empty-message",
    10,
    "a message without content",
    "insert a placeholder text",
    "The content field in the Message object at {place} is empty. Add a ContentBlock object to the"
    " content field and try again.",
    of=CLAUDE | GEMINI,
    anthropic="{place}: all messages must have non-empty content except for the optional final"
    " assistant message",
    gemini="{place}.parts: contents.parts must not be empty.",
    source="archestra#4220",
)


EMPTY_ERROR = rule(
    "empty-error",
    11,
    "an error result without text",
    "add text to every error result",
    "The content field at {place}.toolResult cannot be empty when status value is error.",
    anthropic="{place}.tool_result: content cannot be empty if `is_error` is true",
    source="markform#153",
)


EMPTY_CALLS = rule(
    "empty-calls",
    70,
    "an empty list of calls",
    "leave out the list",
    "Invalid '{place}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array"
    " instead.",
    r"Invalid '\S{1,80}tool_calls': empty array",
    r"\[\] is too short - '\S{1,80}tool_calls'",
    of=CHAT,
    source="chatbox#2079, openai-node#1341",
)
REASONING_ALONE = rule(
    "reasoning-alone",
    71,
    "an assistant message with neither content nor calls (DeepSeek, Kimi, Mistral, OpenAI)",
    "insert a placeholder text",
    "Invalid assistant message: content or tool_calls must be set",
    r"Assistant message must have either content or tool_calls, but not none",
    r"Invalid value for 'content': expected a string, got null",
    of=CHAT,
    source="jcode#321, kimi-code#2689, ProxyAI#834, OpenHands#8685, llama_index#17921, vercel/ai#13744",
)


_NO_MESSAGE = "Error: the tool failed and gave no message."


def is_plain_text(block: Block) -> TypeGuard[Text]:
    """Return whether a block is text without citations or a guard, which have other forms."""
    members = native_members(block)
    return isinstance(block, Text) and (not members or isinstance(members.get("text"), str))


def _blanks(blocks: Sequence[Block], request: Request) -> dict[int, Rule]:
    """Return the indices of blank texts, with their rules.

    White space is accepted right before a cache point, and in a message with calls: for calls that the server ran
    itself (Claude's responses contain such texts) or, from Claude 4.5 on, for any calls.
    """
    found: dict[int, Rule] = {}
    if not request.tests(EMPTY_TEXT):
        return found
    wire = request.wire
    newer = models.is_newer_claude(request.model)
    served = any(is_servers_own(b, wire.calls) or (newer and isinstance(b, ToolCall)) for b in blocks)
    for index, block in enumerate(blocks):
        if is_plain_text(block) and not block.text.strip():
            if not block.text:
                found[index] = EMPTY_TEXT
            elif not served and not any(is_cache_point(b, wire) for b in blocks[index + 1 : index + 2]):
                found[index] = BLANK_TEXT
    return found


def _filled(
    draft: Draft, where: Where, blocks: Sequence[BlockT], blank: dict[int, Rule], of: str, *ids: str | None
) -> list[BlockT | Text]:
    """Return the blocks without blank texts. If nothing else remains, add a placeholder."""
    first = min(blank.values(), key=attrgetter("number"))
    draft.note(first, where, f"blank text {of}dropped or filled", *ids)
    kept: list[BlockT | Text] = [b for index, b in enumerate(blocks) if index not in blank]
    if any(not is_cache_point(b, draft.request.wire) for b in kept):
        return kept
    return [Text(EMPTY), *kept]


@step(EMPTY_TEXT, BLANK_TEXT)
def fix_system(draft: Draft) -> None:
    """Remove blank texts from a system prompt that consists of blocks."""
    request = draft.request
    key, blocks = request.wire.messages.system_key, request.system
    if not isinstance(blocks, list):
        return
    kept = []
    for index, block in enumerate(blocks):
        text = at_path(block, ("text",))
        if isinstance(text, str) and not text.strip() and request.tests(EMPTY_TEXT):
            rule = BLANK_TEXT if text else EMPTY_TEXT
            draft.fix(rule, f"{key}.{index}", "blank text dropped")
        else:
            kept.append(block)
    if len(kept) < len(blocks):
        draft.request = replace(request, system=kept or None)


def _may_be_empty(draft: Draft, entry: Entry) -> bool:
    last = entry is draft.entries[-1] and entry.turn.role == "assistant"
    return last and draft.request.wire.messages.empty_last


@step(
    EMPTY_MESSAGE,
    after=("repeated-role", "assistant-first"),
    why="before, the neighbors of a message and the ends of the history are not known",
)
def drop_empty(draft: Draft) -> None:
    """Remove an empty message if the message before or after it has the same role.

    A placeholder could separate a call from its result.
    """
    kept: list[Entry] = []
    for index, entry in enumerate(draft.entries):
        neighbors = [other.turn.role for other in (*kept[-1:], *draft.entries[index + 1 : index + 2])]
        if not entry.turn.blocks and entry.turn.role in neighbors and not _may_be_empty(draft, entry):
            draft.note(EMPTY_MESSAGE, entry, "empty message dropped")
        else:
            kept.append(entry)
    draft.entries = kept


@step(
    EMPTY_TEXT, BLANK_TEXT, EMPTY_ERROR, after=("input-not-object",), why="JSON may have become a blank text"
)
@each_block
def fill_results(draft: Draft, at: Spot, result: Block) -> Block:
    """Replace blank texts in results, and add a text to error results that have none."""
    if not isinstance(result, ToolResult):
        return result
    request = draft.request
    blank = _blanks(result.content, request)
    for index, broken in blank.items():
        draft.find(broken, request.below(draft.place(at), index))
    silent = all(isinstance(b, Text) and not b.text.strip() for b in result.content)
    if result.is_error and request.tests(EMPTY_ERROR) and silent:
        draft.fix(EMPTY_ERROR, at, "text added to an error result", result.id)
        return replace(result, content=(Text(_NO_MESSAGE),))
    if not blank:
        return result
    content = _filled(draft, at, result.content, blank, "in a result ", result.id)
    return replace(result, content=tuple(content))


@step(
    EMPTY_TEXT, BLANK_TEXT, EMPTY_MESSAGE, after=("result-media",), why="media from a result are content, too"
)
def fill_messages(draft: Draft) -> None:
    """Repair empty messages and messages with blank texts."""
    request = draft.request
    for entry in draft.entries:
        blocks = list(entry.turn.blocks)
        if not blocks and request.tests(EMPTY_MESSAGE) and not _may_be_empty(draft, entry):
            draft.fix(EMPTY_MESSAGE, entry, "placeholder put")
            blocks = [Text(EMPTY)]
        blank = _blanks(blocks, request)
        for ordinal, broken in blank.items():
            draft.find(broken, Spot(entry, ordinal))
        if blank:
            blocks = _filled(draft, entry, blocks, blank, "")
        draft.put(entry, blocks)


@step(EMPTY_CALLS, when=attrgetter("is_openai"))
def drop_empty_calls(draft: Draft) -> None:
    """Remove a list of calls that is empty, which OpenAI rejects."""
    key = draft.request.wire.messages.calls_key
    for entry in draft.entries:
        value = native_members(entry.turn)
        if value.get(key) == []:
            draft.fix(EMPTY_CALLS, entry, "empty list of calls left out")
            entry.turn = with_native(entry.turn, without(value, key), draft.request.provider)


@step(
    REASONING_ALONE,
    after=("missing-reasoning",),
    why="the message is written anew",
    when=lambda request: request.wants_reasoning or request.model or request.host,
)
def add_content(draft: Draft) -> None:
    """Add text to messages that have neither content nor calls.

    OpenAI accepts an empty text, but Mistral does not.
    """
    request, is_mistral = draft.request, models.is_mistral(draft.request.model)
    for entry in draft.entries:
        turn = entry.turn
        kept = [b for b in turn.blocks if not isinstance(b, Reasoning) and (b != Text("") or not is_mistral)]
        has_other = turn.source is not None and turn.source.unread  # audio, a deprecated call
        is_refused = request.wants_reasoning or ((is_mistral or request.is_openai) and not has_other)
        if turn.role == "assistant" and not kept and is_refused:
            draft.fix(REASONING_ALONE, entry, "placeholder put")
            draft.put(entry, [*(b for b in turn.blocks if isinstance(b, Reasoning)), Text(EMPTY)])
