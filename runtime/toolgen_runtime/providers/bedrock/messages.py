"""Messages to and from Bedrock Converse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.bedrock.media import decode_media, encode_media
from toolgen_runtime.providers.bedrock.wire import SERVER_TOOL_USE, WIRE
from toolgen_runtime.providers.shared.messages.codec import MessageCodec
from toolgen_runtime.providers.shared.messages.encoding import Encoding
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    json_text,
    text_or_none,
)
from toolgen_runtime.providers.shared.messages.texts import joined_text, search_result_text
from toolgen_runtime.providers.shared.tools.changes import Change, decode_change, reference
from toolgen_runtime.transcript.messages import (
    Block,
    CachePoint,
    Json,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolChange,
    ToolResult,
)

_CHANGES: Mapping[str, Change] = {"toolAddition": "added", "toolRemoval": "removed"}
_STATUS = {"error": True, "success": False}


def _reasoning(content: Native, block: Native, decoding: Decoding) -> Reasoning | None:
    text, redacted = content.get("reasoningText"), content.get("redactedContent")
    source = decoding.source(block)
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        return Reasoning(text["text"], text_or_none(text.get("signature")), source=source)
    return Reasoning(redacted=redacted, source=source) if isinstance(redacted, bytes | str) else None


def _text(block: Native) -> str | None:
    """Return the text of a block that is one, or of one that says more of its text than the text."""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if isinstance(cited := block.get("citationsContent"), dict):
        return joined_text(cited.get("content"))
    if isinstance(guarded := block.get("guardContent"), dict) and isinstance(guarded.get("text"), dict):
        return text_or_none(guarded["text"].get("text"))
    found = block.get("searchResult")
    return search_result_text(found) if isinstance(found, dict) else None


def _simple(block: Any, decoding: Decoding) -> Text | Json | Media | Opaque:
    """Return what may stand in a message and in a result alike."""
    if not isinstance(block, dict):
        return decoding.opaque(block)
    text = _text(block)
    if text is not None:
        return Text(text, decoding.source(block))
    guarded = block.get("guardContent")
    holder = guarded if isinstance(guarded, dict) else block
    return decode_media(holder, block, decoding) or decoding.opaque(block)


def _result_block(block: Any, decoding: Decoding) -> Text | Json | Media | Opaque:
    if isinstance(block, dict) and "json" in block and "text" not in block:
        return Json(block["json"], decoding.source(block))
    return _simple(block, decoding)


def _result(result: Native, block: Native, decoding: Decoding) -> ToolResult:
    status = result.get("status")
    content = tuple(_result_block(b, decoding) for b in as_list(result.get("content")))
    error = _STATUS.get(status) if isinstance(status, str) else None
    return decoding.result(result, content, decoding.source(block), is_error=error)


class _Bedrock(MessageCodec):
    wire = WIRE

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        if not isinstance(block, dict):
            return decoding.opaque(block)
        if isinstance(use := block.get("toolUse"), dict):
            if use.get("type") == SERVER_TOOL_USE:  # the server runs it itself, and says what it gave
                return decoding.opaque(block)
            return decoding.call(use, decoding.payload(use, use.get("input")), decoding.source(block))
        if isinstance(result := block.get("toolResult"), dict):
            return decoding.opaque(block) if result.get("type") else _result(result, block, decoding)
        if isinstance(thought := block.get("reasoningContent"), dict):
            return _reasoning(thought, block, decoding) or decoding.opaque(block)
        for key, change in _CHANGES.items():
            tool = block[key].get("tool") if isinstance(block.get(key), dict) else None
            changed = decode_change(change, tool, "serverName", decoding, decoding.source(block))
            if changed is not None:
                return changed
        if isinstance(point := block.get("cachePoint"), dict):
            return CachePoint(text_or_none(point.get("ttl")), decoding.source(block))
        return _simple(block, decoding)

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> tuple[list[Native], Any]:
        return [], self.encode_blocks(prompt, "/system", encoding) or None

    def write_media(self, media: Media) -> Any:
        return encode_media(media)

    def write_cache(self, point: CachePoint, out: list[Any]) -> bool:
        timed = {"ttl": point.ttl} if point.ttl else {}
        out.append({"cachePoint": {"type": "default", **timed}})
        return True

    def write_call(self, call: ToolCall, encoding: Encoding) -> Any:
        return {"toolUse": {"input": encoding.codec.encode_input(call.input, call.name)}}

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        said = (  # rule 18: as JSON only an object
            Text(json_text(b.value)) if isinstance(b, Json) and not isinstance(b.value, dict) else b
            for b in result.content
        )
        content = self.encode_content(replace(result, content=tuple(said)), encoding)
        status = {} if result.is_error is None else {"status": "error" if result.is_error else "success"}
        return {"toolResult": {"content": content, **status}}

    def write_change(self, change: ToolChange, encoding: Encoding) -> list[Any]:
        kind = {word: kind for kind, word in _CHANGES.items()}[change.change]
        return [{kind: {"tool": reference(change, "serverName", encoding)}}]

    def write_reasoning(self, block: Reasoning) -> Any:
        if block.redacted is not None:
            return {"reasoningContent": {"redactedContent": block.redacted}}
        text = {"text": block.text} | ({"signature": block.signature} if block.signature else {})
        return {"reasoningContent": {"reasoningText": text}}


MESSAGES = _Bedrock()
decode_messages = MESSAGES.decode_messages
encode_messages = MESSAGES.encode_messages
"""Converse `messages` and `system`; a system turn of another provider goes to `system`."""
