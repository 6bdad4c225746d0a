"""Read and write the tool definitions of an API, which is described by its `Wire`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar

from toolgen_runtime.schema.raw import map_schema
from toolgen_transcripts.codec.decoding import cache_mark
from toolgen_transcripts.codec.members import (
    JsonObject,
    Native,
    as_list,
    at_path,
    nested,
    renamed,
    text_or_none,
    unread,
)
from toolgen_transcripts.codec.models import rejects_forced
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.shapes import NAME, NAMES, TOOLS
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import CachePoint, Source
from toolgen_transcripts.tools.choice import Choice, ResolvedChoice, resolve_choice
from toolgen_transcripts.tools.definitions import (
    DecodedTools,
    EncodedTools,
    ProviderDiagnostic,
    ToolDefinition,
    Tools,
    named_tools,
)
from toolgen_transcripts.tools.lowering import Strict, lower_definitions
from toolgen_transcripts.tools.openapi import to_json_schema
from toolgen_transcripts.tools.schemas import types_of, unwrapped_schema


class ToolCodec:
    """Reads and writes the tool definitions of one API (`decode_tools` and `encode_tools`)."""

    wire: ClassVar[Wire]

    def read_tools(self, block: JsonObject | None, *, codec: Codec | None = None) -> DecodedTools:
        """Read the tools that a tools block defines.

        There is a diagnostic for each tool that the provider itself runs.
        """
        codec = codec or codec_for(self.wire.provider)
        definitions: list[ToolDefinition] = []
        diagnostics: list[ProviderDiagnostic] = []
        others: list[Native] = []
        for entry, members, space in self._entries(plain((block or {}).get("tools")) or ()):
            point = entry.get(self.wire.request.cache_block)
            if members is not None:
                definitions.append(self._definition(entry, members, space, codec))
            elif isinstance(point, dict) and definitions:
                definitions[-1] = replace(definitions[-1], cache=_cache_point(point))
            else:
                kind = text_or_none(entry.get("type")) or str(next(iter(entry), "an empty entry"))
                if isinstance(point, dict):
                    kind = "cache point"
                else:
                    others.append(entry)
                message = f"{kind} defines no tool of the caller's: only {self.wire.provider} knows it"
                diagnostics.append(ProviderDiagnostic("tool-dropped", message))
        return DecodedTools(definitions, tuple(diagnostics), tuple(others))

    def decode_tools(self, block: JsonObject | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
        """Return the tools that a request defines, without those that the provider runs itself."""
        return self.read_tools(block, codec=codec).definitions

    def _entries(self, tools: Iterable[Any]) -> Iterator[tuple[Native, Native | None, Native]]:
        """Yield each entry.

        If it is one of the caller's tools, also its fields with name and schema, and its namespace.
        """
        groups = self.wire.tools.group_keys
        for tool in tools:
            if not isinstance(tool, dict):
                continue
            if groups:
                for key, value in tool.items():
                    if key in groups:
                        yield from ((each, each, {}) for each in as_list(value) if isinstance(each, dict))
                    elif value is not None:
                        yield {str(key): value}, None, {}
            elif tool.get("type") == "namespace" and isinstance(tool.get("tools"), list):
                inner = (each for each in tool["tools"] if isinstance(each, dict))
                yield from ((each, self._members(each), tool) for each in inner)
            else:
                yield tool, self._members(tool), {}

    def _members(self, tool: Native) -> Native | None:
        shape = self.wire.tools
        if shape.definition_key:
            keys = (shape.definition_key, *(("custom",) if self._has_custom else ()))
            return next((tool[key] for key in keys if isinstance(tool.get(key), dict)), None)
        if shape.typed:
            own = tool.get("type") == "function" or (self._has_custom and tool.get("type") == "custom")
        else:
            own = shape.schema_optional or shape.schema_path[0] in tool
        if own:
            return tool
        return None

    @property
    def _has_custom(self) -> bool:
        return "custom" in self.wire.messages.attributes

    def _definition(self, entry: Native, members: Native, space: Native, codec: Codec) -> ToolDefinition:
        shape, mark = self.wire.tools, entry.get("cache_control")
        is_named = members is entry.get("custom") or (members is entry and entry.get("type") == "custom")
        custom = self._has_custom and is_named
        given = [
            (path[0], value) for path in shape.schema_paths if (value := at_path(members, path)) is not None
        ]
        key, schema = next(iter(given), ("", {}))
        if key in shape.openapi_keys:
            schema = to_json_schema(schema)
        namespace = text_or_none(space.get("name"))
        left = (*unread(entry, shape.reads), *(key for key, _ in given[1:]))
        return ToolDefinition(
            codec.decode_name(str(members.get("name", "")), namespace),
            text_or_none(members.get("description")) or "",
            unwrapped_schema({"type": "string"} if custom else schema),
            members.get("strict") is True,
            kind="custom" if custom else "function",
            namespace=namespace,
            namespace_description=text_or_none(space.get("description")) or "",
            cache=_cache_point(mark) if isinstance(mark, dict) and "cache_control" in shape.reads else None,
            source=Source(self.wire.provider, entry, left),
        )

    def encode_tools(
        self,
        toolset: Tools,
        *,
        choice: Choice = "auto",
        thinking: bool = False,
        strict: Strict = False,
        prefer: Collection[str] = (),
        model: str | None = None,
        codec: Codec | None = None,
    ) -> Native | None:
        """Return the tools in the provider's format; None if there are no tools.

        `toolset` is a toolset, or the `ToolDefinition`s that any provider's `decode_tools` returned.

        `choice` is `auto`, `required` (or `any`), `none`, or the name of a tool; if a tool has one of these words as
        its name, use `{"tool": name}`. A list of names means that one of these tools must be called. `{"tools": names,
        "mode": "auto"}` means that only these tools may be called. OpenAI's and Gemini's APIs support both. `validated`
        is a mode of Gemini, in which calls match their schemas. With `thinking`, no call is forced.

        With `strict=True`, a tool is strict if its strict schema accepts all payloads of the original schema. With
        `strict="auto"`, schemas are rewritten to be strict, within the provider's limits and with the tools in `prefer`
        first; the `codec` converts the calls back. `model` decides whether the model's server has strict tools (some
        models on Bedrock reject them) and which schemas they may have.

        Raises:
            ValueError: `choice` is not a tool of the toolset, or names several and the API takes one, or
                `strict="auto"` has no `codec`.
        """
        return self.lower_tools(
            toolset,
            choice=choice,
            thinking=thinking,
            strict=strict,
            prefer=prefer,
            model=model,
            codec=codec,
        ).block

    def lower_tools(
        self,
        toolset: Tools,
        *,
        choice: Choice = "auto",
        thinking: bool = False,
        strict: Strict = False,
        prefer: Collection[str] = (),
        model: str | None = None,
        codec: Codec | None = None,
    ) -> EncodedTools:
        """Do the same as `encode_tools`, with a diagnostic for everything that is lost. The tools keep the
        toolset's order.
        """
        tools = named_tools(toolset)
        if not tools:
            return EncodedTools(None)
        if strict == "auto" and codec is None and self.wire.tools.strict is not None:
            raise ValueError(
                "codec: strict='auto' needs a codec, which converts the calls of strict tools back"
            )
        codec = codec or codec_for(self.wire.provider)
        codec.reserve(tools)
        definitions, diagnostics = lower_definitions(
            self.wire, codec, [*tools.values()], strict, prefer, model
        )
        chosen = resolve_choice(
            choice, tools, self.wire, thinking=thinking or rejects_forced(model), codec=codec
        )
        block = {**self._rendered(definitions), **self._rendered_choice(chosen, definitions)}
        return EncodedTools(block, (*diagnostics, *chosen.losses))

    def _written(self, defined: ToolDefinition) -> list[Native]:
        """Return the entries for a definition. If it came from this provider, they have its other native fields too."""
        shape, request, source = self.wire.tools, self.wire.request, defined.source
        entry = self._entry(defined)
        if defined.cache is not None and request.cache_member:
            entry[request.cache_member] = cache_mark(defined.cache)
        if source is not None and source.provider == self.wire.provider:
            entry = _merged(deepcopy(source.value), entry, set(shape.schema_path[:1]))
            holder = entry.get(shape.definition_key, entry)
            if holder.get("strict") is True and not defined.strict:
                del holder["strict"]  # it was strict, and cannot be now
        for path in shape.other_schema_paths:  # a definition has only one schema
            entry.pop(path[0], None)
        if defined.cache is None or not request.cache_block:
            return [entry]
        return [entry, {request.cache_block: cache_mark(defined.cache, "default")}]

    def _entry(self, defined: ToolDefinition) -> Native:
        shape = self.wire.tools
        members: Native = {"name": defined.name}
        if defined.description or "description" in shape.always:
            members["description"] = defined.description
        if defined.kind != "custom":
            schema: Any = defined.schema
            if "properties" in shape.always:
                schema = {"properties": {}, **schema}
            if "items" in shape.always:
                schema = map_schema(schema, _with_items)
            members |= nested(shape.schema_path, schema)
            if defined.strict or "strict" in shape.always:
                members["strict"] = defined.strict
        key = "custom" if defined.kind == "custom" else shape.definition_key
        if shape.definition_key:
            members = {key: members}
        if shape.typed:
            return {"type": defined.kind, **members}
        return members

    def _rendered(self, definitions: list[ToolDefinition]) -> Native:
        shape = self.wire.tools
        listed: list[Native] = []
        spaces: dict[str, Native] = {}
        for defined in definitions:
            entries, name = self._written(defined), defined.namespace
            if name is None:
                listed += entries
                continue
            if name not in spaces:
                head = {"type": "namespace", "name": name, "description": defined.namespace_description}
                spaces[name] = {**head, "tools": []}
                listed.append(spaces[name])
            spaces[name]["tools"] += entries
        if shape.group_keys:
            listed = [{shape.group_keys[0]: listed}]
        return {"tools": listed}

    def _rendered_choice(self, chosen: ResolvedChoice, definitions: list[ToolDefinition]) -> Native:
        shape = self.wire.tools
        custom = {d.name for d in definitions if d.kind == "custom"}
        ones = [("custom" if name in custom else "tool", name) for name in chosen.names]
        word = chosen.word
        if word == "tool":
            word = ones[0][0]
        if word not in shape.choices:
            return {}
        placeholders = {
            NAME: next(iter(chosen.names), ""),
            NAMES: list(chosen.names),
            TOOLS: [renamed(shape.choices[word], {NAME: name}) for word, name in ones],
        }
        return nested(shape.choice_path, renamed(shape.choices[word], placeholders))


def _merged(native: Native, built: Native, whole: set[str]) -> Native:
    """Merge the new fields into the native ones. Fields in `whole` (the schema) are replaced and not merged."""
    out = {**native, **built}
    for key, value in built.items():
        if isinstance(value, dict) and isinstance(native.get(key), dict) and key not in whole:
            out[key] = _merged(native[key], value, whole)
    return out


def _with_items(schema: Native) -> Native:
    if "array" in types_of(schema) and "items" not in schema:
        return {**schema, "items": {}}
    return schema


def _cache_point(mark: Native) -> CachePoint:
    return CachePoint(text_or_none(mark.get("ttl")))
