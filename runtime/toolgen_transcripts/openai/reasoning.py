"""Read and write the reasoning in Chat Completions messages.

OpenAI's own messages have none, but other servers use several fields for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_transcripts.codec.members import Native, as_list, text_or_none, unread
from toolgen_transcripts.messages import Reasoning, Source, native_members
from toolgen_transcripts.openai.wire import SIGNERS, THINKING_SIGNER, WIRE

# These members are not OpenAI's: LiteLLM (`thinking_blocks`), OpenRouter (`reasoning`, `reasoning_details`), DeepSeek,
# Kimi and vLLM (`reasoning_content`) add them and require them back.
REASONING = ("thinking_blocks", "reasoning_details", "reasoning_content", "reasoning")
"""The fields that may contain the reasoning. The first non-empty one is read, and the others repeat it."""

_READ = frozenset({"type", "thinking", "signature", "data", "text", "summary", "format"})


def _detail(detail: Any, member: str) -> Reasoning | None:
    """Return the reasoning in an item of a field: a text with its signature, or the data of a hidden text."""
    if isinstance(detail, str):
        if detail:
            return Reasoning(detail, source=Source(WIRE.provider, {member: detail}))
        return None
    if not isinstance(detail, dict):
        return None
    format = detail.get("format")
    signer = SIGNERS.get(str(format))
    if member == "thinking_blocks":
        signer = THINKING_SIGNER
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
    """Return the reasoning of a message. Only assistant messages have any."""
    if message.get("role") != "assistant":
        return ()
    return next(filter(None, (_reasonings(message, member) for member in REASONING)), ())


def contradicting(message: Native) -> Iterator[str]:
    """Yield the fields whose reasoning is not contained in the field that toolgen reads."""
    read = "".join(block.text for block in reasoning_of(message))
    for member in REASONING:
        if any(block.text not in read for block in _reasonings(message, member)):
            yield member


def repeated(rest: Native, said: Sequence[Reasoning]) -> Native:
    """Return those fields of a message that repeat its reasoning as text, with the current reasoning in them."""
    if not said:
        return {}
    text = "\n".join(block.text for block in said if block.text)
    members = ("reasoning_content", "reasoning")
    return {key: text or rest[key] for key in members if isinstance(rest.get(key), str)}


def put_reasoning(message: Native, block: Reasoning) -> None:
    """Write reasoning to the field that it was read from.

    A text that was not read from a field goes to `reasoning_content`.
    """
    value = native_members(block)
    if "type" in value:
        member = "thinking_blocks" if "thinking" in str(value["type"]) else "reasoning_details"
        message.setdefault(member, []).append(value)
        return
    member = next((key for key in REASONING if key in value), "reasoning_content")
    message[member] = message.get(member, "") + block.text
