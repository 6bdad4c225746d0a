"""OpenAI functions: chat tools (`function`), flat Responses tools, and the older `functions`.

A function without parameters takes none (OpenAI API reference), so that is not a warning.
"""

from __future__ import annotations

from toolgen.specs.shapes.entry import Entry
from toolgen.specs.shapes.shape import Shape


def _without_schema(entry: Entry) -> bool:
    return bool(entry.value.get("type") == "function")


SHAPE = Shape(
    name="an OpenAI function",
    provider="OpenAI",
    schema_keys=("parameters",),
    wrappers=("function",),
    lists=("functions",),
    namespaces=("namespace",),
    without_schema=_without_schema,
)
