"""Items to and from the Responses API."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.openai.messages import arguments, arguments_text, is_custom
from toolgen_runtime.providers.openai_responses.content import (
    decode_part,
    encode_media,
    texts_of,
)
from toolgen_runtime.providers.openai_responses.results import special_result
from toolgen_runtime.providers.openai_responses.tools import DECODER, lower_tools
from toolgen_runtime.providers.openai_responses.wire import CALL_ITEMS, OUTPUTS, TEXT_KINDS, WIRE, is_ours
from toolgen_runtime.providers.shared.messages.codec import text_of
from toolgen_runtime.providers.shared.messages.encoding import Encoding
from toolgen_runtime.providers.shared.messages.items import ItemCodec
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    text_or_none,
)
from toolgen_runtime.providers.shared.tools.changes import decode_definitions, defined_tools
from toolgen_runtime.transcript.messages import (
    Block,
    Media,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolChange,
    ToolResult,
)

_CALLS = {item: kind for item, (kind, _) in CALL_ITEMS.items() if kind in TEXT_KINDS}
_RESULTS = {OUTPUTS[kind]: kind for kind in TEXT_KINDS}


def _call(item: Native, kind: str, decoding: Decoding) -> ToolCall:
    payload = item.get("input")
    if kind == "function":
        payload = arguments(item.get("arguments"), decoding.codec, decoding.name(item))
    return decoding.call(item, payload, decoding.source(item, str(item.get("type"))), kind=kind)


def _reasoning(item: Native, decoding: Decoding) -> Reasoning:
    texts = [*texts_of(item.get("summary")), *texts_of(item.get("content"))]
    signature = text_or_none(item.get("encrypted_content"))
    return Reasoning("\n\n".join(texts), signature, source=decoding.source(item, "reasoning"))


def _tools(item: Native, decoding: Decoding) -> ToolChange | None:
    source = decoding.source(item, "additional_tools")
    return decode_definitions(as_list(item.get("tools")), DECODER, decoding, source)


class _Responses(ItemCodec):
    wire = WIRE

    def decode_part(self, part: Any, source: Source) -> Text | Media | None:
        return decode_part(part, source)

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        kind = str(block.get("type")) if isinstance(block, dict) else ""
        if kind in _CALLS and is_ours(block):
            return _call(block, _CALLS[kind], decoding)
        if kind in _RESULTS:
            return self._result(block, _RESULTS[kind], decoding)
        if kind == "additional_tools":
            return _tools(block, decoding) or decoding.opaque(block)
        return _reasoning(block, decoding) if kind == "reasoning" else decoding.opaque(block)

    def _result(self, item: Native, kind: str, decoding: Decoding) -> ToolResult:
        output = item.get("output")
        content = (Text(output),) if isinstance(output, str) else self.parts(output, {}, -1)
        return decoding.result(item, content, decoding.source(item, "result"), kind=kind)

    def label(self, native: Any, block: ToolCall | ToolResult, encoding: Encoding) -> None:
        encoding.label(native, block)
        if native.get("type") == OUTPUTS["local_shell"]:  # its id is that of the call
            native["id"] = native.pop(WIRE.calls.result_id_key, None)

    def write_media(self, media: Media) -> Any:
        return encode_media(media)

    def write_call(self, call: ToolCall, encoding: Encoding) -> Any:
        inside = {"namespace": call.namespace} if call.namespace else {}
        if is_custom(call):
            return {"type": "custom_tool_call", "input": call.input, **inside}
        return {"type": "function_call", "arguments": arguments_text(call, encoding.codec), **inside}

    def write_change(self, change: ToolChange, encoding: Encoding) -> list[Any]:
        tools = defined_tools(change, lower_tools, encoding)
        return [{"type": "additional_tools", "role": "developer", "tools": tools}]

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        if result.kind not in TEXT_KINDS:
            return special_result(result, text_of(result, encoding) if result.kind != "computer" else "")
        if result.is_error:
            encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
        encoding.role = "user"
        has_media = any(isinstance(b, Media) for b in result.content)
        if has_media:
            output: Any = self.encode_content(result, encoding)
        else:
            output = text_of(result, encoding)
        return {"type": OUTPUTS[result.kind], "output": output}


MESSAGES = _Responses()
decode_messages = MESSAGES.decode_messages
encode_messages = MESSAGES.encode_messages
"""`input` items; `.system` is the `instructions` text."""
