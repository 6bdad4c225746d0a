"""Copy payloads, convert results to JSON, and check results against their tool's output schema.

MCP asks clients to check results against the output schema (2025-11-25, server/tools, "Output Schema").
"""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.mcp_result import McpResult
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.tool import Tool

MAX_COPIED_DEPTH = 200
"""The maximum depth of a value that is copied without pydantic, which allows a little more."""


_SCALARS = frozenset((str, int, float, bool, type(None)))


def copied(payload: Any) -> Any:
    """Return a copy of a JSON value of any depth that shares no list or dict with the original.

    The original is often part of the message history, which a handler must not change by accident. A list or dict that
    occurs several times, or inside itself, does so in the copy too.
    """
    if not isinstance(payload, (dict, list)):
        return payload
    copy: Any = payload.copy()
    copies, todo = {id(payload): copy}, [copy]
    while todo:
        container = todo.pop()
        is_object = isinstance(container, dict)
        if _SCALARS.issuperset(map(type, container.values() if is_object else container)):
            continue
        for key, value in container.items() if is_object else enumerate(container):
            if isinstance(value, (dict, list)):
                fresh = copies.get(id(value))
                if fresh is None:
                    copies[id(value)] = fresh = value.copy()
                    todo.append(fresh)
                container[key] = fresh
    return copy


def plain_copy(value: dict[Any, Any] | list[Any]) -> Any:
    """Copy a result that is plain JSON data with ASCII strings only; return None for any other result.

    This is faster than `encode`.
    """
    holder: list[Any] = [value]
    todo: list[tuple[Any, int]] = [(holder, 0)]
    while todo:
        container, depth = todo.pop()
        if depth > MAX_COPIED_DEPTH:
            return None
        is_object = type(container) is dict
        for key, member in container.items() if is_object else enumerate(container):
            kind = type(member)
            if kind is dict or kind is list:
                container[key] = fresh = member.copy()
                todo.append((fresh, depth + 1))
            elif kind is str:
                if not member.isascii():
                    return None
            elif kind is float:
                if not math.isfinite(member):
                    return None
            elif kind is not int and kind is not bool and member is not None:
                return None
            if is_object and (type(key) is not str or not key.isascii()):
                return None
    return holder[0]


def encode(result: object) -> tuple[Any, list[ValidationIssue]]:
    """Convert a result to JSON as pydantic does, and return it with an issue for each part that is lost.

    The result itself does not change. NaN and infinities become null, unless a pydantic model has another rule. An
    object of an unknown type becomes the name of its type in `<>`, and so does a result that contains itself or is
    nested too deeply.
    """
    encoder = _Encoder()
    return encoder.encode(result), encoder.issues


class _Encoder:
    def __init__(self) -> None:
        self.issues: list[ValidationIssue] = []
        self._unknown: set[str] = set()

    def encode(self, result: object) -> Any:
        if isinstance(result, Iterator):  # not read: it may have no end
            return self._cleaned(self._other(result), ())
        if isinstance(result, (bytes, bytearray, memoryview)):
            raw = bytes(result)
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return b64encode(raw).decode("ascii")
        from pydantic_core import to_jsonable_python  # loaded with the first result that needs it

        for bytes_mode in ("utf8", "base64"):
            try:
                value = to_jsonable_python(
                    result,
                    by_alias=True,
                    bytes_mode=bytes_mode,
                    inf_nan_mode="constants",
                    fallback=self._other,
                )
                if not self._unknown and _is_clean(value):
                    return value
                return self._cleaned(value, ())
            except Exception:  # the result may run any code; bytes may not be UTF-8
                self.issues.clear()
        return self._cleaned(self._named(result), ())

    def _other(self, value: Any) -> Any:
        """Return a value that pydantic can write, as a replacement for one that it cannot."""
        try:
            if isinstance(value, Mapping):
                return dict(value)
            if isinstance(value, Sequence):
                return list(value)
            # Arrays and scalars of numpy and similar libraries have `tolist`.
            if isinstance(value, os.PathLike):
                return os.fspath(value)
            return value.tolist()
        except Exception:  # lazy containers may run any code when they are read
            return self._named(value)

    def _named(self, value: object) -> str:
        name = f"<{type(value).__name__}>"
        self._unknown.add(name)
        return name

    def _cleaned(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """Return a value without the parts that JSON cannot represent, and add an issue for each part."""
        if isinstance(value, dict):
            return {key: self._cleaned(member, (*path, key)) for key, member in value.items()}
        if isinstance(value, list):
            return [self._cleaned(member, (*path, at)) for at, member in enumerate(value)]
        if isinstance(value, float) and not math.isfinite(value):
            return self._lost(path, "a finite number", repr(value), None)
        if isinstance(value, str):
            if value in self._unknown:
                return self._lost(path, "a JSON value", value[1:-1], value)
            if not value.isascii() and (whole := value.encode("utf-8", "replace").decode("utf-8")) != value:
                return self._lost(path, "text without lone surrogates", "text", whole)
        return value

    def _lost(self, path: tuple[str | int, ...], expected: str, got: str, value: Any) -> Any:
        self.issues.append(ValidationIssue(path, "json", expected, got))
        return value


ResultCheck = Callable[[Any], list[ValidationIssue]]
"""A function that returns the issues of a structured result, according to the tool's output schema."""


def result_check(tool: Tool[Any]) -> ResultCheck | None:
    """Return a function that checks results against the tool's output schema.

    Return None if the tool has no output schema, or if its output schema cannot be compiled here.
    """
    schema = tool.output_schema
    if schema is None:
        return None
    try:
        compiled = tools_of([{"name": tool.name, "schema": schema}], keep_going=True).get(tool.name)
    except ImportError:  # without `toolgen[dynamic]`; an option that needs it is refused when it is set
        return None
    return None if compiled is None else compiled.validate


def differences(check: ResultCheck, value: Any, read: McpResult | None) -> Sequence[ValidationIssue]:
    """Return the issues of a result that does not match its tool's output schema.

    `value` is the result as JSON, and `read` is the same result as an MCP result if it is one. In an MCP result, only
    the structured content is checked, if there is any. Text and numbers alone are not checked.
    """
    value = value if read is None else read.structured
    if value is MISSING or (read is None and not isinstance(value, (dict, list))):
        return ()
    return check(value)


MAX_NAMED = 3
"""The maximum number of differences that the sentence about a result names."""


def differences_in_words(issues: Sequence[ValidationIssue]) -> str:
    """Return a sentence that says how a result breaks its tool's output schema.

    Models, people and errors all get this sentence.
    """
    from toolgen_runtime.hints.quoting import shown

    named = [f"{shown(i.field) if i.path else 'it'} ({i.constraint})" for i in issues[:MAX_NAMED]]
    if len(issues) > MAX_NAMED:
        more = f" and {len(issues) - MAX_NAMED} more"
    else:
        more = ""
    return f"the result is not as the tool declares it: {', '.join(named)}{more}"


_as_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def _is_clean(value: Any) -> bool:
    """Return whether JSON can represent a value that pydantic wrote. The check runs in C, so it is fast."""
    try:
        _as_text(value).encode()
    except ValueError:  # infinite, not a number, a lone surrogate
        return False
    return True
