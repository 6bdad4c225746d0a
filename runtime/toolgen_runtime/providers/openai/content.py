"""What Chat Completions messages consist of, at OpenAI and at the many servers that speak its API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.openai.wire import SIGNERS, THINKING_SIGNER, WIRE
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    cache_mark,
    same,
    text_or_none,
    unread,
)
from toolgen_runtime.transcript.messages import (
    Block,
    CachePoint,
    Media,
    Opaque,
    Reasoning,
    Source,
    Text,
    Turn,
)


def decode_part(part: Any, decoding: Decoding) -> Text | Media | Opaque:
    """Return one content part."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return decoding.opaque(part)
    source, cache = decoding.source(part, kind), decoding.cache_point(part)
    text = part.get("refusal" if kind == "refusal" else "text")
    if kind in ("text", "refusal", "guarded_text") and isinstance(text, str):
        return Text(text, source, cache=cache)
    return decoding.media(part) or decoding.opaque(part)


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


def reasoning_of(message: Native) -> tuple[Reasoning, ...]:
    """Return the reasoning in a message of the model."""
    return next(filter(None, (_reasonings(message, member) for member in _REASONING)), ())


def _contradicting(message: Native) -> Iterator[str]:
    """Members with reasoning that the one which was read does not repeat."""
    read = "".join(block.text for block in reasoning_of(message))
    for member in _REASONING:
        if any(block.text not in read for block in _reasonings(message, member)):
            yield member


def beside(message: Native, decoding: Decoding) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return the blocks beside the content of a message: those before it and those after it and its calls."""
    after: list[Block] = []
    refusal, mark = text_or_none(message.get("refusal")), decoding.cache_point(message)
    if refusal is not None:
        after.append(Text(refusal, Source(WIRE.provider, {"refusal": refusal})))
    if mark is not None:
        after.append(mark)
    before = reasoning_of(message) if message.get("role") == "assistant" else ()
    return before, tuple(after)


def source_of(rest: Native, decoding: Decoding) -> Source:
    """Return what remembers a message; of reasoning that is given twice, what was not read is `unread`."""
    source = decoding.source(rest, "message")
    return replace(source, unread=(*source.unread, *_contradicting(rest)))


def is_beside(block: Block) -> bool:
    """Return whether a block of one of our messages stands beside its content."""
    if isinstance(block, Reasoning | CachePoint):
        return True
    value = block.source.value if isinstance(block, Text) and block.source else None
    return isinstance(value, dict) and set(value) == {"refusal"}


def put_beside(rest: Native, turn: Turn, decoding: Decoding) -> Native:
    """Return the message without its content, with what the turn says beside it: as it was, or written afresh.

    A turn that says nothing there leaves the message alone, which may be put right without its blocks.
    """
    before, after = beside(rest, decoding)
    said = tuple(block for block in turn.blocks if is_beside(block))
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
