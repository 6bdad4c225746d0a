"""Messages of MCP: JSON-RPC, one message or batch a line (MCP 2025-11-25, basic/transports, "stdio") or HTTP body."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.servers.written import elements, members, rewritten
from toolgen_runtime.validation.json_text import UnreadableText, decode

if TYPE_CHECKING:
    from toolgen_runtime import ToolOutput

INVALID_PARAMS: Final = -32602
LIST_CHANGED: Final = "notifications/tools/list_changed"
CANCELLED: Final = "notifications/cancelled"
PROTOCOL: Final = "io.modelcontextprotocol/"
"""How the keys of `_meta` begin that a request without a session carries (MCP 2026-07-28, basic, "_meta")."""
_MARKS: Final = ("jsonrpc", "method", "result", "error")
"""Keys without one of which an object is no message, but what a program printed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it came, with the messages that it holds; none where it cannot be read."""

    data: bytes
    messages: tuple[dict[str, Any], ...] = ()
    is_batch: bool = False

    def changed(self, messages: Mapping[int, dict[str, Any] | None]) -> bytes:
        """Return the line with other messages at these indexes, or None there; the others as they came.

        What a message has in common with the one before is as it was written. Empty where no message is left.
        """
        if not messages:
            return self.data
        kept = [
            text if index not in messages else _on_one_line(rewritten(text, self.messages[index], new))
            for index, text in enumerate(self.texts())
            if (new := messages.get(index, {})) is not None
        ]
        if not kept:
            return b""
        return f"[{','.join(kept)}]\n".encode() if self.is_batch else f"{kept[0]}\n".encode()

    def texts(self) -> list[str]:
        """Return each message as it was written."""
        text = self.data.decode()
        return elements(text) if self.is_batch else [text.strip().removeprefix("\ufeff").strip()]


def _on_one_line(text: str) -> str:
    """Return a JSON text without line breaks, which stand between its tokens only."""
    return text.replace("\r", " ").replace("\n", " ")


def read_line(data: bytes) -> Line:
    """Return the messages of a line; none where it is not JSON, too deep, or anything but objects."""
    try:
        value = decode(data)
    except UnreadableText:
        return Line(data)
    if isinstance(value, dict):
        return Line(data, (value,))
    if isinstance(value, list) and value and all(isinstance(message, dict) for message in value):
        return Line(data, tuple(value), is_batch=True)
    return Line(data)


def is_garbage(line: Line) -> bool:
    """Return whether a line of a server is certainly no message: a log line, a banner, a traceback.

    What only cannot be read here (nested too deeply, a key twice) is for the client to judge.
    """
    if line.messages:
        return not any(mark in message for message in line.messages for mark in _MARKS)
    try:
        value = json.loads(line.data)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return True
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, (dict, list))


def text_of(message: Mapping[str, Any] | Sequence[Any]) -> bytes:
    """Return a message or batch as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def id_text(message: str) -> str:
    """Return the id of a message as it was written; `null` where it has none."""
    return members(message).get("id", "null")


def answer(to: str, **outcome: Any) -> bytes:
    """Return a response, as a line, to a request whose id is written so; `outcome` is `result` or `error`."""
    return f'{{"jsonrpc":"2.0","id":{to},'.encode() + text_of(outcome)[1:]


def key_of(message_id: object) -> str:
    """Return an id as a key: 1, 1.0, true and "1" are four ids."""
    return json.dumps(message_id)


def is_response(message: Mapping[str, Any]) -> bool:
    """Return whether a message answers a request."""
    return "id" in message and "method" not in message


def is_call(message: Mapping[str, Any]) -> bool:
    """Return whether a message is a call that can be answered; what is not one is for the server to refuse."""
    return (
        message.get("method") == "tools/call"
        and "id" in message
        and isinstance(params_of(message).get("name"), str)
    )


def arguments_must_change(message: Mapping[str, Any], output: ToolOutput) -> bool:
    """Return whether a call is to be made with other arguments than it came with: repaired, or read from a text."""
    return bool(output.repairs) or isinstance(params_of(message).get("arguments"), str)


def list_request(request_id: str, cursor: str | None, meta: Mapping[str, Any]) -> bytes:
    """Return a request of `tools/list`."""
    params: dict[str, Any] = {"cursor": cursor} if cursor is not None else {}
    params |= {"_meta": meta} if meta else {}
    request = {"jsonrpc": "2.0", "id": request_id, "method": "tools/list"}
    return text_of({**request, "params": params} if params else request)


def protocol_meta(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what requests without a session say of the protocol, of the first call among these messages."""
    meta = next((params_of(message).get("_meta") for message in messages if is_call(message)), None)
    return (
        {key: value for key, value in meta.items() if key.startswith(PROTOCOL)}
        if isinstance(meta, dict)
        else {}
    )


def params_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request; none where they are not an object."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def result_of(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the result of a response; None where it is an error, or not an object."""
    result = message.get("result")
    return result if isinstance(result, dict) and "error" not in message else None
