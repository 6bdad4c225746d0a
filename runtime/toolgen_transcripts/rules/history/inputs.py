"""Repair inputs of calls and JSON results that must be objects (or, in OpenAI's APIs, text)."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_transcripts.codec.json_values import as_json, json_text
from toolgen_transcripts.codec.wire import CallShape
from toolgen_transcripts.codec.wrapped import encode_input
from toolgen_transcripts.messages import Block, Json, Text, ToolCall, ToolResult, native_value
from toolgen_transcripts.rules.draft import Draft, Spot, each_block
from toolgen_transcripts.rules.matching import members_of
from toolgen_transcripts.rules.rule import BEDROCK, GEMINI, OPENAI, rule, step

INPUT_NOT_OBJECT = rule(
    "input-not-object",
    17,
    "a call's input that is not an object",
    "wrap the input in an object with a marker key",
    "The format of the value at {place}.toolUse.input is invalid. Provide a json object for the field"
    " and try again.",
    anthropic="{place}.tool_use.input: Input should be a valid dictionary",
    openai="Invalid type for '{place}.function.arguments': expected a string.",
    openai_responses="Invalid type for '{place}.arguments': expected a string.",
    gemini="Invalid value at '{place}.function_call.args': expected a Struct.",
    gemini_interactions="Invalid value at '{place}.arguments': expected a Struct.",
    source="vercel/ai#19023",
)


NOT_JSON = rule(
    "not-json",
    68,
    "arguments in the history that are not JSON, for servers that parse them",
    "send an empty object for an empty text; wrap any other text in an object with a marker key",
    "{place}: the arguments of a tool call are not valid JSON",
    r"(?:tool call|tool_calls|arguments).{0,100}(?:not valid|invalid|must be valid) JSON",
    r"Unterminated string starting at: line \d+ column \d+",
    of=OPENAI,
    source="vllm#43995, vllm#47761, hermes-agent#12643",
)


JSON_NOT_OBJECT = rule(
    "json-not-object",
    18,
    "a JSON result that is not an object",
    "send it as text",
    "The format of the value at {place}.json is invalid. Provide a json object for the field and try again.",
    of=BEDROCK | GEMINI,
    gemini="Invalid value at '{place}.function_response.response': expected a Struct.",
    source="aichat#1542",
)


def _native_members(part: ToolCall | ToolResult, shape: CallShape) -> dict[str, Any]:
    """Return the native object with the fields of a call or result, which the neutral form may not have."""
    return members_of(
        native_value(part), shape.result_key if isinstance(part, ToolResult) else shape.call_key, shape
    )


def _call(draft: Draft, at: Spot, call: ToolCall) -> ToolCall:
    """Fix an input that is not an object or, in APIs with arguments as text, not a string."""
    shape = draft.request.wire.calls
    if call.kind != "function":  # its input need not be an object
        return call
    if shape.text_arguments:
        taken = (str, dict) if draft.request.is_compatible else (str,)
        given = _native_members(call, shape).get(shape.input_key)
        if call.source is None:
            return call
        if isinstance(given, str) and draft.request.is_compatible and not _is_json(given):
            draft.fix(NOT_JSON, at, "arguments wrapped in an object", call.id)
            return replace(call, input=encode_input(given) if given.strip() else {}, source=None)
        if isinstance(given, taken):
            return call
        draft.fix(INPUT_NOT_OBJECT, at, "arguments sent as text", call.id)
        made, sent = replace(call, source=None), as_json(call.input)
        # A value that JSON does not have, such as a set in Python, is sent as a text, which such servers cannot parse.
        if draft.request.is_compatible and isinstance(sent, str) and not _is_json(sent):
            return replace(made, input=encode_input(sent))
        return made
    if isinstance(call.input, dict):
        return call
    missing = call.input is None
    action = "missing input sent as {}" if missing else "input wrapped in an object"
    draft.fix(INPUT_NOT_OBJECT, at, action, call.id)
    changed = replace(call, input={} if missing else encode_input(call.input), source=deepcopy(call.source))
    if changed.source is not None:  # keep the block's other members
        _native_members(changed, shape)[shape.input_key] = changed.input
    return changed


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _as_object(draft: Draft, at: Spot, result: ToolResult) -> ToolResult:
    """Fix a JSON value in a result if it must be an object."""
    shape = draft.request.wire.calls
    action = "JSON that is not an object sent as text"
    if shape.object_key and not isinstance(_native_members(result, shape).get(shape.object_key, {}), dict):
        draft.fix(JSON_NOT_OBJECT, at, action, result.id)
        return replace(result, source=None)  # a new native form has the value under a key
    if not shape.json_blocks:
        return result
    content = list(result.content)
    for index, block in enumerate(result.content):
        if isinstance(block, Json) and not isinstance(block.value, dict):
            draft.find(JSON_NOT_OBJECT, draft.request.below(draft.place(at), index), result.id)
            content[index] = Text(json_text(block.value))
    if tuple(content) == result.content:
        return result
    draft.note(JSON_NOT_OBJECT, at, action, result.id)
    return replace(result, content=tuple(content))


@step(
    INPUT_NOT_OBJECT,
    NOT_JSON,
    JSON_NOT_OBJECT,
    after=("orphan-result",),
    why="results without a call are dropped, not repaired",
)
@each_block
def make_objects(draft: Draft, at: Spot, block: Block) -> Block:
    """Convert inputs of calls, and JSON in results, to objects."""
    if isinstance(block, ToolCall):
        return _call(draft, at, block)
    if isinstance(block, ToolResult):
        return _as_object(draft, at, block)
    return block
