"""Messages of MCP as plain JSON: one message or batch a line (MCP, basic/transports, "stdio") or HTTP body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from toolgen_runtime.validation.json_text import UnreadableText, decode

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
LIST_CHANGED: Final = "notifications/tools/list_changed"
CANCELLED: Final = "notifications/cancelled"
PROTOCOL: Final = "io.modelcontextprotocol/"
"""How the keys of `_meta` begin that a request without a session carries (MCP 2026-07-28, basic, "_meta")."""
_MARKS: Final = frozenset(("jsonrpc", "method", "result", "error"))
"""Keys without one of which an object is no message, but what a program printed."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Received:
    """Bytes as they came, with the messages that they hold; none where they cannot be read."""

    data: bytes
    messages: tuple[Message, ...] = ()
    is_batch: bool = False

    def changed(self, messages: Mapping[int, Message | None]) -> bytes:
        """Return the bytes with other messages at these indexes, and without those that are None; b"" for none.

        Raises:
            ValueError: a number cannot be written as JSON.
        """
        if not messages:
            return self.data
        kept = [messages.get(index, message) for index, message in enumerate(self.messages)]
        kept = [message for message in kept if message is not None]
        return written(kept if self.is_batch else kept[0]) if kept else b""


def read(data: bytes) -> Received:
    """Return the messages of a line or a body; none where it is not JSON, too deep, or anything but objects."""
    try:
        value = decode(data)
    except UnreadableText:
        return Received(data)
    if isinstance(value, dict):
        return Received(data, (value,))
    if isinstance(value, list) and value and all(isinstance(message, dict) for message in value):
        return Received(data, tuple(value), is_batch=True)
    return Received(data)


def is_garbage(received: Received) -> bool:
    """Return whether a server's line is certainly no message: a log line, a banner, a traceback.

    A line that only cannot be read here (nested too deeply, a key twice) is for the client to judge.
    """
    if received.messages:
        return all(_MARKS.isdisjoint(message) for message in received.messages)
    try:
        return not isinstance(json.loads(received.data), (dict, list))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return True
    except (ValueError, RecursionError):
        return False


def written(value: Any) -> bytes:
    """Return a message or batch as a line."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def answer(message_id: object, **outcome: Any) -> Message:
    """Return a response; `outcome` is `result` or `error`."""
    return {"jsonrpc": "2.0", "id": message_id, **outcome}


def failure(message_id: object, message: str, code: int = INTERNAL_ERROR) -> Message:
    """Return a response that is an error."""
    return answer(message_id, error={"code": code, "message": message})


def key_of(message_id: object) -> str:
    """Return an id as a key: 1, 1.0, true and "1" are four ids."""
    return json.dumps(message_id)


def is_response(message: Mapping[str, Any]) -> bool:
    """Return whether a message answers a request."""
    return "id" in message and "method" not in message


def is_request(message: Mapping[str, Any]) -> bool:
    """Return whether a message asks for an answer."""
    return "id" in message and "method" in message


def is_call(message: Mapping[str, Any]) -> bool:
    """Return whether a message is a call that can be answered; others are for the server to refuse."""
    number = message.get("id")
    has_id = isinstance(number, (str, int)) or (isinstance(number, float) and isfinite(number))
    return (
        has_id and message.get("method") == "tools/call" and isinstance(params_of(message).get("name"), str)
    )


def list_request(request_id: str, cursor: str | None, call: Received) -> Message:
    """Return a request of `tools/list`, with what a call without a session says of the protocol."""
    meta = next((params_of(message).get("_meta") for message in call.messages if is_call(message)), None)
    kept = {k: v for k, v in meta.items() if k.startswith(PROTOCOL)} if isinstance(meta, dict) else {}
    params = ({"cursor": cursor} if cursor is not None else {}) | ({"_meta": kept} if kept else {})
    request = {"jsonrpc": "2.0", "id": request_id, "method": "tools/list"}
    return {**request, "params": params} if params else request


def params_of(message: Mapping[str, Any]) -> Message:
    """Return the parameters of a request; none where they are not an object."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def result_of(message: Mapping[str, Any]) -> Message | None:
    """Return the result of a response; None where it is an error, or not an object."""
    result = message.get("result")
    return result if isinstance(result, dict) and "error" not in message else None
