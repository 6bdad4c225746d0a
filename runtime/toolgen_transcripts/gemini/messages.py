"""The tools, contents and responses of Gemini's generateContent, as the REST API or google-genai's dumps have
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.encoding import Encoding
from toolgen_transcripts.codec.errors import GeminiResponseError
from toolgen_transcripts.codec.json_values import as_json
from toolgen_transcripts.codec.members import Native, as_list, text_or_none
from toolgen_transcripts.codec.received_call import Fault, UnnumberedToolUse
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.gemini.wire import WIRE, camel, camel_name, either, finish_reason
from toolgen_transcripts.messages import (
    Block,
    Json,
    Part,
    Reasoning,
    Text,
    ToolResult,
)

_WRAPPED = ({"error"}, {"output"})
"""The fields of a response that is not an object."""


def _result(given: Native, part: Native, decoding: Decoding) -> ToolResult:
    """Return a result.

    By Gemini's convention, `{"output": ...}` is a result, `{"error": ...}` an error, and all else data.
    """
    response = given.get("response")
    value, is_error = response, None
    if isinstance(response, dict) and set(response) in _WRAPPED:
        ((key, value),) = response.items()
        is_error = key == "error" or None
    content: tuple[Part, ...] = ()
    if isinstance(value, str):
        content = (Text(value),)
    elif response is not None:
        content = (Json(value),)
    for shown in as_list(given.get("parts")):
        content += (decoding.media(shown) or decoding.opaque(shown),)
    return decoding.result(given, content, decoding.source(part), is_error=is_error)


def _blocked(reader: Reader, root: Native) -> NativeMessage | None:
    """Return the empty message of a response to a blocked prompt; None for any other response."""
    feedback = camel(either(root, "promptFeedback"))
    if not isinstance(feedback, dict) or root.get("candidates"):
        return None
    message = reader.message("candidates", feedback, "promptFeedback", "blockReason")
    if message.reason is None:
        return None
    message.faults.append(Fault(message.stop, f"the prompt was blocked ({message.reason[:60]})"))
    message.blocked = True
    return message


class _Gemini(ApiCodec[UnnumberedToolUse]):
    wire = WIRE
    error = GeminiResponseError

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        if isinstance(block.get("text"), str):
            if block.get("thought") is not True:
                return Text(block["text"], decoding.source(block))
            signature = text_or_none(either(block, "thoughtSignature"))
            return Reasoning(block["text"], signature, source=decoding.source(block, "thought"))
        call, result = either(block, "functionCall"), either(block, "functionResponse")
        if isinstance(call, dict):
            return decoding.call(call, decoding.source(block), absent={})
        if isinstance(result, dict):
            return _result(result, block, decoding)
        return decoding.media(block) or decoding.opaque(block)

    def decode_content(self, content: Any, decoding: Decoding) -> tuple[Block, ...]:
        is_whole = isinstance(content, Mapping) and not content.keys().isdisjoint({"role", "parts"})
        return super().decode_content(content.get("parts") if is_whole else content, decoding)

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> Any:
        parts = super().encode_system(prompt, encoding)
        return parts and {"parts": parts}

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        """Convert a result to its native form, with media in `parts`, outside the `response`."""
        native = self.encode_content(result, encoding)
        parts = [part for part in native if "text" not in part]
        text = "\n".join(part["text"] for part in native if "text" in part)
        data = [block for block in result.content if isinstance(block, Json)]
        response = {"error" if result.is_error else "output": text}
        if data and len(native) == 1 and not result.is_error:
            response = as_json(data[0].value)
            if not isinstance(response, dict) or set(response) in _WRAPPED:  # it would be ambiguous
                response = {"output": response}
        members: Native = {"response": response}
        if parts:
            members["parts"] = parts
        return {"functionResponse": members}

    def find(self, reader: Reader) -> NativeMessage:
        root = reader.root()
        if blocked := _blocked(reader, root):
            return blocked
        candidates = list(reader.blocks(root, "candidates", ""))
        if not candidates:
            reader.fail(Fault("candidates", "empty"))
        at, candidate = candidates[0]
        place, members = f"{at}.content", {camel_name(key): value for key, value in candidate.items()}
        if WIRE.stop_key in members:
            members[WIRE.stop_key] = finish_reason(members)
        message = reader.message(f"{place}.parts", members, at)
        content = candidate.get("content")
        if content is None:  # the model said nothing
            return message
        content = reader.as_kind(content, dict, place)
        message.native = [content]
        if content.get("parts") is None:
            return message
        for here, part in reader.blocks(content, "parts", place):
            if either(part, "functionCall") is not None:
                message.add_call(self.native_call(part, here))
        return message


API = _Gemini()
