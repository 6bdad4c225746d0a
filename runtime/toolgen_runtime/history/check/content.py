"""Rules 8 to 11, 13 to 19, 30, 31, 35: what stands in the messages, and how they begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.history.blank_texts import blanks, is_plain_text
from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.history.unjudged_calls import is_other_call, is_servers_own, members_of
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import (
    lacks_result_images,
    lacks_status,
    parts_results,
    takes_assistant_first,
    takes_prefill,
)
from toolgen_runtime.providers.shared.wire import CallShape
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Text, ToolCall, ToolResult, Turn


def says_nothing(result: ToolResult) -> bool:
    """Return whether a result has no content but blank text."""
    return all(isinstance(b, Text) and not b.text.strip() for b in result.content)


def _blanks(request: Request, content: Sequence[Block]) -> dict[int, RuleId]:
    """Rules 8 and 9."""
    return blanks(content, request.wire) if request.tests(RuleId.EMPTY_TEXT) else {}


def raw_part(part: ToolCall | ToolResult, shape: CallShape) -> dict[str, Any]:
    """Return the native object with the part's own members, for what the neutral form does not tell."""
    value = part.source.value if part.source is not None else {}
    return members_of(value, shape.result_key if isinstance(part, ToolResult) else shape.call_key, shape)


def bad_input(request: Request, call: ToolCall) -> bool:
    """Rule 17: an input that is not an object; or, where arguments are a text, not a text (Mistral takes both)."""
    shape = request.wire.calls
    if is_other_call(call):
        return False
    if shape.text_arguments:
        taken = (str, dict) if request.is_compatible else (str,)
        return call.source is not None and not isinstance(raw_part(call, shape).get(shape.input_key), taken)
    return not isinstance(call.input, dict)


def bad_json(result: ToolResult, shape: CallShape) -> list[int]:
    """Rule 18: the places in a result of JSON that is not an object."""
    if shape.json_blocks:
        return [
            i for i, b in enumerate(result.content) if isinstance(b, Json) and not isinstance(b.value, dict)
        ]
    data = raw_part(result, shape).get(shape.object_key, {}) if shape.object_key else {}
    return [] if isinstance(data, dict) else [0]


def _labels(request: Request, part: ToolCall | ToolResult, place: str) -> Iterator[Violation]:
    """Rules 19 and 35."""
    shape = request.wire.calls
    id_key = shape.result_id_key if isinstance(part, ToolResult) else shape.id_key
    if part.id is None:
        if not shape.ids_optional:
            yield request.broken(RuleId.INVALID_LABEL, f"{place}.{id_key}")
    elif not request.id_rule.legal(part.id):
        rule = RuleId.MISTRAL_ID if request.id_rule.exact else RuleId.INVALID_LABEL
        yield request.broken(rule, f"{place}.{id_key}", (part.id,), part.id)
    if isinstance(part, ToolCall) or part.name is not None or (shape.by_name and not shape.names_optional):
        name = part.name or ""
        if not request.name_rule.legal(name):
            yield request.broken(RuleId.INVALID_LABEL, f"{place}.name", (part.id,), name)


def _call(request: Request, call: ToolCall, place: str) -> Iterator[Violation]:
    yield from _labels(request, call, request.inside(place, request.wire.calls.call_key))
    if bad_input(request, call):
        yield request.broken(RuleId.INPUT_NOT_OBJECT, place, (call.id,))


def _result(request: Request, result: ToolResult, place: str) -> Iterator[Violation]:
    below = request.inside(place, request.wire.calls.result_key)
    yield from _labels(request, result, below)
    for index, rule in _blanks(request, result.content).items():
        yield request.broken(rule, f"{below}.content.{index}")
    if result.is_error and request.tests(RuleId.EMPTY_ERROR) and says_nothing(result):
        yield request.broken(RuleId.EMPTY_ERROR, place, (result.id,))
    for index in bad_json(result, request.wire.calls):
        yield request.broken(
            RuleId.JSON_NOT_OBJECT,
            f"{below}.content.{index}" if request.wire.calls.json_blocks else place,
            (result.id,),
        )
    yield from _for_model(request, result, place)


def _for_model(request: Request, result: ToolResult, place: str) -> Iterator[Violation]:
    """Rules 29 and 30, which depend on the model."""
    images = request.tests(RuleId.RESULT_MEDIA) and lacks_result_images(request.model)
    if images and any(isinstance(b, Media) for b in result.content):
        yield request.broken(RuleId.RESULT_MEDIA, place, (result.id,))
    status = request.tests(RuleId.UNSUPPORTED_FEATURE) and lacks_status(request.model)
    if status and result.is_error is not None:
        yield request.broken(
            RuleId.UNSUPPORTED_FEATURE,
            f"{request.inside(place, request.wire.calls.result_key)}.status",
            (result.id,),
            wording="status",
        )


