"""The export shapes, and which of them an entry is of: decided from what the shapes declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolgen.specs.shapes.entry import TOOLS, Entry
from toolgen.specs.shapes.providers import SHAPES
from toolgen.specs.shapes.shape import ExportShape


def _union(declared: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for keys in declared for key in keys))


TOOL_KEYS = _union(shape.tool_keys for shape in SHAPES)
"""Every key under which some shape keeps a schema or a tool."""

LISTS = _union(((TOOLS,), *(shape.lists for shape in SHAPES)))
"""The keys under which exports keep their tools."""

ENVELOPES = _union(shape.envelopes for shape in SHAPES)
"""Keys of objects around a list of tools."""


NAMESPACES = _union(shape.namespaces for shape in SHAPES)
"""The `type` of a named group whose tools are called `<group>.<tool>`."""


def _expected() -> str:
    *others, last = (shape.provider for shape in SHAPES if shape.provider)
    return f"an {', '.join(others)} or {last} tool, or {{name, description, schema}}"


EXPECTED = _expected()
"""What a hint says is read."""


def shapes_of(entry: Entry) -> list[ExportShape]:
    """Return the shapes that an entry is of: one, none if it is not a tool, several if it is ambiguous."""
    keys = [key for key in TOOL_KEYS if key in entry.value]
    if keys:
        found = [shape for key in keys for shape in _shapes_of_key(key, entry)]
        return [shape for shape in SHAPES if shape in found]
    of_list = [shape for shape in SHAPES if entry.within in shape.lists]
    return of_list or [shape for shape in SHAPES if shape.without_schema(entry)]


def _shapes_of_key(key: str, entry: Entry) -> list[ExportShape]:
    taken = [shape for shape in SHAPES if shape.takes(key, entry)]
    return taken or [shape for shape in SHAPES if shape.owns(key)]


def keys_to_tools(value: Mapping[str, Any]) -> list[str]:
    """Return the keys of an object that lead to tools: lists, and envelopes with a list somewhere in them."""
    lists = [key for key in LISTS if value.get(key) is not None]
    envelopes = [key for key in ENVELOPES if isinstance(value.get(key), dict) and keys_to_tools(value[key])]
    return lists + envelopes
