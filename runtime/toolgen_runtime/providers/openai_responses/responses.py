"""Reading the calls of a Responses API response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.openai_responses.wire import (
    CALL_ITEMS,
    REQUEST_ITEMS,
    TEXT_KINDS,
    WIRE,
    input_key,
    is_ours,
    is_request,
    item_is_whole,
    stop_of,
)
from toolgen_runtime.providers.shared.errors import OpenAIResponseError
from toolgen_runtime.providers.shared.messages.native import text_or_none
from toolgen_runtime.providers.shared.received_call import ReceivedCall, json_text_of, read_text
from toolgen_runtime.providers.shared.responses.native_calls import (
    Fault,
    Member,
    NativeCall,
    NativeMessage,
    Reader,
    ToolUseBlock,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.transcript.messages import Source
from toolgen_runtime.validation.issues import MISSING


def _call(item: dict[str, Any], at: str) -> NativeCall:
    cut = Fault(f"{at}.{WIRE.stop_key}", "its item is incomplete and may be cut")
    kind = CALL_ITEMS[item["type"]][0]
    named = kind in TEXT_KINDS
    return NativeCall(
        id=Member(item, "call_id", at),
        name=Member(item, "name", at) if named else None,
        arguments=Member(item, input_key(item), at),
        as_text=named,
        kind=kind,
        native=item,
        cut=None if item_is_whole(item) else cut,
    )


def _request(item: dict[str, Any]) -> ReceivedCall:
    kind, id_key = REQUEST_ITEMS[item["type"]]
    given = item.get("arguments")
    text = given if isinstance(given, str) else json_text_of(given) or ""
    payload, issues = read_text(text)
    id, name = text_or_none(item.get(id_key)), text_or_none(item.get("name")) or kind
    return ReceivedCall(id, name, text, payload, issues, source=Source(WIRE.provider, item), kind=kind)


def read_requests(response: object) -> list[ReceivedCall]:
    """Return what a response asks besides calls: approvals of a server's MCP calls, searches for tools.

    The `kind` is `mcp_approval`, whose `id` the answer names as `approval_request_id`, or `tool_search`.

    Raises:
        OpenAIResponseError: the response does not have the API's shape.
    """
    reader = Reader(response, OpenAIResponseError, WIRE)
    return [_request(item) for _, item in reader.blocks(reader.root(), "output", "") if is_request(item)]


def _find(reader: Reader) -> NativeMessage:
    root = reader.root()
    message = reader.message("output", stop_of(root, MISSING), WIRE.stop_key)
    for at, item in reader.blocks(root, "output", ""):
        if is_ours(item):
            message.calls.append(_call(item, at))
    return message


RESPONSES = Responses[ToolUseBlock](WIRE, OpenAIResponseError, _find, "no function call")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""A call's `id` is its `call_id`, not its item's id. Errors are `OpenAIResponseError`.

Calls of custom tools, and of the tools that the API defines and the caller runs (a shell, patches, a computer),
are read, too, each with its `kind`.
"""