def shapes(request: Request) -> Iterator[Violation]:
    """Rule 0: what is not of the API's types."""
    for fault in request.malformed:
        yield request.broken(RuleId.MALFORMED, request.place_in(fault.index, fault.path), (), fault.expected)


def blank_prompts(request: Request) -> list[tuple[int, str]]:
    """Return the places of blank texts in a system prompt that is a list of blocks, each with its text."""
    listed = request.system if isinstance(request.system, list) else []
    texts = [(i, b.get("text")) for i, b in enumerate(listed) if isinstance(b, dict)]
    return [(i, text) for i, text in texts if isinstance(text, str) and not text.strip()]


def system(request: Request) -> Iterator[Violation]:
    """Rules 8 and 9 in the system prompt."""
    if request.tests(RuleId.EMPTY_TEXT):
        for index, text in blank_prompts(request):
            place = f"{request.wire.messages.system_key}.{index}"
            yield request.broken(RuleId.BLANK_TEXT if text else RuleId.EMPTY_TEXT, place)


def blocks(request: Request) -> Iterator[Violation]:
    """Yield what can be seen in a block by itself."""
    for index, turn in enumerate(request.turns):
        blank = _blanks(request, turn.blocks)
        for ordinal, block in enumerate(turn.blocks):
            place = request.place(index, ordinal)
            if ordinal in blank:
                yield request.broken(blank[ordinal], place)
            if isinstance(block, ToolCall):
                yield from _call(request, block, place)
            elif isinstance(block, ToolResult):
                yield from _result(request, block, place)


def has_document(block: Block) -> bool:
    """Return whether a block is a document, one in a form of its own included."""
    if isinstance(block, Opaque):
        return isinstance(block.value, dict) and "document" in block.value
    return isinstance(block, Media) and block.kind == "document"


def turns(request: Request) -> Iterator[Violation]:
    """Yield what can be seen in a message by itself: rules 10, 16, 31."""
    for index, turn in enumerate(request.turns):
        place = request.place(index)
        last = index == len(request.turns) - 1
        free = request.wire.messages.empty_last and last and turn.role == "assistant"
        if not turn.blocks and request.tests(RuleId.EMPTY_MESSAGE) and not free:
            yield request.broken(RuleId.EMPTY_MESSAGE, place)
        others = len(turn.blocks) - len(turn.results)
        if request.tests(RuleId.MIXED_RESULTS) and parts_results(request.model) and turn.results and others:
            yield request.broken(RuleId.MIXED_RESULTS, place, tuple(r.id for r in turn.results))
        texts = any(isinstance(b, Text) for b in turn.blocks)
        if request.tests(RuleId.DOCUMENT_WITHOUT_TEXT) and any(map(has_document, turn.blocks)) and not texts:
            yield request.broken(RuleId.DOCUMENT_WITHOUT_TEXT, place)


def starts_wrong(request: Request) -> bool:
    """Rule 13."""
    wrong = request.tests(RuleId.ASSISTANT_FIRST) and not takes_assistant_first(request.model)
    return wrong and not request.stateful and request.turns[0].role == "assistant"


def ends_wrong(request: Request, last: Turn) -> bool:
    """Rule 14; a turn that the server paused while it ran a tool of its own is no prefill."""
    paused = any(is_servers_own(b, request.wire.calls) for b in last.blocks)
    wrong = request.tests(RuleId.ASSISTANT_LAST) and not takes_prefill(request.model)
    return wrong and not paused and last.role == "assistant"


def ends(request: Request) -> Iterator[Violation]:
    """Yield how the conversation begins and ends: rules 13, 14, 15."""
    if not request.turns:
        return
    if starts_wrong(request):
        yield request.broken(RuleId.ASSISTANT_FIRST, request.place(0))
    last = request.turns[-1]
    if last.role != "assistant":
        return
    place = request.place(len(request.turns) - 1)
    if ends_wrong(request, last):
        yield request.broken(RuleId.ASSISTANT_LAST, place)
    final = last.blocks[-1] if last.blocks else None
    if (
        request.tests(RuleId.TRAILING_SPACE)
        and final is not None
        and is_plain_text(final)
        and final.text.strip()
        and final.text != final.text.rstrip()
    ):
        yield request.broken(RuleId.TRAILING_SPACE, place)
