"""The tools, messages and responses of Bedrock Converse, and Claude's responses from InvokeModel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolgen_transcripts.bedrock.wire import SERVER_TOOL_USE, UNKNOWN_MEMBER, WIRE
from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.encoding import Encoding
from toolgen_transcripts.codec.errors import BedrockResponseError
from toolgen_transcripts.codec.media import joined_text, search_result_text
from toolgen_transcripts.codec.members import Native, as_list, at_path, text_or_none
from toolgen_transcripts.codec.received_call import Fault, Member, NativeCall, ToolUseBlock, call_in
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Json,
    Part,
    Reasoning,
    Text,
    ToolResult,
)


def _reasoning(content: Native, block: Native, decoding: Decoding) -> Reasoning | None:
    text, redacted = content.get("reasoningText"), content.get("redactedContent")
    source = decoding.source(block)
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        return Reasoning(text["text"], text_or_none(text.get("signature")), source=source)
    if isinstance(redacted, bytes | str):
        return Reasoning(redacted=redacted, source=source)
    return None


def _text(block: Native) -> str | None:
    """Return the text of a text block, or of a block with citations, guarded text or a search result."""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if isinstance(cited := block.get("citationsContent"), dict):
        return joined_text(cited.get("content"))
    if isinstance(found := block.get("searchResult"), dict):
        return search_result_text(found)
    return text_or_none(at_path(block, ("guardContent", "text", "text")))


def _simple(block: Any, decoding: Decoding) -> Part:
    """Return a block of a kind that both messages and results may contain."""
    if not isinstance(block, dict):
        return decoding.opaque(block)
    text = _text(block)
    if text is not None:
        return Text(text, decoding.source(block))
    return decoding.media(block) or decoding.opaque(block)


def _result_block(block: Any, decoding: Decoding) -> Part:
    if isinstance(block, dict) and "json" in block and "text" not in block:
        return Json(block["json"], decoding.source(block))
    return _simple(block, decoding)


def _result(result: Native, block: Native, decoding: Decoding) -> ToolResult:
    content = tuple(_result_block(b, decoding) for b in as_list(result.get("content")))
    error = {"error": True, "success": False}.get(str(result.get("status")))
    return decoding.result(result, content, decoding.source(block), is_error=error)


class _Bedrock(ApiCodec[ToolUseBlock]):
    wire = WIRE
    error = BedrockResponseError
    no_call = "no tool use block"

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        if isinstance(use := block.get("toolUse"), dict):
            if use.get("type") == SERVER_TOOL_USE:  # the server runs it and returns the result
                return decoding.opaque(block)
            return decoding.call(use, decoding.source(block))
        if isinstance(result := block.get("toolResult"), dict):
            if result.get("type"):
                return decoding.opaque(block)
            return _result(result, block, decoding)
        if isinstance(thought := block.get("reasoningContent"), dict):
            return _reasoning(thought, block, decoding) or decoding.opaque(block)
        if isinstance(point := block.get("cachePoint"), dict):
            return CachePoint(text_or_none(point.get("ttl")), decoding.source(block))
        return _simple(block, decoding)

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        made: Native = {"content": self.encode_content(result, encoding)}
        if result.is_error is not None:
            made["status"] = "error" if result.is_error else "success"
        return {"toolResult": made}

    def write_reasoning(self, block: Reasoning) -> Any:
        if block.redacted is not None:
            return {"reasoningContent": {"redactedContent": block.redacted}}
        text = {"text": block.text}
        if block.signature:
            text["signature"] = block.signature
        return {"reasoningContent": {"reasoningText": text}}

    def native_call(self, block: Native, at: str) -> NativeCall | None:
        if "toolUse" in block:
            if at_path(block, ("toolUse", "type")) == SERVER_TOOL_USE:
                return None
            return call_in(block, at, WIRE, "toolUse")
        if block.get("type") != "tool_use":
            return None
        own_id = "toolUseId" if at.startswith("output") else "id"  # InvokeModel has Anthropic's names
        key = next((k for k in ("toolUseId", "id") if k in block), own_id)
        return replace(call_in(block, at, WIRE), id=Member(block, key, at, "toolUseId"))

    def find(self, reader: Reader) -> NativeMessage:
        holder, at, place = reader.root(), "", "content"
        stop_key = "stop_reason"  # of InvokeModel
        if "output" in holder or WIRE.stop_key in holder:
            stop_key = WIRE.stop_key
        message = reader.message(place, holder, stop_key=stop_key)
        if "output" in holder or "content" not in holder:
            output, at = reader.member(holder, "output", dict, ""), "output.message"
            holder = reader.member(output, "message", dict, "output")
            message.place = f"{at}.{place}"
        message.native = [{key: holder[key] for key in ("role", "content") if key in holder}]
        for here, block in reader.blocks(holder, "content", at):
            if UNKNOWN_MEMBER in block:
                what = "a kind of block that this version of the SDK does not know"
                message.faults.append(Fault(f"{here}.{UNKNOWN_MEMBER}", what))
            else:
                message.add_call(self.native_call(block, here))
        return message


API = _Bedrock()
