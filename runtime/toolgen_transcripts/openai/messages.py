"""The tools, messages and responses of Chat Completions, for OpenAI and the many servers that implement its
API.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.decoding import Decoding, cache_mark, is_native, rest_of, sender_of
from toolgen_transcripts.codec.encoding import (
    Encoding,
    only_text,
    text_of,
)
from toolgen_transcripts.codec.errors import OpenAIResponseError
from toolgen_transcripts.codec.json_values import same
from toolgen_transcripts.codec.members import Native, as_list, kind_of_call, text_or_none, without
from toolgen_transcripts.codec.received_call import Fault, NativeCall, ToolUseBlock, call_in
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Media,
    Opaque,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Turn,
    native_members,
)
from toolgen_transcripts.openai.reasoning import (
    REASONING,
    contradicting,
    put_reasoning,
    reasoning_of,
    repeated,
)
from toolgen_transcripts.openai.wire import WIRE


def _call(call: Any, decoding: Decoding) -> ToolCall | Opaque:
    if isinstance(call, dict):
        kind = kind_of_call(call)
        if kind in ("function", "custom") and isinstance(members := call.get(kind), dict):
            source = decoding.source(call, "tool_call")
            return decoding.call({**call, **members}, source, kind=kind, cache=decoding.cache_point(call))
    return decoding.opaque({"tool_call": call})


def _member_of(block: Block) -> str:
    """Return where a message has a block: `content`, `calls`, `other` fields, or messages of their own (`results`)."""
    if isinstance(block, ToolResult):
        return "results"
    members = set(native_members(block))
    if isinstance(block, Reasoning | CachePoint) or (isinstance(block, Text) and members == {"refusal"}):
        return "other"
    if isinstance(block, ToolCall) or members == {"tool_call"}:
        return "calls"
    return "content"


def _last_blocks(message: Native, decoding: Decoding) -> list[Block]:
    """Return the blocks from fields of a message that come after its content and its calls."""
    after: list[Block] = []
    refusal, mark = text_or_none(message.get("refusal")), decoding.cache_point(message)
    if refusal is not None:
        after.append(Text(refusal, Source(WIRE.provider, {"refusal": refusal})))
    if mark is not None:
        after.append(mark)
    return after


def _put_other_blocks(rest: Native, turn: Turn, decoding: Decoding) -> Native:
    """Return a message without its content, with the turn's blocks in its other fields (reasoning, refusal, cache).

    If the turn has no such blocks (a repair may change only the message), or they did not change, return it unchanged.
    """
    said = [block for block in turn.blocks if _member_of(block) == "other"]
    if not said or same([*reasoning_of(rest), *_last_blocks(rest, decoding)], said):
        return rest
    kept = without(rest, *REASONING, "refusal", "cache_control")
    for block in said:
        if isinstance(block, Text):
            kept["refusal"] = block.text
        elif isinstance(block, CachePoint):
            kept["cache_control"] = cache_mark(block)
        elif isinstance(block, Reasoning):
            put_reasoning(kept, block)
    return kept | repeated(rest, [block for block in said if isinstance(block, Reasoning)])


class _Chat(ApiCodec[ToolUseBlock]):
    wire = WIRE
    error = OpenAIResponseError
    no_call = "no call"

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        if isinstance(block, dict):
            if block.get("role") == "tool":
                return self._result(block, decoding)
            if not {"function", "custom"}.isdisjoint(block):
                return _call(block, decoding)
        return decoding.known_or_opaque(block)

    def _result(self, message: Native, decoding: Decoding) -> ToolResult:
        content = self.decode_content(message.get("content"), decoding)
        source = decoding.source(message, "tool_message")
        return decoding.result(message, content, source, cache=decoding.cache_point(message))

    def decode_content(self, content: Any, decoding: Decoding) -> tuple[Text | Media | Opaque, ...]:
        if isinstance(content, str):
            return (Text(content),)
        return tuple(map(decoding.known_or_opaque, as_list(content)))

    def decode_turn(self, message: Native, decoding: Decoding) -> Turn:
        role = decoding.role_of(message)
        if role == "tool":
            return Turn(role, (self._result(message, decoding),), decoding.source({}))
        content = self.decode_content(message.get("content"), decoding)
        blocks: list[Block] = [*reasoning_of(message), *content]
        rest, calls = message, message.get("tool_calls")
        if role == "assistant" and isinstance(calls, list) and calls:
            blocks += (_call(call, decoding) for call in calls)
            rest = without(message, "tool_calls")
        source = decoding.source(rest, "message")
        source = replace(source, unread=(*source.unread, *contradicting(rest)))
        return Turn(role, (*blocks, *_last_blocks(message, decoding)), source)

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        rest = _put_other_blocks(rest_of(turn, WIRE.provider) or {}, turn, encoding)
        encode = self._assistant if turn.role == "assistant" else self._other
        return encode(turn, rest, f"/turns/{index}/blocks", encoding)

    def _in_member(self, blocks: Sequence[Block], member: str, place: str, encoding: Encoding) -> list[Any]:
        return self.encode_blocks(blocks, place, encoding, lambda block: _member_of(block) == member)

    def _content(self, blocks: Sequence[Block], was: object, place: str, encoding: Encoding) -> Any:
        """Return the content as parts if it was a list.

        Otherwise, return a string if it is a single text, or None if it is empty.
        """
        parts = self._in_member(blocks, "content", place, encoding)
        text = only_text(parts)
        if isinstance(was, list) or (parts and text is None):
            return parts
        return text

    def _assistant(self, turn: Turn, rest: Native, place: str, encoding: Encoding) -> list[Native]:
        content = self._content(turn.blocks, rest.get("content"), place, encoding)
        if content is not None or "content" in rest or "role" not in rest:
            rest = {**rest, "content": content}
        message = {**rest, "role": "assistant"}
        calls = self._in_member(turn.blocks, "calls", place, encoding)
        if calls:
            message["tool_calls"] = [each.get("tool_call", each) for each in calls]
        for ordinal, block in enumerate(turn.blocks):
            if isinstance(block, ToolResult):  # the result of a call that the server ran itself
                encoding.at = f"{place}/{ordinal}"
                encoding.dropped(block)
        return [message]

    def _other(self, turn: Turn, rest: Native, place: str, encoding: Encoding) -> list[Native]:
        """Return the messages of a user or system turn: first one for each result, then one for the other blocks."""
        out = self._in_member(turn.blocks, "results", place, encoding)
        foreign = [result for result in turn.results if not is_native(result, WIRE.provider)]
        media = [block for result in foreign for block in result.content if isinstance(block, Media)]
        if media:
            why = "media of a tool's result: moved to a user message after the results"
            encoding.lose("media-moved", why)
        if media or not out or len(turn.results) < len(turn.blocks):
            content = self._content((*turn.blocks, *media), rest.get("content"), place, encoding)
            if content is None:  # an empty content stays what it was
                content = rest.get("content", "") and ""
            out.append({"role": sender_of(turn), **rest, "content": content})
        return out

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        if result.is_error:
            encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
        said = tuple(block for block in result.content if not isinstance(block, Media))
        return {"role": "tool", "content": text_of(replace(result, content=said), encoding)}

    def native_call(self, block: Native, at: str) -> NativeCall:
        kind = block.get("type") or "function"
        if kind == "custom":
            found = call_in(block, at, WIRE, kind)
            return replace(found, arguments=replace(found.arguments, key="input"), kind=kind)
        found = call_in(block, at, WIRE, "function")
        if kind != "function":
            found = replace(found, faults=(Fault(f"{at}.type", "not a function call"),))
        return found

    def find(self, reader: Reader) -> NativeMessage:
        choices = list(reader.blocks(reader.root(), "choices", ""))
        if not choices:
            reader.fail(Fault("choices", "empty"))
        at, choice = choices[0]
        place = f"{at}.message"
        message = reader.message(f"{place}.tool_calls", choice, at)
        if choice.get("message") is None and message.why:  # Azure's content filter omits the message
            return message
        holder = reader.member(choice, "message", dict, at)
        message.native = [holder]
        if holder.get("tool_calls") is not None:
            blocks = reader.blocks(holder, "tool_calls", place)
            message.calls = [self.native_call(call, here) for here, call in blocks]
        return message


API = _Chat()
