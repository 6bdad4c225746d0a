"""JSON copies: of a payload, so that nobody changes another's, and of what a handler returned, as far as it goes.

Also what differs between a structured result and the output schema of its tool: MCP asks clients to check that
(2025-11-25, server/tools, "Output Schema"); a result that differs is still what the tool gave.
"""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.exports import loaded_late
from toolgen_runtime.mcp_result import McpResult
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.tool import Tool

MAX_DEPTH = 200
"""Levels of containers that are copied without pydantic, which goes somewhat deeper."""


_pydantic_core = loaded_late("pydantic_core")
_SCALARS = frozenset((str, int, float, bool, type(None)))


def copied(payload: Any) -> Any:
    """Return a JSON value that shares no container with the original; of any depth.

    The original often is part of the message history, where a handler's `pop` must not show. A container that is
    there several times, or within itself, is so in the copy.
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
    """Return what `encode` makes of JSON of ASCII texts, without a call for each value; None of anything else."""
    holder: list[Any] = [value]
    todo: list[tuple[Any, int]] = [(holder, 0)]
    while todo:
        container, depth = todo.pop()
        if depth > MAX_DEPTH:
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
    """Return the JSON value of a result as pydantic writes it, and an issue for each thing that is lost.

    The result itself is not touched. NaN and the infinities become null, objects of an unknown type its name in `<>`; a
    model's own rule for NaN holds. What contains itself, or is too deep, is lost as a whole.
    """
    encoder = _Encoder()
    return encoder.encode(result), encoder.issues


class _Encoder:
    def __init__(self) -> None:
        self.issues: list[ValidationIssue] = []
        self._unknown: set[str] = set()

    def encode(self, result: object) -> Any:
        if isinstance(result, Iterator):  # never drained: it may have no end
            return self._cleaned(self._other(result), ())
        if isinstance(result, (bytes, bytearray, memoryview)):
            raw = bytes(result)
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return b64encode(raw).decode("ascii")
        to_jsonable_python = _pydantic_core().to_jsonable_python
        for bytes_mode in ("utf8", "base64"):
            try:
                value = to_jsonable_python(
                    result,
                    by_alias=True,
                    bytes_mode=bytes_mode,
                    inf_nan_mode="constants",
                    fallback=self._other,
                )
                return value if not self._unknown and _is_clean(value) else self._cleaned(value, ())
            except Exception:  # any object's own code may be running here; bytes may be no UTF-8
                self.issues.clear()
        return self._cleaned(self._named(result), ())

    def _other(self, value: Any) -> Any:
        """Return what pydantic can write in place of a value that it cannot."""
        try:
            if isinstance(value, Mapping):
                return dict(value)
            if isinstance(value, Sequence):
                return list(value)
            # Arrays and scalars of numpy and its kin.
            return os.fspath(value) if isinstance(value, os.PathLike) else value.tolist()
        except Exception:  # lazy containers run code of their own, and fail when they are looked into
            return self._named(value)

    def _named(self, value: object) -> str:
        name = f"<{type(value).__name__}>"
        self._unknown.add(name)
        return name

    def _cleaned(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """Return a value without what JSON has no form for."""
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


def differences(tool: Tool[Any], value: Any, read: McpResult | None) -> list[ValidationIssue]:
    """Return what differs between a result and its tool's output schema; nothing if that cannot be compiled.

    Args:
        tool: the tool; one without an output schema says nothing of its results.
        value: the result as JSON.
        read: the same as an MCP result, whose structured content counts, if there is any.

    Raises:
        ImportError: there is a schema to compile, and `toolgen[dynamic]` is not installed.
    """
    schema, value = tool.output_schema, value if read is None else read.structured
    if schema is None or value is MISSING or (read is None and not isinstance(value, (dict, list))):
        return []
    compiled = tools_of([{"name": tool.name, "schema": schema}], keep_going=True).get(tool.name)
    return [] if compiled is None else compiled.validate(value)


_as_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def _is_clean(value: Any) -> bool:
    """Return whether JSON has a form for all of what pydantic has written: asked in C, not value by value."""
    try:
        _as_text(value).encode()
    except ValueError:  # infinite, not a number, a lone surrogate
        return False
    return True
