"""Tools, messages and responses of Chat Completions, at OpenAI and at the many servers that speak its API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.openai.wire import SIGNERS, THINKING_SIGNER, WIRE
from toolgen_runtime.providers.shared.errors import OpenAIResponseError
from toolgen_runtime.providers.shared.messages.codec import (
    ApiCodec,
    arguments,
    arguments_text,
    is_custom,
    only_text,
    text_of,
    without_media,
)
from toolgen_runtime.providers.shared.messages.encoding import Encoding
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    cache_mark,
    is_native,
    rest_of,
    same,
    text_or_none,
    unread,
    without,
)
from toolgen_runtime.providers.shared.received_call import ToolUseBlock
from toolgen_runtime.providers.shared.responses import (
    Fault,
    Member,
    NativeCall,
    NativeMessage,
    Reader,
)
from toolgen_runtime.transcript.messages import (
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
)
from toolgen_runtime.validation.issues import MISSING


def _call(call: Native, decoding: Decoding) -> ToolCall | Opaque:
    kind = "function" if call.get("type") is None else call["type"]
    members = call.get(kind) if isinstance(kind, str) else None
    if not isinstance(members, dict) or kind not in ("function", "custom"):
        return decoding.opaque({"tool_call": call})
    payload = members.get("input")
    if kind == "function":
        payload = arguments(members.get("arguments"), decoding.codec, decoding.name(members))
    named = {**call, "name": members.get("name")}
    source = decoding.source(call, "tool_call")
    return decoding.call(named, payload, source, kind=kind, cache=decoding.cache_point(call))


def _part(part: Any, decoding: Decoding) -> Text | Media | Opaque:
    return (decoding.part(part) if isinstance(part, dict) else None) or decoding.opaque(part)


def _is_call(block: Block) -> bool:
    return isinstance(block, ToolCall) or (
        isinstance(block, Opaque)
        and block.provider == WIRE.provider
        and isinstance(block.value, dict)
        and set(block.value) == {"tool_call"}
    )


def _native_call(call: dict[str, Any], at: str) -> NativeCall:
    faults = []
    kind = "custom" if call.get("type") == "custom" else "function"
    holder = Member(call, kind, at)
    if (call.get("type") or kind) != kind:
        faults.append(Fault(f"{at}.type", "not a function call"))
    elif wrong := holder.wrong_kind(dict):
        faults.append(wrong)
    inner = holder.value if isinstance(holder.value, dict) else {}
    return NativeCall(
        id=Member(call, "id", at),
        name=Member(inner, "name", holder.path),
        arguments=Member(inner, "input" if kind == "custom" else "arguments", holder.path),
        as_text=True,
        faults=tuple(faults),
        kind=kind,
        native=call,
    )


# Beside its content OpenAI's own message has a refusal. The other members are what LiteLLM (`thinking_blocks`),
# OpenRouter (`reasoning`, `reasoning_details`), DeepSeek, Kimi and vLLM (`reasoning_content`) put there and want back.
_REASONING = ("thinking_blocks", "reasoning_details", "reasoning_content", "reasoning")
"""The members that may hold the reasoning; the first that says anything does, the others repeat it."""

_READ = frozenset({"type", "thinking", "signature", "data", "text", "summary", "format"})


def _detail(detail: Any, member: str) -> Reasoning | None:
    """Return a reasoning text with its signature, or what stands in for a text that is hidden."""
    if isinstance(detail, str):
        return Reasoning(detail, source=Source(WIRE.provider, {member: detail})) if detail else None
    if not isinstance(detail, dict):
        return None
    format = detail.get("format")
    signer = THINKING_SIGNER if member == "thinking_blocks" else SIGNERS.get(str(format))
    texts = (text_or_none(detail.get(key)) for key in ("thinking", "text", "summary"))
    text = next(filter(None, texts), "")
    signature, hidden = text_or_none(detail.get("signature")), text_or_none(detail.get("data"))
    if not (text or signature or hidden):
        return None
    source = Source(WIRE.provider, detail, unread(detail, _READ))
    return Reasoning(text, signature, hidden, source, signed_by=signer)


def _reasonings(message: Native, member: str) -> tuple[Reasoning, ...]:
    found = (_detail(detail, member) for detail in as_list(message.get(member)))
    return tuple(block for block in found if block is not None)


def _reasoning_of(message: Native) -> tuple[Reasoning, ...]:
    """Return the reasoning in a message of the model."""
    return next(filter(None, (_reasonings(message, member) for member in _REASONING)), ())


def _contradicting(message: Native) -> Iterator[str]:
    """Members with reasoning that the one which was read does not repeat."""
    read = "".join(block.text for block in _reasoning_of(message))
    for member in _REASONING:
        if any(block.text not in read for block in _reasonings(message, member)):
            yield member


def _beside(message: Native, decoding: Decoding) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return the blocks beside the content of a message: those before it and those after it and its calls."""
    after: list[Block] = []
    refusal, mark = text_or_none(message.get("refusal")), decoding.cache_point(message)
    if refusal is not None:
        after.append(Text(refusal, Source(WIRE.provider, {"refusal": refusal})))
    if mark is not None:
        after.append(mark)
    before = _reasoning_of(message) if message.get("role") == "assistant" else ()
    return before, tuple(after)


