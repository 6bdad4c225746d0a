"""The result of an MCP `tools/call`: what it is recognised by, what it holds, what of it a model reads.

One reader for handlers that forward to an MCP session and for `providers.mcp`. The keys are read in both
spellings: the protocol's (`isError`) and Python's (`is_error`), which the SDK's own `model_dump()` writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from toolgen_runtime.validation.issues import MISSING


@lru_cache(maxsize=64)
def _spellings(name: str) -> tuple[str, str]:
    """Return a key of the protocol's, and Python's name for it."""
    return name, re.sub("(?=[A-Z])", "_", name).lower().lstrip("_")


_META, _TYPE, _STATE = map(_spellings, ("_meta", "resultType", "requestState"))
_KEYS = frozenset(("content", *_META, *_TYPE, *_spellings("structuredContent"), *_spellings("isError")))
RESULT_KEYS = _KEYS | {"task"}
"""Keys without one of which nothing is a result."""
_BLOCKS = frozenset(("text", "image", "audio", "resource", "resource_link"))
"""The content types of a tool result (MCP 2025-11-25, server/tools, "Tool Result")."""
State = Literal["done", "needs_input", "running"]
"""How far a call is. Of one that needs input or is running, nothing says yet whether it will succeed."""
_UNFINISHED: dict[str | None, tuple[State, str]] = {
    "input_required": ("needs_input", "The tool is not done: it needs input first."),
    "task": ("running", "The tool is not done: it runs as a task."),
}
Asked = Literal["user", "model", "client"]
"""Who has to give an answer: a person, a model (sampling), or the program itself (its roots)."""
_ASKED: dict[str, Asked] = {
    "elicitation/create": "user",
    "sampling/createMessage": "model",
    "roots/list": "client",
}
_FAILED_TASKS = frozenset(("failed", "cancelled"))
_MAX_MESSAGE = 300
"""Characters of a server's question in a text."""


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One input that a tool needs before it continues (MCP 2026-07-28, "Input Required Tool Results").

    `key` is the key of the answer, `asked` is "user", "model" or "client", `message` is the question or None;
    `method` and `params` are the original request.
    """

    key: str
    method: str
    asked: Asked
    message: str = ""
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class McpResult:
    """`content`: the blocks as they came; `structured`: MISSING where there is none.

    `is_error` is None if the server did not say. `unfinished` is the `resultType` of a result that is none yet
    (`input_required`, `task`), else None; `requests` is what it needs, `request_state` what goes back to the
    server with the answers and is shown to nobody, `told` what the server says of a task.
    """

    content: tuple[Any, ...] = ()
    structured: Any = MISSING
    is_error: bool | None = None
    unfinished: str | None = None
    requests: tuple[InputRequest, ...] = ()
    request_state: str | None = field(default=None, repr=False)
    told: str = ""

    @property
    def state(self) -> State:
        """How far the call is."""
        return _UNFINISHED.get(self.unfinished, ("done", ""))[0]

    def text(self) -> str:
        """Return what a model reads of the result: its text, and a mention in `[]` of each other block.

        `structuredContent` stands in where there is no text; a server sends the same in both (MCP 2025-11-25,
        server/tools, "Structured Content"). `_meta` and `requestState` are never part of it.
        """
        if self.unfinished is not None:
            asks = [f"It asks the {one.asked}: {_line(one.message)}" for one in self.requests if one.message]
            return " ".join(
                (_UNFINISHED[self.unfinished][1], *asks, *([_line(self.told)] if self.told else []))
            )
        blocks = [block for block in self.content if isinstance(block, Mapping)]
        lines = [_text_of(block) for block in blocks]
        says = any(block.get("type") == "text" and block.get("text") for block in blocks)
        if self.structured is not MISSING and self.structured is not None and not says:
            lines.insert(0, json.dumps(self.structured, ensure_ascii=False))
        return "\n".join(line for line in lines if line)


def read_fields(native: Mapping[str, Any]) -> McpResult:
    """Return what a mapping that is known to be a result holds; fields of another type count as absent."""
    content = native.get("content")
    structured, is_error = _field(native, "structuredContent"), _field(native, "isError")
    if structured is None and "structuredContent" not in native:
        structured = MISSING  # the SDK's default, written out; the protocol's null is a value
    return McpResult(
        tuple(content) if isinstance(content, (list, tuple)) else (),
        structured,
        is_error if isinstance(is_error, bool) else None,
    )


def recognize(value: object) -> McpResult | None:
    """Return the MCP result that a JSON value is; None if it is not one for certain.

    A list of typed blocks under `content` and nothing but a result's own keys beside it, or with `isError`
    beside it. Without blocks, `isError` or `structuredContent` must say what it is: an object that happens to
    have a key `content` is not a result.
    """
    if not isinstance(value, Mapping) or RESULT_KEYS.isdisjoint(value):
        return None
    if (unfinished := _unfinished(value)) is not None:
        return unfinished
    content, is_error = value.get("content"), _field(value, "isError")
    if content is None:
        content = []
    if not isinstance(content, list) or not (is_error in (MISSING, None) or isinstance(is_error, bool)):
        return None
    reported, own_keys = isinstance(is_error, bool), value.keys() <= _KEYS
    if content:
        known = _BLOCKS if not reported else None
        found = (reported or own_keys) and all(_is_block(block, known) for block in content)
    else:
        structured = _field(value, "structuredContent") not in (MISSING, None)
        found = own_keys and (structured or ("content" in value and reported))
    return read_fields(value) if found else None


def as_mapping(result: object) -> Any:
    """Return the mapping of a result object: `CallToolResult` of mcp 1 and 2, `ToolResult` of FastMCP.

    Recognized by its attributes, since no SDK is imported: `content`, a list of typed blocks, and `is_error` or
    `structured_content` in either spelling. Anything else is returned as it is.
    """
    if isinstance(result, (Mapping, Sequence, type)):
        return result
    try:
        return _mapping_of(result) or result
    except Exception:  # any object's own code may be running here
        return result


def _mapping_of(result: object) -> dict[str, Any] | None:
    content = getattr(result, "content", None)
    if not isinstance(content, (list, tuple)) or not all(_is_block(block) for block in content):
        return None
    is_error, structured = _attribute(result, "isError"), _attribute(result, "structuredContent")
    if not isinstance(is_error, bool) and structured is MISSING:
        return None
    mapping: dict[str, Any] = {"content": list(content), "isError": is_error is True}
    for key, member in (("structuredContent", structured), ("_meta", _attribute(result, "_meta"))):
        if member is not MISSING and member is not None:
            mapping[key] = member
    return mapping


def without_state(native: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without its `requestState`, which nobody but the server reads."""
    return {key: value for key, value in native.items() if key not in _STATE}


