"""JSON-RPC messages as plain JSON. A message is sent as a line of a pipe, an HTTP body or an event."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any, Final

from toolgen.commands.servers.large_messages import MAX_MESSAGE_VALUES, VALUE_BYTES, count_values, envelope_of
from toolgen_runtime.schema.raw import listed
from toolgen_runtime.validation.json_text import UnreadableText, decode

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
PROTOCOL: Final = "io.modelcontextprotocol/"
"""The prefix of the protocol keys in `_meta` if a request has no session (MCP 2026-07-28, basic, "_meta")."""

Json = dict[str, Any]


class Message:
    """A JSON-RPC message: its original bytes, and the JSON object in them.

    If the bytes are malformed or a batch, the object is empty.

    If a message is too large to be parsed, the object has only `id` and `method`.
    """

    def __init__(self, data: bytes, value: Any = None, *, is_too_large: bool = False) -> None:
        self.data, self.value, self.is_too_large = data, object_of(value), is_too_large
        request_id, result = self.value.get("id"), self.value.get("result")
        self.asks = self.answers = ""
        if "id" in self.value and "method" in self.value:
            self.asks = repr(request_id)
        elif "id" in self.value:
            self.answers = repr(request_id)
        """The key of a request, and of the request that this answers: 1, 1.0, true and "1" are four ids."""
        self.method: Any = self.value.get("method")
        self.params = object_of(self.value.get("params"))
        meta = object_of(self.params.get("_meta"))
        self.protocol = {key: value for key, value in meta.items() if key.startswith(PROTOCOL)}
        self.cancels = ""
        if self.method == "notifications/cancelled":
            self.cancels = repr(self.params.get("requestId"))
        has_name = is_too_large or isinstance(self.params.get("name"), str)
        is_named = self.method == "tools/call" and has_name
        self.is_call = is_named and isinstance(request_id, (str, int, float))
        """Whether this is a call that can be answered; the server refuses other calls."""
        self.param_headers: dict[str, str] = {}
        """The headers of a call over HTTP that repeat its arguments."""
        self.span: Any = None
        """The span of a call that is traced."""
        self.is_repeated = False
        """Whether a call is sent again, with the headers of a new list."""
        self.result: Json | None = result if isinstance(result, dict) and "error" not in self.value else None

    def changed(self, **members: Any) -> Message:
        """Return a copy of this message with some fields replaced."""
        made = message_of({**self.value, **members})
        made.span = self.span
        return made

    def respond(self, **members: Any) -> Message:
        """Return a response to this request. It has a `result` or an `error`."""
        return message_of({"jsonrpc": "2.0", "id": self.value.get("id"), **members})

    def fail(self, message: str) -> Message:
        """Return an error response to this request that comes from the proxy."""
        return self.respond(error={"code": INTERNAL_ERROR, "message": message})


def object_of(value: Any) -> Json:
    """Return a value if it is an object; otherwise return an empty object."""
    return value if isinstance(value, dict) else {}


def tools_on(pages: Sequence[Json]) -> list[Json]:
    """Return the tools on all pages of a list. Entries that are not objects are left out."""
    return [tool for page in pages for tool in listed(page, "tools") if isinstance(tool, dict)]


def read(data: bytes) -> Message:
    """Parse the bytes of a message."""
    if count_values(data) > MAX_MESSAGE_VALUES:
        return Message(data, envelope_of(data), is_too_large=True)
    try:
        return Message(data, decode(data))
    except UnreadableText:
        return Message(data)


def weight_of(data: bytes) -> int:
    """Estimate how many bytes of memory a message and its values take."""
    return len(data) + VALUE_BYTES * min(count_values(data), MAX_MESSAGE_VALUES)


def message_of(value: Json) -> Message:
    """Create a message that the proxy itself sends."""
    return Message(json.dumps(value, separators=(",", ":")).encode() + b"\n", value)


def list_request(cursor: str | None, call: Message) -> Message:
    """Create a request for one page of the tools, with the protocol's keys from the `_meta` of a call."""
    params = {name: value for name, value in (("cursor", cursor), ("_meta", call.protocol)) if value}
    request: Json = {"jsonrpc": "2.0", "id": f"toolgen-{secrets.token_hex(8)}", "method": "tools/list"}
    if params:
        request["params"] = params
    return message_of(request)
