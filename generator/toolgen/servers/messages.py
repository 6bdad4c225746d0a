"""JSON-RPC messages as plain JSON: one message in a line of a pipe, an HTTP body or an event."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_runtime.validation.json_text import UnreadableText, decode

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
PROTOCOL: Final = "io.modelcontextprotocol/"
"""The prefix of the keys in `_meta` of a request without a session (MCP 2026-07-28, basic, "_meta")."""
_MARKS: Final = frozenset(("jsonrpc", "method", "result", "error"))

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """Bytes as they came, and the JSON object in them; an empty object if they are malformed or a batch."""

    data: bytes
    value: Json = field(default_factory=dict)

    @property
    def method(self) -> Any:
        """The method of a request or a notification."""
        return self.value.get("method")

    @property
    def asks(self) -> str:
        """The key of a request; empty for other messages."""
        return _key(self.value["id"]) if "id" in self.value and "method" in self.value else ""

    @property
    def answers(self) -> str:
        """The key of the request that this answers; empty for other messages."""
        return _key(self.value["id"]) if "id" in self.value and "method" not in self.value else ""

    @property
    def cancels(self) -> str:
        """The key of the request that this cancels; empty for other messages."""
        return _key(self.params.get("requestId")) if self.method == "notifications/cancelled" else ""

    @property
    def is_call(self) -> bool:
        """Whether this is a call that can be answered; the server refuses others."""
        has_id = isinstance(self.value.get("id"), (str, int, float))
        return has_id and self.method == "tools/call" and isinstance(self.params.get("name"), str)

    @property
    def params(self) -> Json:
        """The parameters of a request; an empty object if they are not an object."""
        params = self.value.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def protocol(self) -> Json:
        """The keys of the protocol in `_meta` of a request."""
        meta = self.params.get("_meta")
        return {k: v for k, v in meta.items() if k.startswith(PROTOCOL)} if isinstance(meta, dict) else {}

    @property
    def result(self) -> Json | None:
        """The result of a response; None if it is an error, or not an object."""
        result = self.value.get("result")
        return result if isinstance(result, dict) and "error" not in self.value else None

    @property
    def is_garbage(self) -> bool:
        """Whether a server's line is certainly no message, but a log line, a banner or a traceback."""
        if self.value:
            return _MARKS.isdisjoint(self.value)
        try:
            return not isinstance(json.loads(self.data), (dict, list))
        except (json.JSONDecodeError, UnicodeDecodeError):
            return True
        except (
            ValueError,
            RecursionError,
        ):  # JSON that only toolgen refuses: too deep, or an integer too long
            return False

    def changed(self, value: Json) -> Message:
        """Return another message in place of this one; this one if the other is not JSON, as with infinity."""
        try:
            return Message(written(value), value)
        except ValueError:
            return self


def read(data: bytes) -> Message:
    """Return bytes with the message in them."""
    try:
        value = decode(data)
    except UnreadableText:
        return Message(data)
    return Message(data, value) if isinstance(value, dict) else Message(data)


def written(value: Any) -> bytes:
    """Return a message as a line."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def failure(message_id: object, message: str, code: int = INTERNAL_ERROR, **more: Any) -> bytes:
    """Return a response that is an error."""
    error = {"code": code, "message": message, **more}
    return written({"jsonrpc": "2.0", "id": message_id, "error": error})


def _key(message_id: object) -> str:
    """Return an id as a key: 1, 1.0, true and "1" are four ids."""
    return json.dumps(message_id)


def list_request(request_id: str, cursor: str | None, call: Message) -> Message:
    """Return a request for a page of the tools, with the protocol's keys of a call."""
    params = {"cursor": cursor, "_meta": call.protocol}
    kept = {name: value for name, value in params.items() if value}
    value = {"jsonrpc": "2.0", "id": request_id, "method": "tools/list", **({"params": kept} if kept else {})}
    return Message(written(value), value)