def _unfinished(value: Mapping[str, Any]) -> McpResult | None:
    kind = _field(value, "resultType")
    if kind == "input_required" and "content" not in value:
        state = _field(value, "requestState")
        return McpResult(
            unfinished="input_required",
            requests=_requests(_field(value, "inputRequests")),
            request_state=state if isinstance(state, str) else None,
        )
    task = value.get("task", value if kind == "task" else None)
    if not isinstance(task, Mapping) or _field(task, "taskId") is MISSING or "status" not in task:
        return None
    if task is not value and not value.keys() <= {"task", *_META, *_TYPE}:
        return None
    return _task(task)


def _task(task: Mapping[str, Any]) -> McpResult:
    told, status = _field(task, "statusMessage"), task["status"]
    told = told if isinstance(told, str) else ""
    if status in _FAILED_TASKS:
        return McpResult(({"type": "text", "text": told or f"the task {status}"},), is_error=True)
    return McpResult(unfinished="input_required" if status == "input_required" else "task", told=told)


def _requests(native: Any) -> tuple[InputRequest, ...]:
    """Return what is asked; a request that is not one is left out."""
    found = []
    for key, request in native.items() if isinstance(native, Mapping) else ():
        method = request.get("method") if isinstance(request, Mapping) else None
        if isinstance(method, str):
            given = request.get("params")
            params = given if isinstance(given, Mapping) else {}
            text = message if isinstance(message := params.get("message"), str) else ""
            found.append(InputRequest(str(key), method, _ASKED.get(method, "client"), text, params))
    return tuple(found)


def _field(native: Mapping[str, Any], name: str) -> Any:
    for key in _spellings(name):
        if key in native:
            return native[key]
    return MISSING


def _attribute(result: object, name: str) -> Any:
    for key in reversed(_spellings(name)):  # an SDK may warn of its older one
        if hasattr(result, key):
            return getattr(result, key)
    return MISSING


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
    """Return `[image, image/png]`, in one line: the words are the server's."""
    about = (block.get(key) for key in ("name", "uri", "mimeType", "mime_type"))
    return f"[{', '.join(_line(word, 200) for word in (kind, *about) if isinstance(word, str))}]"


def _line(words: str, most: int = _MAX_MESSAGE) -> str:
    return " ".join(words.split())[:most]
