"""The tools, messages and responses of the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_transcripts.anthropic.wire import WIRE
from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.encoding import Encoding, shape_like
from toolgen_transcripts.codec.errors import AnthropicResponseError
from toolgen_transcripts.codec.media import search_result_text
from toolgen_transcripts.codec.members import Native, as_list, text_or_none
from toolgen_transcripts.codec.received_call import ToolUseBlock
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolResult,
)


def _reasoning(block: Native, decoding: Decoding) -> Reasoning | None:
    source = decoding.source(block, str(block.get("type")))
    if block.get("type") == "thinking" and isinstance(block.get("thinking"), str):
        return Reasoning(block["thinking"], text_or_none(block.get("signature")), source=source)
    if block.get("type") == "redacted_thinking" and isinstance(block.get("data"), str):
        return Reasoning(redacted=block["data"], source=source)
    return None


class _Anthropic(ApiCodec[ToolUseBlock]):
    wire = WIRE
    error = AnthropicResponseError
    no_call = "no tool_use block"

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        found = decoding.part(block)
        if found is not None:
            return found
        kind, cache = str(block.get("type")), decoding.cache_point(block)
        if kind == "search_result" and (text := search_result_text(block)) is not None:
            return Text(text, decoding.source(block, kind), cache=cache)
        if kind == "tool_use":
            return decoding.call(block, decoding.source(block, kind), cache=cache)
        if kind == "tool_result":
            return self._result(block, cache, decoding)
        return _reasoning(block, decoding) or decoding.opaque(block)

    def decode_content(self, content: Any, decoding: Decoding) -> tuple[Block, ...]:
        if content == "":  # "": no content
            return ()
        return super().decode_content(content, decoding)

    def _result(self, block: Native, cache: CachePoint | None, decoding: Decoding) -> ToolResult:
        error, given = block.get("is_error"), block.get("content")
        content = tuple(
            b if isinstance(b, Text | Media | Opaque) else decoding.opaque(raw)
            for raw, b in zip(as_list(given), self.decode_content(given, decoding), strict=False)
        )
        is_error = error if isinstance(error, bool) else None
        source = decoding.source(block, "tool_result")
        return decoding.result(block, content, source, is_error=is_error, cache=cache)

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> Any:
        plain = all(isinstance(b, Text) and b.source is None for b in prompt)
        system = self.encode_blocks(prompt, "/system", encoding)
        return shape_like(system, "" if plain else None) or None

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        made: Native = {"type": "tool_result", "content": self.encode_content(result, encoding)}
        if result.is_error is not None:
            made["is_error"] = result.is_error
        return made

    def write_reasoning(self, block: Reasoning) -> Any:
        if isinstance(block.redacted, str):
            return {"type": "redacted_thinking", "data": block.redacted}
        if block.redacted is not None or not block.signature:  # the server requires the signature
            return None
        return {"type": "thinking", "thinking": block.text, "signature": block.signature}

    def find(self, reader: Reader) -> NativeMessage:
        root = reader.root()
        message = reader.message("content", root)
        message.native = [{key: root[key] for key in ("role", "content") if key in root}]
        for at, block in reader.blocks(root, "content", ""):
            if reader.member(block, "type", str, at) == "tool_use":
                message.add_call(self.native_call(block, at))
        return message


API = _Anthropic()