def _source_of(rest: Native, decoding: Decoding) -> Source:
    """Return what remembers a message; of reasoning that is given twice, what was not read is `unread`."""
    source = decoding.source(rest, "message")
    return replace(source, unread=(*source.unread, *_contradicting(rest)))


def _is_beside(block: Block) -> bool:
    """Return whether a block of one of our messages stands beside its content."""
    if isinstance(block, Reasoning | CachePoint):
        return True
    value = block.source.value if isinstance(block, Text) and block.source else None
    return isinstance(value, dict) and set(value) == {"refusal"}


def _put_beside(rest: Native, turn: Turn, decoding: Decoding) -> Native:
    """Return the message without its content, with what the turn says beside it: as it was, or written afresh.

    A turn that says nothing there leaves the message alone, which may be put right without its blocks.
    """
    before, after = _beside(rest, decoding)
    said = tuple(block for block in turn.blocks if _is_beside(block))
    if not said or same((*before, *after), said):
        return rest
    kept = {key: value for key, value in rest.items() if key not in (*_REASONING, "refusal", "cache_control")}
    for block in said:
        if isinstance(block, Text):
            kept["refusal"] = block.text
        elif isinstance(block, CachePoint):
            kept["cache_control"] = cache_mark(block)
        elif isinstance(block, Reasoning):
            _put_reasoning(kept, block)
    return kept | _repeated(rest, [block for block in said if isinstance(block, Reasoning)])


def _repeated(rest: Native, said: Sequence[Reasoning]) -> Native:
    """Return the members in which a message has its reasoning once more as one text, with what it is now."""
    text = "\n".join(block.text for block in said if block.text)
    members = ("reasoning_content", "reasoning") if said else ()
    return {key: text or rest[key] for key in members if isinstance(rest.get(key), str)}


