"""Recognize the result of an MCP `tools/call`, and read its fields and its text.

Handlers that forward calls to an MCP session use this module, and so does `providers.mcp`. Keys may have two
spellings: the protocol's (`isError`), and Python's (`is_error`), which the SDK's `model_dump()` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen_runtime.validation.issues import MISSING

_PROTOCOL = {
    "meta": "_meta",
    "structured_content": "structuredContent",
    "is_error": "isError",
    "result_type": "resultType",
    "request_state": "requestState",
    "input_requests": "inputRequests",
    "task_id": "taskId",
    "status_message": "statusMessage",
    "mime_type": "mimeType",
}
"""The protocol's spelling of each key, looked up by Python's spelling."""
_OBJECTS = ("meta", "structured_content", "is_error")
"""The keys that are read as attributes of a result object, in Python's spelling."""
RESULT_KEYS = frozenset(
    ("content", "task", "result_type", "resultType", *_OBJECTS, *(_PROTOCOL[name] for name in _OBJECTS))
)
"""Keys of a result; every result has at least one of them."""
_OWN_KEYS = frozenset(("content", "_meta", "structuredContent", "isError", "resultType"))
_BLOCKS = frozenset(("text", "image", "audio", "resource", "resource_link"))
"""The content types of a tool result (MCP 2025-11-25, server/tools, "Tool Result")."""
State = Literal["done", "needs_input", "running"]
"""The progress of a call. A call that needs input or is running has neither succeeded nor failed yet."""
Asked = Literal["user", "model", "client"]
"""Who must answer: a person, a model (sampling), or the program itself (its roots)."""
_ASKED: dict[str, Asked] = {
    "elicitation/create": "user",
    "sampling/createMessage": "model",
    "roots/list": "client",
}
_MAX_MESSAGE = 300
"""The maximum length of a server's message within a text."""


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One input that a tool asks for before it can continue (MCP 2026-07-28, "Input Required Tool Results").

    `key` is the key under which to send the response. `asked` says who must provide the input: "user", "model" or
    "client". `message` is the question; it may be empty. `method` and `params` are those of the original request.
    """

    key: str
    method: str
    asked: Asked
    message: str = ""
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class McpResult:
    """The result of an MCP call. `content` has the blocks as received, and `structured` is `MISSING` if there
    is none.

    `is_error` is None if the server did not send it. If `state` is not "done", `content` says so, and `requests` lists
    the inputs that the tool needs. `request_state` is sent back to the server with the answers and never shown.
    """

    content: tuple[Any, ...] = ()
    structured: Any = MISSING
    is_error: bool | None = None
    state: State = "done"
    requests: tuple[InputRequest, ...] = ()
    request_state: str | None = field(default=None, repr=False)

    def text(self) -> str:
        """Return the text for the model: all text blocks, and a short mention in `[]` of each other block.

        `structuredContent` is used only if there is no text, because a server sends the same data in both (MCP
        2025-11-25, server/tools, "Structured Content"). The text never contains `_meta` or `requestState`.
        """
        blocks = [block for block in self.content if isinstance(block, Mapping)]
        lines = [_text_of(block) for block in blocks]
        says = any(block.get("type") == "text" and block.get("text") for block in blocks)
        if self.structured is not MISSING and self.structured is not None and not says:
            lines.insert(0, json.dumps(self.structured, ensure_ascii=False))
        return "\n".join(line for line in lines if line)


def _named(native: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping under the protocol's keys. With Python's spelling, None is the SDK's default and is left out."""
    python = {
        _PROTOCOL[key]: value for key, value in native.items() if key in _PROTOCOL and value is not None
    }
    return {**python, **{key: value for key, value in native.items() if key not in _PROTOCOL}}


def read_fields(native: Mapping[str, Any]) -> McpResult:
    """Read the fields of a mapping that is known to be an MCP result.

    A field of the wrong type is treated as missing.
    """
    named = _named(native)
    content, is_error = named.get("content"), named.get("isError")
    return McpResult(
        tuple(content) if isinstance(content, (list, tuple)) else (),
        named.get("structuredContent", MISSING),
        is_error if isinstance(is_error, bool) else None,
    )


def recognize(value: object) -> McpResult | None:
    """Read a JSON value as an MCP result; return None if it may be something else.

    An object with a list of typed blocks under `content` must also have `isError`, or have no other keys than those of
    a result. An object without blocks must have only such keys: `structuredContent`, or `content` and `isError`. A key
    `content` alone does not make an object a result.
    """
    if not isinstance(value, Mapping) or RESULT_KEYS.isdisjoint(value):
        return None
    named = _named(value)
    if (unfinished := _unfinished(named)) is not None:
        return unfinished
    content, is_error = named.get("content") or [], named.get("isError")
    if not isinstance(content, list) or not (is_error is None or isinstance(is_error, bool)):
        return None
    reported, own_keys = is_error is not None, named.keys() <= _OWN_KEYS
    if content:
        known = _BLOCKS if not reported else None
        found = (reported or own_keys) and all(_is_block(block, known) for block in content)
    else:
        found = own_keys and (named.get("structuredContent") is not None or ("content" in named and reported))
    if found:
        return read_fields(named)
    return None


