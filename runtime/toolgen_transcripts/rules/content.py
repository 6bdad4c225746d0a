"""Rules 8 to 11, 13 to 18, 29 to 31: the content of messages, and the first and last message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeGuard, TypeVar

from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.json_values import json_text
from toolgen_transcripts.codec.wire import CallShape
from toolgen_transcripts.codec.wrapped import encode_input
from toolgen_transcripts.messages import Block, Json, Media, Opaque, Text, ToolCall, ToolResult
from toolgen_transcripts.rules.answers import is_servers_own, members_of, native
from toolgen_transcripts.rules.cache_points import is_cache_point
from toolgen_transcripts.rules.draft import Draft, Entry, made
from toolgen_transcripts.rules.malformed import EMPTY
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import Rule
from toolgen_transcripts.rules.table import Rules

_BlockT = TypeVar("_BlockT", bound="Block")
_START = "[start of conversation]"
_CONTINUE = "Continue."
_BRIDGE = "I have the results."
_NO_MESSAGE = "Error: the tool failed and gave no message."


def _is_plain_text(block: Block) -> TypeGuard[Text]:
    """Return whether a block is a plain text, and not a text with citations or a guard, which has a different form."""
    value = native(block)
    own = not isinstance(value, dict) or not value or isinstance(value.get("text"), str)
    return isinstance(block, Text) and own


def _blanks(blocks: Sequence[Block], request: Request) -> dict[int, Rule]:
    """Return the indices of blank texts with their rules. White space is accepted just before a cache point, and in
    a message with calls that the server ran itself (Claude's answers have such texts).
    """
    found: dict[int, Rule] = {}
    wire = request.wire
    served = any(is_servers_own(block, wire.calls) for block in blocks)
    for index, block in enumerate(blocks if request.tests(Rules.EMPTY_TEXT) else ()):
        if _is_plain_text(block) and not block.text.strip():
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            if not block.text:
                found[index] = Rules.EMPTY_TEXT
            elif not served and (following is None or not is_cache_point(following, wire)):
                found[index] = Rules.BLANK_TEXT
    return found


def _filled(blocks: Sequence[_BlockT], request: Request) -> list[_BlockT | Text]:
    """Return the blocks without blank texts, and with a placeholder if no other content remains."""
    bad = _blanks(blocks, request)
    kept: list[_BlockT | Text] = [b for index, b in enumerate(blocks) if index not in bad]
    return kept if any(not is_cache_point(b, request.wire) for b in kept) else [Text(EMPTY), *kept]


def _members(part: ToolCall | ToolResult, shape: CallShape) -> dict[str, Any]:
    """Return the native object with the members of a call or result, which the neutral form may lack."""
    value = part.source.value if part.source is not None else {}
    return members_of(value, shape.result_key if isinstance(part, ToolResult) else shape.call_key, shape)


def _call(draft: Draft, entry: Entry, call: ToolCall, place: str) -> ToolCall:
    """Fix an input that is not an object, or not a string in APIs with arguments as text (rule 17; Mistral: both)."""
    shape = draft.request.wire.calls
    if call.kind != "function":  # its input need not be an object
        return call
    if shape.text_arguments:
        taken = (str, dict) if draft.request.is_compatible else (str,)
        if call.source is None or isinstance(_members(call, shape).get(shape.input_key), taken):
            return call
        draft.fix(Rules.INPUT_NOT_OBJECT, entry, "arguments sent as text", [call.id], at=place)
        return replace(call, source=None)
    if isinstance(call.input, dict):
        return call
    missing = call.input is None
    action = "missing input sent as {}" if missing else "input wrapped in an object"
    draft.fix(Rules.INPUT_NOT_OBJECT, entry, action, [call.id], at=place)
    changed = replace(call, input={} if missing else encode_input(call.input), source=deepcopy(call.source))
    if changed.source is not None:  # keep the block's other members
        _members(changed, shape)[shape.input_key] = changed.input
    return changed


def _as_object(draft: Draft, entry: Entry, result: ToolResult, place: str) -> ToolResult:
    """Fix a JSON value in a result that must be an object (rule 18)."""
    shape = draft.request.wire.calls
    action = "JSON that is not an object sent as text"
    if shape.object_key and not isinstance(_members(result, shape).get(shape.object_key, {}), dict):
        draft.fix(Rules.JSON_NOT_OBJECT, entry, action, [result.id], at=place)
        return replace(result, source=None)  # a new native form has the value under a key
    content, below = list(result.content), draft.request.below(place)
    for index, block in enumerate(content if shape.json_blocks else ()):
        if isinstance(block, Json) and not isinstance(block.value, dict):
            draft.find(Rules.JSON_NOT_OBJECT, f"{below}.{index}", [result.id])
            content[index] = Text(json_text(block.value))
    if tuple(content) == result.content:
        return result
    draft.note(Rules.JSON_NOT_OBJECT, entry, action, result.id)
    return replace(result, content=tuple(content))


def _with_text(draft: Draft, entry: Entry, result: ToolResult, place: str) -> ToolResult:
    """Fix blank texts (rules 8, 9) and an error without a text (rule 11) in a result."""
    request = draft.request
    blank = _blanks(result.content, request)
    for index, rule in blank.items():
        draft.find(rule, f"{request.below(place)}.{index}")
    silent = all(isinstance(b, Text) and not b.text.strip() for b in result.content)
    if result.is_error and request.tests(Rules.EMPTY_ERROR) and silent:
        draft.fix(Rules.EMPTY_ERROR, entry, "error result given a text", [result.id], at=place)
        return replace(result, content=(Text(_NO_MESSAGE),))
    if not blank:
        return result
    draft.note(
        min(blank.values(), key=attrgetter("number")),
        entry,
        "blank text in a result dropped or filled",
        result.id,
    )
    return replace(result, content=tuple(_filled(result.content, request)))


def _for_model(
    draft: Draft, entry: Entry, result: ToolResult, place: str, hoisted: list[Block]
) -> ToolResult:
    """Remove the status and media from a result if the model does not support them (rules 29 and 30)."""
    request, model = draft.request, draft.request.model
    stateless = request.tests(Rules.UNSUPPORTED_FEATURE) and models.lacks_status(model)
    if stateless and result.is_error is not None:
        at = f"{request.inside(place, request.wire.calls.result_key)}.status"
        ids = [result.id]
        draft.fix(Rules.UNSUPPORTED_FEATURE, entry, "status left out", ids, at=at, wording="status")
        result = replace(result, is_error=None)
    media = [b for b in result.content if isinstance(b, Media)]
    if not media or not request.tests(Rules.RESULT_MEDIA) or not models.lacks_result_images(model):
        return result
    content = tuple(b for b in result.content if not isinstance(b, Media))
    if models.lacks_images(model):
        content += tuple(Text(f"[{m.kind} omitted]") for m in media)
        action = "media named in text"
    else:
        hoisted += media
        content = content or (Text(f"[{media[0].kind} follows]"),)
        action = "media moved out of the result"
    draft.fix(Rules.RESULT_MEDIA, entry, action, [result.id], at=place)
    return replace(result, content=content)


def fill_blocks(draft: Draft) -> None:
    """Fix the content of calls and results (rules 8, 9, 11, 17, 18, 29, 30)."""
    for entry in draft.entries:
        hoisted: list[Block] = []
        blocks: list[Block] = []
        for ordinal, block in enumerate(entry.turn.blocks):
            place = draft.request.place(entry.origin, ordinal)
            if isinstance(block, ToolCall):
                block = _call(draft, entry, block, place)
            elif isinstance(block, ToolResult):
                block = _as_object(draft, entry, block, place)
                block = _with_text(draft, entry, block, place)
                block = _for_model(draft, entry, block, place, hoisted)
            blocks.append(block)
        draft.put(entry, [*blocks, *hoisted])


def fix_system(draft: Draft) -> None:
    """Remove blank texts from a system prompt that is a list of blocks (rules 8, 9)."""
    request = draft.request
    key, blocks = request.wire.messages.system_key, request.system
    if not isinstance(blocks, list):
        return
    kept = []
    for index, block in enumerate(blocks):
        text = block.get("text") if isinstance(block, Mapping) else None
        if isinstance(text, str) and not text.strip() and request.tests(Rules.EMPTY_TEXT):
            rule = Rules.BLANK_TEXT if text else Rules.EMPTY_TEXT
            draft.fix(rule, f"{key}.{index}", "blank text dropped")
        else:
            kept.append(block)
    if len(kept) < len(blocks):
        draft.request = replace(request, system=kept or None)


def _may_be_empty(draft: Draft, entry: Entry) -> bool:
    last = entry is draft.entries[-1] and entry.turn.role == "assistant"
    return last and draft.request.wire.messages.empty_last


def drop_empty(draft: Draft) -> None:
    """Drop an empty message next to one of its role (rule 10); a placeholder could separate a call and its result."""
    kept: list[Entry] = []
    for index, entry in enumerate(draft.entries):
        following = draft.entries[index + 1].turn.role if index + 1 < len(draft.entries) else None
        neighbors = (kept[-1].turn.role if kept else None, following)
        if not entry.turn.blocks and entry.turn.role in neighbors and not _may_be_empty(draft, entry):
            draft.note(Rules.EMPTY_MESSAGE, entry, "empty message dropped")
        else:
            kept.append(entry)
    draft.entries = kept


def _is_document(block: Block) -> bool:
    """Return whether a block is a document, including documents in opaque blocks."""
    if isinstance(block, Opaque):
        return isinstance(block.value, dict) and "document" in block.value
    return isinstance(block, Media) and block.kind == "document"


def fill_messages(draft: Draft) -> None:
    """Fix empty messages, blank texts, and documents without a text (rules 8, 9, 10 and 31)."""
    request = draft.request
    for entry in draft.entries:
        blocks = list(entry.turn.blocks)
        if not blocks and request.tests(Rules.EMPTY_MESSAGE) and not _may_be_empty(draft, entry):
            draft.fix(Rules.EMPTY_MESSAGE, entry, "placeholder put")
            blocks = [Text(EMPTY)]
        blank = _blanks(blocks, request)
        for ordinal, rule in blank.items():
            draft.find(rule, request.place(entry.origin, ordinal))
        if blank:
            draft.note(min(blank.values(), key=attrgetter("number")), entry, "blank text dropped or filled")
            blocks = _filled(blocks, request)
        documents = any(map(_is_document, blocks)) and not any(isinstance(b, Text) for b in blocks)
        if documents and request.tests(Rules.DOCUMENT_WITHOUT_TEXT):
            draft.fix(Rules.DOCUMENT_WITHOUT_TEXT, entry, "text added next to the document")
            blocks.append(Text("[document]"))
        draft.put(entry, blocks)


def part_results(draft: Draft) -> None:
    """Separate results from other content by a short assistant message (rule 16)."""
    if not models.parts_results(draft.request.model):
        return
    parted: dict[Entry | None, list[Entry]] = {}
    for entry in draft.entries:
        results = list(entry.turn.results)
        others = [b for b in entry.turn.blocks if not isinstance(b, ToolResult)]
        if results and others:
            draft.fix(Rules.MIXED_RESULTS, entry, "results parted from the rest", [r.id for r in results])
            draft.put(entry, results)
            parted[entry] = [made("assistant", entry.origin, _BRIDGE), made("user", entry.origin, *others)]
    draft.insert_after(parted)


def begin_and_end(draft: Draft) -> None:
    """Add a user message before a first assistant message, or after a last one (rules 13 and 14).

    A last assistant message stays if the model supports prefill, or if the server paused a turn to run its own tool.
    """
    request, entries = draft.request, draft.entries
    if not entries:
        return
    first, last = entries[0], entries[-1]
    may_begin = request.stateful or models.is_newer_claude(request.model)
    if first.turn.role == "assistant" and request.tests(Rules.ASSISTANT_FIRST) and not may_begin:
        draft.fix(Rules.ASSISTANT_FIRST, first, "user message put first")
        entries.insert(0, made("user", 0, _START))
    paused = any(is_servers_own(b, request.wire.calls) for b in last.turn.blocks)
    may_end = paused or models.takes_prefill(request.model)
    if last.turn.role == "assistant" and request.tests(Rules.ASSISTANT_LAST) and not may_end:
        draft.fix(Rules.ASSISTANT_LAST, last, "user message put last")
        entries.append(made("user", last.origin, _CONTINUE))


def strip_end(draft: Draft) -> None:
    """Strip white space from the end of the assistant text that the model is to continue (rule 15)."""
    last = draft.entries[-1] if draft.entries else None
    if last is None or last.turn.role != "assistant":
        return
    *before, final = last.turn.blocks or (Text(""),)
    if _is_plain_text(final) and final.text.strip() and final.text != final.text.rstrip():
        draft.fix(Rules.TRAILING_SPACE, last, "white space at the end stripped")
        draft.put(last, [*before, Text(final.text.rstrip())])