def _put_reasoning(message: Native, block: Reasoning) -> None:
    """Write reasoning into the member that it was read from; a text by itself is `reasoning_content`."""
    value = block.source.value if block.source is not None else {}
    if "type" in value:
        member = "thinking_blocks" if "thinking" in str(value["type"]) else "reasoning_details"
        message.setdefault(member, []).append(value)
        return
    member = next((key for key in _REASONING if key in value), "reasoning_content")
    message[member] = message.get(member, "") + block.text


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
        return _part(block, decoding)

    def _result(self, message: Native, decoding: Decoding) -> ToolResult:
        content = self.decode_content(message.get("content"), decoding)
        source = decoding.source(message, "tool_message")
        return decoding.result(message, content, source, named=True, cache=decoding.cache_point(message))

    def decode_content(self, content: Any, decoding: Decoding) -> tuple[Text | Media | Opaque, ...]:
        if isinstance(content, str):
            return (Text(content),)
        return tuple(_part(part, decoding) for part in as_list(content))

    def decode_turn(self, message: Native, decoding: Decoding) -> Turn:
        message = deepcopy(message)
        role = decoding.role_of(message)
        if role == "tool":
            return Turn(role, (self._result(message, decoding),), decoding.source({}))
        before, after = _beside(message, decoding)
        blocks: tuple[Block, ...] = (*before, *self.decode_content(message.get("content"), decoding))
        calls = message.get("tool_calls") if role == "assistant" else None
        taken = ["tool_calls"] if isinstance(calls, list) and calls else []
        if isinstance(calls, list):
            blocks += tuple(
                _call(c, decoding) if isinstance(c, dict) else decoding.opaque({"tool_call": c})
                for c in calls
            )
        return Turn(role, (*blocks, *after), _source_of(without(message, *taken), decoding))

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> tuple[list[Native], Any]:
        parts = self.encode_blocks(prompt, "/system", encoding)
        text = "\n\n".join(part["text"] for part in parts if isinstance(part, dict) and "text" in part)
        return [{"role": "system", "content": text}] if text else [], None

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        rest = _put_beside(rest_of(turn, WIRE.provider) or {}, turn, encoding)
        encode = self._assistant if turn.role == "assistant" else self._other
        return encode(turn, rest, f"/turns/{index}/blocks", encoding)

    def _spoken(self, blocks: Sequence[Block], was: object, place: str, encoding: Encoding) -> Any:
        """Return the content: a text where it was one or holds one, None for nothing, otherwise parts."""
        parts: list[Any] = []
        for ordinal, block in enumerate(blocks):
            if not _is_beside(block) and not _is_call(block) and not isinstance(block, ToolResult):
                encoding.at = f"{place}/{ordinal}"
                parts += self.encode_block(block, encoding)
        if not parts:
            return [] if isinstance(was, list) else None
        text = only_text(parts)
        return parts if text is None or isinstance(was, list) else text

    def _assistant(self, turn: Turn, rest: Native, place: str, encoding: Encoding) -> list[Native]:
        content = self._spoken(turn.blocks, rest.get("content"), place, encoding)
        if content is not None or "content" in rest or "role" not in rest:
            rest = {**rest, "content": content}
        calls: list[Any] = []
        for ordinal, block in enumerate(turn.blocks):
            encoding.at = f"{place}/{ordinal}"
            if isinstance(block, Opaque) and _is_call(block):
                calls.append(deepcopy(block.value["tool_call"]))
            elif isinstance(block, ToolCall):
                calls += self.encode_block(block, encoding)
            elif isinstance(block, ToolResult):  # what the server ran for the model itself
                encoding.dropped(block)
        return [{**rest, "role": "assistant"} | ({"tool_calls": calls} if calls else {})]

    def _other(self, turn: Turn, rest: Native, place: str, encoding: Encoding) -> list[Native]:
        """Return a user's or system turn: results as messages of their own first, then the rest."""
        out: list[Native] = []
        media: list[Block] = []
        for ordinal, block in enumerate(turn.blocks):
            encoding.at = f"{place}/{ordinal}"
            if isinstance(block, ToolResult):
                out += self.encode_block(block, encoding)
                if not is_native(block, WIRE.provider):
                    media += [b for b in block.content if isinstance(b, Media)]
        if media:
            encoding.lose(
                "media-moved", "media of a tool's result: moved to a user message after the results"
            )
        spoken = [b for b in turn.blocks if not isinstance(b, ToolResult)]
        if spoken or media or not out:
            content = self._spoken((*turn.blocks, *media), rest.get("content"), place, encoding)
            role = "user" if turn.role == "tool" else turn.role
            empty = rest.get("content", "") and ""
            out.append({"role": role, **rest, "content": empty if content is None else content})
        return out

    def label(self, native: Any, block: ToolCall | ToolResult, encoding: Encoding) -> None:
        if isinstance(block, ToolResult):
            encoding.label(native, block)
            if "name" in native and block.name:
                native["name"] = encoding.codec.encode_name(block.name)
            return
        if block.id is not None:
            native[WIRE.calls.id_key] = encoding.codec.encode_id(block.id)
        if block.name:
            holder = next(native[key] for key in ("custom", "function") if key in native)
            holder["name"] = encoding.codec.encode_name(block.name)

    def write_cache(self, point: CachePoint, out: list[Any]) -> bool:
        """Only for those who had it so: OpenAI itself has no cache points."""
        if point.source is None or point.source.provider != WIRE.provider or not out:
            return False
        out[-1]["cache_control"] = cache_mark(point)
        return True

    def write_call(self, call: ToolCall, encoding: Encoding) -> Any:
        if is_custom(call):
            return {"type": "custom", "custom": {"input": call.input}}
        text = arguments_text(call, encoding.codec)
        return {"type": "function", "function": {"arguments": text}}

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        if result.is_error:
            encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
        return {"role": "tool", "content": text_of(without_media(replace(result, id=None)), encoding)}

    def find(self, reader: Reader) -> NativeMessage:
        choices = list(reader.blocks(reader.root(), "choices", ""))
        if not choices:
            reader.fail(Fault("choices", "empty"))
        at, choice = choices[0]
        place = f"{at}.message"
        stop = choice.get(WIRE.stop_key, MISSING)
        message = reader.message(f"{place}.tool_calls", stop, f"{at}.{WIRE.stop_key}")
        if choice.get("message") is None and message.why:  # Azure's filter leaves the message out
            return message
        holder = reader.member(choice, "message", dict, at)
        message.native = [holder]
        if holder.get("tool_calls") is not None:
            blocks = reader.blocks(holder, "tool_calls", place)
            message.calls = [_native_call(call, here) for here, call in blocks]
        return message


API = _Chat()
