"""Messages of MCP as plain JSON: one message a line (MCP, basic/transports, "stdio") or HTTP body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """Bytes as they came, with the message that they hold; none if they cannot be read, or are several."""

    data: bytes
    message: Message = field(default_factory=dict)

    def changed(self, message: Message) -> Received:
        """Return another message in place of this one; this one if the other cannot be written as JSON."""
        try:
            return Received(written(message), message)
        except ValueError:  # a number that JSON does not have
            return self


def read(data: bytes) -> Received:
    """Return the message of a line or a body; none if it is not JSON, too deep, or not one object.

    Batches pass as they are: only MCP 2025-03-26 had them.
    """
    try:
        value = decode(data)
    except UnreadableText:
        return Received(data)
    return Received(data, value) if isinstance(value, dict) else Received(data)


def is_garbage(received: Received) -> bool:
    """Return whether a server's line is certainly no message: a log line, a banner, a traceback.

    A line that only cannot be read here (nested too deeply, a key twice) is for the client to judge.
    """
    if received.message:
        return _MARKS.isdisjoint(received.message)
    try:
        return not isinstance(json.loads(received.data), (dict, list))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return True
    except (ValueError, RecursionError):
        return False


def written(value: Any) -> bytes:
    """Return a message as a line."""
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


def list_request(request_id: str, cursor: str | None, call: Message) -> Message:
    """Return a request of `tools/list`, with what a call without a session says of the protocol."""
    meta = params_of(call).get("_meta")
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