def as_mapping(result: object) -> Any:
    """Convert a result object (`CallToolResult` of mcp 1 and 2, `ToolResult` of FastMCP) to a mapping.

    No SDK is imported, so the object is recognized by its attributes: `content`, which is a list of typed blocks, and
    `is_error` or `structured_content` in either spelling. Any other value is returned unchanged.
    """
    if isinstance(result, (Mapping, Sequence, type)):
        return result
    try:
        content = getattr(result, "content", None)
        if not isinstance(content, (list, tuple)) or not all(map(_is_block, content)):
            return result
        found: dict[str, Any] = {}
        for name in _OBJECTS:  # Python's spelling first: an SDK may warn about the other
            key = next((key for key in (name, _PROTOCOL[name]) if hasattr(result, key)), None)
            found[_PROTOCOL[name]] = getattr(result, key) if key is not None else MISSING
    except Exception:  # reading an attribute may run any code
        return result
    is_error = found.pop("isError")
    if not isinstance(is_error, bool) and found["structuredContent"] is MISSING:
        return result
    others = {key: member for key, member in found.items() if member is not MISSING and member is not None}
    return {"content": list(content), "isError": is_error is True, **others}


def without_state(native: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the `requestState` from a result, because only the server may read it."""
    return {key: value for key, value in native.items() if _PROTOCOL.get(key, key) != "requestState"}


def _unfinished(named: dict[str, Any]) -> McpResult | None:
    kind = named.get("resultType")
    if kind == "input_required" and "content" not in named:
        state, requests = named.get("requestState"), _requests(named.get("inputRequests"))
        says = [f"It asks the {one.asked}: {_line(one.message)}" for one in requests if one.message]
        return _waiting("needs_input", says, requests, state if isinstance(state, str) else None)
    task = named.get("task", named if kind == "task" else None)
    if not isinstance(task, Mapping) or "taskId" not in (of_task := _named(task)) or "status" not in task:
        return None
    if task is not named and not named.keys() <= {"task", "_meta", "resultType"}:
        return None
    told, status = of_task.get("statusMessage"), task["status"]
    told = told if isinstance(told, str) else ""
    if status in ("failed", "cancelled"):
        return McpResult(({"type": "text", "text": told or f"the task {status}"},), is_error=True)
    return _waiting("needs_input" if status == "input_required" else "running", [_line(told)] if told else [])


def _waiting(
    state: State, says: list[str], requests: tuple[InputRequest, ...] = (), request_state: str | None = None
) -> McpResult:
    why = "it needs input first" if state == "needs_input" else "it runs as a task"
    text = " ".join((f"The tool is not done: {why}.", *says))
    return McpResult(({"type": "text", "text": text},), MISSING, None, state, requests, request_state)


def _requests(native: Any) -> tuple[InputRequest, ...]:
    """Return the inputs that a server asks for. Entries that are not requests are skipped."""
    found = []
    for key, request in native.items() if isinstance(native, Mapping) else ():
        if isinstance(request, Mapping):
            method = request.get("method")
        else:
            method = None
        if isinstance(method, str):
            given = request.get("params")
            params = given if isinstance(given, Mapping) else {}
            text = message if isinstance(message := params.get("message"), str) else ""
            found.append(InputRequest(str(key), method, _ASKED.get(method, "client"), text, params))
    return tuple(found)


def _is_block(block: object, known: frozenset[str] | None = None) -> bool:
    if isinstance(block, Mapping):
        kind, text = block.get("type"), block.get("text")
    else:
        kind, text = getattr(block, "type", None), getattr(block, "text", None)
    if not isinstance(kind, str) or (known is not None and kind not in known):
        return False
    return kind != "text" or isinstance(text, str)


def _text_of(block: Mapping[str, Any]) -> str:
    kind, text, resource = (block.get(key) for key in ("type", "text", "resource"))
    if kind == "text" and isinstance(text, str):
        return text
    if kind == "resource" and isinstance(resource, Mapping):
        text = resource.get("text")
        return _mention("resource", resource) + (f"\n{text}" if isinstance(text, str) else "")
    return _mention("link" if kind == "resource_link" else str(kind), block)


def _mention(kind: str, block: Mapping[str, Any]) -> str:
    """Return a mention such as `[image, image/png]` on one line, because the words come from the server."""
    about = map(_named(block).get, ("name", "uri", "mimeType"))
    return f"[{', '.join(_line(word, 200) for word in (kind, *about) if isinstance(word, str))}]"


def _line(words: str, most: int = _MAX_MESSAGE) -> str:
    return " ".join(words.split())[:most]
