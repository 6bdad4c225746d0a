"""A tool's result as a JSON value: what JSON cannot hold is an issue and not an exception.

No result schema is enforced; a result is whatever the handler returns.
"""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from toolgen_runtime.validation.issues import ValidationIssue

MAX_DEPTH = 100
"""Levels of containers; what lies deeper is left out."""

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Encoded:
    """`value` is JSON all through; `issues` (constraint `json`) name what had to be left out or replaced."""

    value: Any
    issues: tuple[ValidationIssue, ...]


def encode(result: object) -> Encoded:
    """Return the JSON value of a result, best effort; the result itself is not touched.

    Models become objects by alias, dataclasses objects, sets and other sequences arrays (sets sorted), enums
    their values, bytes text (base64 where they are no UTF-8), and dates, UUIDs, paths and the like what
    pydantic makes of them. NaN, the infinities, references to an enclosing container and what lies too deep
    become null, an object of an unknown type its type's name in `<>`, each with an issue; but what a model
    itself puts as JSON stands, so that its own rule for NaN holds.
    """
    encoder = _Encoder()
    return Encoded(encoder.encode(result, ()), tuple(encoder.issues))


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


def plain_mapping(mapping: dict[str, Any]) -> Any:
    """Return what `encode` makes of the parts of an MCP result, by pydantic alone; None if `encode` must do it."""
    try:
        return plain_copy(_by_pydantic(mapping))
    except Exception:  # any object's own code may be running here
        return None


class _Encoder:
    def __init__(self) -> None:
        self.issues: list[ValidationIssue] = []
        self._open: set[int] = set()  # identities of the containers around the current value

    def encode(self, value: object, path: _Path) -> Any:
        if value is None or value is True or value is False:
            return value
        if isinstance(value, Enum):
            return self.encode(value.value, path)
        if isinstance(value, str):
            return self._text(value, path)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else self._lost(value, path, "a finite number")
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _text_of_bytes(bytes(value))
        return self._container(value, path)

    def _container(self, value: object, path: _Path) -> Any:
        if id(value) in self._open:
            return self._lost(value, path, "no reference to what encloses it")
        if len(self._open) >= MAX_DEPTH:
            return self._lost(value, path, f"at most {MAX_DEPTH} levels")
        self._open.add(id(value))
        try:
            return self._members(value, path)
        except Exception:  # lazy containers run code of their own, and fail when they are looked into
            return self._unknown(value, path)
        finally:
            self._open.discard(id(value))

    def _members(self, value: object, path: _Path) -> Any:
        if isinstance(value, Mapping):
            return self._object(value, path)
        if isinstance(value, AbstractSet):
            return sorted((self.encode(item, path) for item in value), key=_sort_key)
        if isinstance(value, Sequence):
            return [self.encode(item, (*path, i)) for i, item in enumerate(value)]
        if is_dataclass(value) and not isinstance(value, type):
            return self._object({f.name: getattr(value, f.name) for f in fields(value)}, path)
        return self._foreign(value, path)

    def _object(self, mapping: Mapping[Any, object], path: _Path) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in mapping.items():
            name = self._key(key, path)
            if name in out:
                self._lost(key, (*path, name), "keys that differ as text")
            else:
                out[name] = self.encode(value, (*path, name))
        return out

    def _key(self, key: object, path: _Path) -> str:
        encoded = self.encode(key, path)
        if isinstance(encoded, str):
            return encoded
        return str(key) if isinstance(encoded, (dict, list)) else json.dumps(encoded)

    def _foreign(self, value: object, path: _Path) -> Any:
        if not isinstance(value, Iterator):  # never drained: it may have no end
            for plain_form in (_by_pydantic, _by_fields, _by_items, _by_path):
                try:
                    plain = plain_form(value)
                except Exception:  # any object's own code may be running here
                    continue
                return self.encode(plain, path)
        return self._unknown(value, path)

    def _unknown(self, value: object, path: _Path) -> str:
        self._lost(value, path, "a JSON value")
        return f"<{type(value).__name__}>"

    def _text(self, value: str, path: _Path) -> str:
        if value.isascii():
            return str(value)
        whole = value.encode("utf-8", "replace").decode("utf-8")
        if whole != value:
            self._lost("text", path, "text without lone surrogates")
        return whole

    def _lost(self, value: object, path: _Path, expected: str) -> None:
        got = repr(value) if isinstance(value, float) else type(value).__name__
        self.issues.append(ValidationIssue(path, "json", expected, got))


def _by_pydantic(value: Any) -> Any:
    """Models, dates, UUIDs, decimals, paths, URLs and all they hold; fails where one thing in there does."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants")


def _by_fields(value: Any) -> dict[str, Any]:
    """Return a model of which pydantic could not put every field."""
    return {name: getattr(value, name) for name in type(value).model_fields}


def _by_items(value: Any) -> Any:
    """Arrays and scalars of numpy and its kin."""
    return value.tolist()


def _by_path(value: Any) -> Any:
    return os.fspath(value)


def _text_of_bytes(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return b64encode(raw).decode("ascii")


def _sort_key(value: object) -> tuple[str, str]:
    return type(value).__name__, json.dumps(value)
