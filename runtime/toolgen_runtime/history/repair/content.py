"""Rules 8 to 11, 13 to 18, 29 to 31: what stands in the messages, and how they begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_runtime.history.blank_texts import blanks, filled, is_plain_text
from toolgen_runtime.history.cache_points import without_oldest
from toolgen_runtime.history.check.content import (
    bad_input,
    bad_json,
    blank_prompts,
    ends_wrong,
    has_document,
    raw_part,
    says_nothing,
    starts_wrong,
)
from toolgen_runtime.history.repair.draft import (
    BRIDGE,
    CONTINUE,
    EMPTY,
    NO_MESSAGE,
    START,
    Draft,
    Entry,
    made,
)
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.messages.native import json_text
from toolgen_runtime.providers.shared.models import (
    lacks_images,
    lacks_result_images,
    lacks_status,
    parts_results,
)
from toolgen_runtime.providers.shared.names import encode_input
from toolgen_runtime.providers.shared.wire import CallShape
from toolgen_runtime.transcript.messages import Block, Json, Media, Text, ToolCall, ToolResult


def _blank(draft: Draft, blocks: Sequence[Block]) -> RuleId | None:
    """Return which of rules 8 and 9 some blocks break, None for neither."""
    broken = blanks(blocks, draft.request.wire).values() if draft.request.tests(RuleId.EMPTY_TEXT) else ()
    return min(broken, default=None)


def _call(draft: Draft, entry: Entry, call: ToolCall) -> ToolCall:
    shape = draft.request.wire.calls
    if not bad_input(draft.request, call):
        return call
    if shape.text_arguments:
        draft.log(RuleId.INPUT_NOT_OBJECT, entry.origin, "arguments sent as text", call.id)
        return replace(call, source=None)
    missing = call.input is None
    action = "missing input sent as {}" if missing else "input wrapped in an object"
    draft.log(RuleId.INPUT_NOT_OBJECT, entry.origin, action, call.id)
    return _with_input(call, {} if missing else encode_input(call.input), shape)


def _with_input(call: ToolCall, payload: dict[str, Any], shape: CallShape) -> ToolCall:
    """Return the call with another input, and everything else that its block has."""
    made = replace(call, input=payload)
    if call.source is None:
        return made
    source = deepcopy(call.source)
    members = raw_part(replace(call, source=source), shape)
    members[shape.input_key] = payload
    return replace(made, source=source)


def _as_object(draft: Draft, entry: Entry, result: ToolResult) -> ToolResult:
    """Rule 18."""
    bad = bad_json(result, draft.request.wire.calls)
    if not bad:
        return result
    draft.log(RuleId.JSON_NOT_OBJECT, entry.origin, "JSON that is not an object sent as text", result.id)
    if draft.request.wire.calls.object_key:  # written afresh, it stands under a key
        return replace(result, source=None)
    content = tuple(
        Text(json_text(b.value)) if isinstance(b, Json) and i in bad else b
        for i, b in enumerate(result.content)
    )
    return replace(result, content=content)


def _with_text(draft: Draft, entry: Entry, result: ToolResult) -> ToolResult:
    """Rules 8, 9 and 11 inside a result."""
    if result.is_error and draft.request.tests(RuleId.EMPTY_ERROR) and says_nothing(result):
        draft.log(RuleId.EMPTY_ERROR, entry.origin, "error result given a text", result.id)
        return replace(result, content=(Text(NO_MESSAGE),))
    rule = _blank(draft, result.content)
    if rule:
        draft.log(rule, entry.origin, "blank text in a result dropped or filled", result.id)
        return replace(result, content=tuple(filled(result.content, draft.request.wire)))
    return result


def _for_model(draft: Draft, entry: Entry, result: ToolResult, hoisted: list[Block]) -> ToolResult:
    """Rules 29 and 30: no status, no media inside results."""
    request, model = draft.request, draft.request.model
    if result.is_error is not None and request.tests(RuleId.UNSUPPORTED_FEATURE) and lacks_status(model):
        draft.log(RuleId.UNSUPPORTED_FEATURE, entry.origin, "status left out", result.id)
        result = replace(result, is_error=None)
    media = [b for b in result.content if isinstance(b, Media)]
    if media and request.tests(RuleId.RESULT_MEDIA) and lacks_result_images(model):
        content = tuple(b for b in result.content if not isinstance(b, Media))
        if lacks_images(model):
            content += tuple(Text(f"[{m.kind} omitted]") for m in media)
            draft.log(RuleId.RESULT_MEDIA, entry.origin, "media named in text", result.id)
        else:
            hoisted += media
            content = content or (Text(f"[{media[0].kind} follows]"),)
            draft.log(RuleId.RESULT_MEDIA, entry.origin, "media moved out of the result", result.id)
        result = replace(result, content=content)
    return result


def _result(draft: Draft, entry: Entry, result: ToolResult, hoisted: list[Block]) -> ToolResult:
    result = _with_text(draft, entry, _as_object(draft, entry, result))
    return _for_model(draft, entry, result, hoisted)


def fix_system(draft: Draft) -> Any:
    """Return the system prompt without blank texts (rules 8, 9) and old cache points (38); None for nothing left."""
    request = draft.request
    key = request.wire.messages.system_key
    blank = dict(blank_prompts(request)) if request.tests(RuleId.EMPTY_TEXT) else {}
    for index, text in blank.items():
        draft.note(RuleId.BLANK_TEXT if text else RuleId.EMPTY_TEXT, f"{key}.{index}", "blank text dropped")
    if not isinstance(request.system, list):
        return request.system
    kept = [block for index, block in enumerate(request.system) if index not in blank]
    limited = without_oldest(request, kept, request.cached)
    if limited != kept:
        draft.note(RuleId.TOO_MANY_CACHE_POINTS, key, "cache point left out")
    return limited or (None if blank else limited)


def drop_empty(draft: Draft) -> None:
    """Rule 10: drop an empty message beside one of the same role; a placeholder could part a call from its result."""
    if not draft.request.tests(RuleId.EMPTY_MESSAGE):
        return
    kept: list[Entry] = []
    for index, entry in enumerate(draft.entries):
        following = draft.entries[index + 1].turn.role if index + 1 < len(draft.entries) else None
        beside = (kept[-1].turn.role if kept else None, following)
        free = draft.request.wire.messages.empty_last and following is None and entry.turn.role == "assistant"
        if not entry.turn.blocks and entry.turn.role in beside and not free:
            draft.log(RuleId.EMPTY_MESSAGE, entry.origin, "empty message dropped")
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
    rule = _blank(draft, blocks)
    if rule:
        draft.log(rule, entry.origin, "blank text dropped or filled")
        blocks = filled(blocks, request.wire)
    last = entry is draft.entries[-1] and entry.turn.role == "assistant"
    if not blocks and request.tests(RuleId.EMPTY_MESSAGE) and not (last and request.wire.messages.empty_last):
        draft.log(RuleId.EMPTY_MESSAGE, entry.origin, "placeholder put")
        blocks = [Text(EMPTY)]
    if (
        request.tests(RuleId.DOCUMENT_WITHOUT_TEXT)
        and any(map(has_document, blocks))
        and not any(isinstance(b, Text) for b in blocks)
    ):
        draft.log(RuleId.DOCUMENT_WITHOUT_TEXT, entry.origin, "text put beside the document")
        blocks = [*blocks, Text("[document]")]
    return blocks


def part_results(draft: Draft) -> None:
    """Rule 16: results stand alone; a short assistant message parts them from the rest."""
    if not draft.request.tests(RuleId.MIXED_RESULTS) or not parts_results(draft.request.model):
        return
    parted: dict[Entry | None, list[Entry]] = {}
    for entry in draft.entries:
        results = list(entry.turn.results)
        others = [b for b in entry.turn.blocks if not isinstance(b, ToolResult)]
        if results and others:
            ids = (r.id for r in results)
            draft.log(RuleId.MIXED_RESULTS, entry.origin, "results parted from the rest", *ids)
            draft.put(entry, results)
            parted[entry] = [made("assistant", entry.origin, BRIDGE), made("user", entry.origin, *others)]
    draft.insert_after(parted)


def begin_and_end(draft: Draft) -> None:
    """Rules 13 and 14: a user's message first, and last unless the model goes on from the assistant's."""
    request = draft.request
    if not draft.entries:
        return
    if starts_wrong(replace(request, turns=draft.turns)):
        draft.log(RuleId.ASSISTANT_FIRST, 0, "user message put first")
        draft.insert(0, "user", 0, START)
    last = draft.entries[-1]
    if ends_wrong(request, last.turn):
        draft.log(RuleId.ASSISTANT_LAST, last.origin, "user message put last")
        draft.insert(len(draft.entries), "user", last.origin, CONTINUE)


def strip_end(draft: Draft) -> None:
    """Rule 15: the text that the model is to go on from does not end in white space."""
    last = draft.entries[-1] if draft.entries else None
    if (
        last is None
        or last.turn.role != "assistant"
        or not last.turn.blocks
        or not draft.request.tests(RuleId.TRAILING_SPACE)
    ):
        return
    final = last.turn.blocks[-1]
    if is_plain_text(final) and final.text != final.text.rstrip():
        draft.log(RuleId.TRAILING_SPACE, last.origin, "white space at the end stripped")
        draft.put(last, [*last.turn.blocks[:-1], Text(final.text.rstrip())])
