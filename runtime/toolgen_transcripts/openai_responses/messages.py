"""The tools, items and responses of OpenAI's Responses API."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.validation.issues import MISSING
from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.encoding import (
    Encoding,
    text_of,
)
from toolgen_transcripts.codec.errors import OpenAIResponseError
from toolgen_transcripts.codec.items import ItemCodec, thought_of
from toolgen_transcripts.codec.members import Native, at_path, text_or_none
from toolgen_transcripts.codec.received_call import (
    Fault,
    Member,
    NativeCall,
    ReceivedCall,
    json_text_of,
    read_text,
)
from toolgen_transcripts.codec.responses import NativeMessage, Reader
from toolgen_transcripts.messages import Block, Json, Media, Source, Text, ToolResult
from toolgen_transcripts.openai_responses.wire import (
    CALL_ITEMS,
    OUTPUTS,
    REQUEST_ITEMS,
    TEXT_KINDS,
    WIRE,
    input_key,
    is_ours,
    is_request,
    item_is_whole,
    stop_of,
)


def special_result(result: ToolResult, text: str) -> Native | None:
    """Return the item for a result whose kind has its own type of item; None for any other result."""
    failed = result.is_error is True
    match result.kind:
        case "shell":
            outcome = {"type": "exit", "exit_code": int(failed)}
            shown: Native = {"stdout": "", "stderr": "", "outcome": outcome}
            shown["stderr" if failed else "stdout"] = text
            return {"type": OUTPUTS["shell"], "output": [shown]}
        case "local_shell":
            return {"type": OUTPUTS["local_shell"], "output": text}
        case "apply_patch":
            status = "failed" if failed else "completed"
            return {"type": OUTPUTS["apply_patch"], "status": status, "output": text}
        case "tool_search":
            tools: list[Any] = [b.value for b in result.content if isinstance(b, Json)]
            if len(tools) == 1 and isinstance(tools[0], list):
                (tools,) = tools
            return {"type": "tool_search_output", "execution": "client", "tools": tools}
    return None


def _screenshot(result: ToolResult) -> Native | None:
    """Return the item with the first image of a result; None if it has no image."""
    image = next((b for b in result.content if isinstance(b, Media) and b.kind == "image"), None)
    if image is None or (part := API.write_media(image)) is None:
        return None
    shown = {key: part[key] for key in ("image_url", "file_id") if key in part}
    return {"type": OUTPUTS["computer"], "output": {"type": "computer_screenshot", **shown}}


_CALLS = {item: kind for item, (kind, _) in CALL_ITEMS.items() if kind in TEXT_KINDS}
_RESULTS = {OUTPUTS[kind]: kind for kind in TEXT_KINDS}


def _request(item: Native) -> ReceivedCall:
    kind, id_key = REQUEST_ITEMS[item["type"]]
    given = item.get("arguments")
    text = given if isinstance(given, str) else json_text_of(given) or ""
    payload, issues = read_text(text)
    id, name = text_or_none(item.get(id_key)), text_or_none(item.get("name")) or kind
    return ReceivedCall(id, name, text, payload, issues, source=Source(WIRE.provider, item), kind=kind)


class _Responses(ItemCodec):
    wire = WIRE
    error = OpenAIResponseError

    def read_requests(self, response: object) -> list[ReceivedCall]:
        """Return what a response asks for besides calls of the caller's tools: approvals of MCP calls, and
        searches for tools.

        The `kind` is `tool_search` or `mcp_approval`. A response to the latter has the request's `id` as
        `approval_request_id`.

        Raises:
            OpenAIResponseError: the response does not have the API's structure.
        """
        reader = Reader(response, self)
        return [_request(item) for _, item in reader.blocks(reader.root(), "output", "") if is_request(item)]

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        kind = str(at_path(block, ("type",)))
        if kind in _CALLS and is_ours(block):
            return decoding.call(block, decoding.source(block, kind), kind=_CALLS[kind])
        if kind in _RESULTS:
            return self._result(block, _RESULTS[kind], decoding)
        if kind == "reasoning":
            return thought_of(block, "encrypted_content", decoding)
        return decoding.opaque(block)

    def _result(self, item: Native, kind: str, decoding: Decoding) -> ToolResult:
        output = item.get("output")
        content = self.parts(output, {}, -1)
        if isinstance(output, str):
            content = (Text(output),)
        return decoding.result(item, content, decoding.source(item, "result"), kind=kind)

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        if result.kind == "computer":
            return _screenshot(result)
        if result.kind not in TEXT_KINDS:
            return special_result(result, text_of(result, encoding))
        if result.is_error:
            encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
        encoding.role = "user"
        has_media = any(isinstance(b, Media) for b in result.content)
        output = self.encode_content(result, encoding) if has_media else text_of(result, encoding)
        return {"type": OUTPUTS[result.kind], "output": output}

    def native_call(self, block: Native, at: str) -> NativeCall | None:
        if not is_ours(block):
            return None
        cut = Fault(f"{at}.{WIRE.stop_key}", "its item is incomplete and may be cut")
        kind = CALL_ITEMS[block["type"]][0]
        named = kind in TEXT_KINDS
        return NativeCall(
            id=Member(block, "call_id", at),
            name=Member(block, "name", at) if named else None,
            arguments=Member(block, input_key(block), at),
            as_text=named,
            kind=kind,
            native=block,
            cut=None if item_is_whole(block) else cut,
        )

    def find(self, reader: Reader) -> NativeMessage:
        root = reader.root()
        message = reader.message("output", {WIRE.stop_key: stop_of(root, MISSING)})
        for at, item in reader.blocks(root, "output", ""):
            message.native.append(item)
            message.add_call(self.native_call(item, at))
        return message


API = _Responses()
