"""The tools, steps and responses of Gemini's Interactions API, as the REST API or google-genai's dumps have
them.
"""

from __future__ import annotations

from typing import Any

from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.encoding import Encoding
from toolgen_transcripts.codec.errors import GeminiResponseError
from toolgen_transcripts.codec.items import ItemCodec, thought_of
from toolgen_transcripts.codec.members import Native, at_path
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.gemini_interactions.wire import WIRE
from toolgen_transcripts.messages import Block, Json, Part, Text, ToolResult


class _Interactions(ItemCodec):
    wire = WIRE
    error = GeminiResponseError
    lists_content = True

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        kind = at_path(block, ("type",))
        if kind == "function_call":
            return decoding.call(block, decoding.source(block, kind), absent={})
        if kind == "function_result":
            return self._result(block, decoding)
        if kind == "thought":
            return thought_of(block, "signature", decoding)
        return decoding.opaque(block)

    def _result(self, step: Native, decoding: Decoding) -> ToolResult:
        """Return a result, whose native value is a string, a list of contents, or any object."""
        given = step.get("result")
        content: tuple[Part, ...] = ()
        if isinstance(given, str):
            content = (Text(given),)
        elif isinstance(given, list):
            content = self.parts(given, {}, -1)
        elif given is not None:
            content = (Json(given),)
        flag = step.get("is_error")
        is_error = flag if isinstance(flag, bool) else None
        source = decoding.source(step, "function_result")
        return decoding.result(step, content, source, is_error=is_error)

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        """Convert a result to its native form, with a list of contents, as the documentation shows it."""
        made: Native = {"type": "function_result", "result": self.encode_content(result, encoding) or ""}
        if result.name:
            made["name"] = result.name
        if result.is_error is not None:
            made["is_error"] = result.is_error
        return made

    def find(self, reader: Reader) -> NativeMessage:
        root = reader.root()
        message = reader.message("steps", root)
        if root.get("steps") is None:  # an interaction that failed or is still running
            return message
        for at, step in reader.blocks(root, "steps", ""):
            if step.get("type") not in ("user_input", "function_result"):  # stored ones may repeat the input
                message.native.append(step)
            if step.get("type") == "function_call":
                message.add_call(self.native_call(step, at))
        return message


API = _Interactions()
