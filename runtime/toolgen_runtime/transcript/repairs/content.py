"""Rules 8 to 11, 13 to 18, 29 to 31: what stands in the messages, and how they begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from toolgen_runtime.providers.codec import encode_input
from toolgen_runtime.providers.conversion import json_text
from toolgen_runtime.transcript.checks.content import bad_input, bad_json, has_document, says_nothing
from toolgen_runtime.transcript.messages import Block, Json, Media, Text, ToolCall, ToolResult
from toolgen_runtime.transcript.models import (
    lacks_images,
    lacks_result_images,
    lacks_status,
    parts_results,
    takes_prefill,
)
from toolgen_runtime.transcript.repairs.draft import BRIDGE, CONTINUE, EMPTY, NO_MESSAGE, START, Draft, Entry

_BlockT = TypeVar("_BlockT", bound="Block")


def _filled(blocks: Sequence[_BlockT]) -> list[_BlockT | Text]:
    """Without blank texts; a placeholder where they are all there is."""
    kept: list[_BlockT | Text] = [b for b in blocks if not isinstance(b, Text) or b.text.strip()]
    return kept or [Text(EMPTY)]


def _blank(blocks: Sequence[Block]) -> int:
    """Which of rules 8 and 9 some blocks break, 0 for none."""
    blanks = [b.text for b in blocks if isinstance(b, Text) and not b.text.strip()]
    return 0 if not blanks else 8 if "" in blanks else 9


def _call(draft: Draft, entry: Entry, call: ToolCall) -> ToolCall:
    if not bad_input(call, draft.request.provider):
        return call
    if draft.request.provider in ("openai", "openai_responses"):
        draft.log(17, entry.origin, "arguments sent as text", call.id)
        return replace(call, source=None)
    if call.input is None:
        draft.log(17, entry.origin, "missing input sent as {}", call.id)
        return replace(call, input={})
    draft.log(17, entry.origin, "input wrapped in an object", call.id)
    return replace(call, input=encode_input(call.input))


def _as_object(draft: Draft, entry: Entry, result: ToolResult) -> ToolResult:
    """Rule 18."""
    bad = bad_json(result, draft.request.provider)
    if not bad:
        return result
    draft.log(18, entry.origin, "JSON that is no object sent as text", result.id)
    if draft.request.provider == "gemini":  # written afresh, it stands under a key
        return replace(result, source=None)
    content = tuple(
        Text(json_text(b.value)) if isinstance(b, Json) and i in bad else b
        for i, b in enumerate(result.content)
    )
    return replace(result, content=content)


def _said(draft: Draft, entry: Entry, result: ToolResult) -> ToolResult:
    """Rules 8, 9 and 11 inside a result."""
    if result.is_error and draft.request.tests(11) and says_nothing(result):
        draft.log(11, entry.origin, "error result given a text", result.id)
        return replace(result, content=(Text(NO_MESSAGE),))
    rule = _blank(result.content)
    if rule and draft.request.tests(rule):
        draft.log(rule, entry.origin, "blank text in a result dropped or filled", result.id)
        return replace(result, content=tuple(_filled(result.content)))
    return result


def _for_model(draft: Draft, entry: Entry, result: ToolResult, hoisted: list[Block]) -> ToolResult:
    """Rules 29 and 30: no status, no media inside results."""
    model = draft.request.model
    if result.is_error is not None and lacks_status(model):
        draft.log(29, entry.origin, "status left out", result.id)
        result = replace(result, is_error=None)
    media = [b for b in result.content if isinstance(b, Media)]
    if media and lacks_result_images(model):
        content = tuple(b for b in result.content if not isinstance(b, Media))
        if lacks_images(model):
            content += tuple(Text(f"[{m.kind} omitted]") for m in media)
            draft.log(30, entry.origin, "media named in text", result.id)
        else:
            hoisted += media
            content = content or (Text(f"[{media[0].kind} follows]"),)
            draft.log(30, entry.origin, "media moved out of the result", result.id)
        result = replace(result, content=content)
    return result


def _result(draft: Draft, entry: Entry, result: ToolResult, hoisted: list[Block]) -> ToolResult:
    result = _said(draft, entry, _as_object(draft, entry, result))
    return _for_model(draft, entry, result, hoisted) if draft.request.provider == "bedrock" else result


def drop_empty(draft: Draft) -> None:
    """Rule 10: drop an empty message beside one of the same role; a placeholder could part a call from its result."""
    if not draft.request.tests(10):
        return
    kept: list[Entry] = []
    for index, entry in enumerate(draft.entries):
        following = draft.entries[index + 1].turn.role if index + 1 < len(draft.entries) else None
        beside = (kept[-1].turn.role if kept else None, following)
        if not entry.turn.blocks and entry.turn.role in beside:
            draft.log(10, entry.origin, "empty message dropped")
        else:
            kept.append(entry)
    draft.entries = kept


def fill(draft: Draft) -> None:
    """Rules 8 to 11, 17, 18, 29, 30, 31: block by block, then message by message."""
    for entry in draft.entries:
        hoisted: list[Block] = []
        blocks: list[Block] = []
        for block in entry.turn.blocks:
            if isinstance(block, ToolCall):
                block = _call(draft, entry, block)
            elif isinstance(block, ToolResult):
                block = _result(draft, entry, block, hoisted)
            blocks.append(block)
        draft.put(entry, _whole(draft, entry, [*blocks, *hoisted]))


def _whole(draft: Draft, entry: Entry, blocks: list[Block]) -> list[Block]:
    """Rules 8, 9, 10 and 31 for a message."""
    request = draft.request
    rule = _blank(blocks)
    if rule and request.tests(rule):
        draft.log(rule, entry.origin, "blank text dropped or filled")
        blocks = _filled(blocks)
    last = entry is draft.entries[-1] and entry.turn.role == "assistant"
    if not blocks and request.tests(10) and not (last and request.provider == "anthropic"):
        draft.log(10, entry.origin, "placeholder put")
        blocks = [Text(EMPTY)]
    if request.tests(31) and any(map(has_document, blocks)) and not any(isinstance(b, Text) for b in blocks):
        draft.log(31, entry.origin, "text put beside the document")
        blocks = [*blocks, Text("[document]")]
    return blocks


def part_results(draft: Draft) -> None:
    """Rule 16: results stand alone; a short assistant message parts them from the rest."""
    if not draft.request.tests(16) or not parts_results(draft.request.model):
        return
    for entry in list(draft.entries):
        results, others = (
            list(entry.turn.results),
            [b for b in entry.turn.blocks if not isinstance(b, ToolResult)],
        )
        if results and others:
            draft.log(16, entry.origin, "results parted from the rest", *(r.id for r in results))
            after = draft.entries.index(entry) + 1
            draft.put(entry, results)
            draft.insert(after, "user", entry.origin, *others)
            draft.insert(after, "assistant", entry.origin, BRIDGE)


def begin_and_end(draft: Draft) -> None:
    """Rules 13 and 14: a user's message first, and last unless the model goes on from the assistant's."""
    request = draft.request
    if not draft.entries:
        return
    if request.tests(13) and draft.entries[0].turn.role == "assistant":
        draft.log(13, 0, "user message put first")
        draft.insert(0, "user", 0, START)
    last = draft.entries[-1]
    if request.tests(14) and last.turn.role == "assistant" and not takes_prefill(request.model):
        draft.log(14, last.origin, "user message put last")
        draft.insert(len(draft.entries), "user", last.origin, CONTINUE)


def strip_end(draft: Draft) -> None:
    """Rule 15: the text that the model is to go on from does not end in white space."""
    last = draft.entries[-1] if draft.entries else None
    if last is None or last.turn.role != "assistant" or not last.turn.blocks or not draft.request.tests(15):
        return
    final = last.turn.blocks[-1]
    if isinstance(final, Text) and final.text != final.text.rstrip():
        draft.log(15, last.origin, "white space at the end stripped")
        draft.put(last, [*last.turn.blocks[:-1], Text(final.text.rstrip())])
