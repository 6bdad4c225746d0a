"""Read the tool definitions of a request, and find malformed keywords in their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.schema.keywords import KEYWORDS
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import each_schema, listed, map_schema, named
from toolgen_runtime.schema.shapes import STRING
from toolgen_transcripts.codec.members import JsonObject, Native, at_path
from toolgen_transcripts.codec.shapes import ToolShape
from toolgen_transcripts.tools.openapi import json_type


@dataclass(frozen=True, slots=True)
class NativeTool:
    """One tool definition in a request.

    `spec` is the native dict that has the name, and `place` is its place in the server's notation. With `openapi`, the
    schema is an OpenAPI schema and not a JSON Schema.
    """

    spec: Native
    place: str
    schema_keys: tuple[str, ...]
    openapi: bool = False

    @property
    def name(self) -> object:
        """The tool's name as it is in the request."""
        return self.spec.get("name")

    @property
    def schema(self) -> Any:
        """The tool's schema, or None if it has none."""
        return at_path(self.spec, self.schema_keys)

    def root_is_object(self, shape: ToolShape) -> bool:
        """Return whether the schema's root has the type `object`, or needs no type (`root-not-object`)."""
        schema = self.schema
        if not isinstance(schema, dict):
            return schema is None and shape.schema_optional
        kind = schema.get("type")
        if kind is None:
            return shape.untyped_root
        if self.openapi:
            kind = json_type(kind.upper() if isinstance(kind, str) else kind)
        return bool(kind == "object")

    def put_schema(self, schema: Any) -> None:
        """Replace the schema in the definition (`spec`)."""
        holder = self.spec
        for key in self.schema_keys[:-1]:
            holder = holder[key]
        holder[self.schema_keys[-1]] = schema

    @property
    def schema_place(self) -> str:
        """The path of the schema in the request."""
        return ".".join((self.place, *self.schema_keys))


def _definition(spec: Native, place: str, shape: ToolShape) -> NativeTool:
    """Return the definition, with the first possible path at which it has a schema."""
    found = [NativeTool(spec, place, path, path[-1] in shape.openapi_keys) for path in shape.schema_paths]
    return next((tool for tool in found if tool.schema is not None), found[0])


def listed_tools(tools: JsonObject) -> list[Any]:
    """Return the entries of a tools block as a list, even if there is only one entry outside a list."""
    found = tools.get("tools")
    if isinstance(found, Mapping):
        return [found]
    return list(found) if isinstance(found, list | tuple) else []


def native_tools(tools: JsonObject, shape: ToolShape) -> Iterator[NativeTool]:
    """Yield the definition of every tool that the caller runs, without the server's own tools and cache
    points.
    """
    for index, tool in enumerate(listed_tools(tools)):
        if not isinstance(tool, dict):
            continue
        kind = tool.get("type")
        if shape.types and isinstance(kind, str) and kind not in shape.types:
            continue
        for key in shape.group_keys:
            for number, spec in enumerate(listed(tool, key)):
                if isinstance(spec, dict):
                    yield _definition(spec, shape.place("tools", index, key, number), shape)
        inner = tuple(filter(None, (shape.definition_key,)))
        spec = at_path(tool, inner)
        if isinstance(spec, dict) and not shape.group_keys:
            found = _definition(spec, shape.place("tools", index, *inner), shape)
            if found.schema is not None or (shape.schema_optional and "name" in spec):
                yield found


def choice_of(tools: JsonObject, shape: ToolShape) -> str:
    """Return which tool choice a request has: `auto`, `any`, `tool` or `none`.

    Return an empty string if there is none.
    """
    chosen = named(tools, shape.choice_key)
    if shape.choice_type_key:
        return str(chosen.get(shape.choice_type_key, ""))
    return next(iter(chosen), "")


_SHAPES = {
    **{row.name: row.shape for row in KEYWORDS.values() if not row.is_annotation},
    **dict.fromkeys(("title", "description", "$id", "$anchor"), STRING),
}
"""The required form of each keyword's value. A build validates schemas against the metaschema; this is only a part of
that.
"""


def _malformed(schema: Native) -> list[str]:
    def fit(word: str, value: Any) -> bool:
        return _SHAPES[word].fits(value) and (word != "required" or len(set(value)) == len(value))

    return [word for word, value in schema.items() if word in _SHAPES and not fit(word, value)]


def malformed_keywords(schema: Any) -> Iterator[str]:
    """Yield the JSON pointer to each keyword that has an invalid value."""
    for steps, part in each_schema(schema):
        for word in _malformed(part):
            yield join(*steps, word)


def without_malformed(schema: Native) -> Native:
    """Return a copy of the schema without malformed keywords, which servers reject."""
    return map_schema(schema, lambda part: {k: part[k] for k in part if k not in _malformed(part)})
