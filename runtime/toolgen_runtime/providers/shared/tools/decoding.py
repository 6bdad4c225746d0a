"""Reading the tools that a provider's block defines: what all of them do alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.providers.shared.messages.native import Native, as_list, plain, text_or_none, unread
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.thinking import at_path
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_runtime.providers.shared.tools.schemas import unwrapped_schema
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.schema.openapi import to_json_schema
from toolgen_runtime.transcript.messages import CachePoint, Source


@dataclass(frozen=True, slots=True)
class DecodedTools:
    """The tools that a block defines, and a diagnostic for each entry that defines none.

    `others` are those entries; the provider itself can have them back.
    """

    definitions: list[ToolDefinition]
    diagnostics: tuple[ProviderDiagnostic, ...] = ()
    others: tuple[Native, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDecoder:
    """`read_tools` and `decode_tools` of a provider, by the facts about its tools.

    `normalize` gives a block of an older form as the API has it now.
    """

    wire: Wire
    normalize: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict

    def read_tools(self, block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> DecodedTools:
        """Return the tools that a block defines; tools that the provider runs itself are a diagnostic each."""
        codec = codec or codec_for(self.wire.provider)
        definitions: list[ToolDefinition] = []
        diagnostics: list[ProviderDiagnostic] = []
        others: list[Native] = []
        for entry, members, space in self._entries(plain(self.normalize(block or {}).get("tools")) or ()):
            point = entry.get(self.wire.request.cache_block)
            if members is not None:
                definitions.append(self._definition(entry, members, space, codec))
            elif isinstance(point, dict) and definitions:
                definitions[-1] = replace(definitions[-1], cache=_cache_point(point))
            else:
                kind = "cache point" if isinstance(point, dict) else _entry_kind(entry)
                message = f"{kind} defines no tool of the caller's: only {self.wire.provider} knows it"
                diagnostics.append(ProviderDiagnostic("tool-dropped", message))
                others += [] if isinstance(point, dict) else [entry]
        return DecodedTools(definitions, tuple(diagnostics), tuple(others))

    def decode_tools(
        self, block: Mapping[str, Any] | None, *, codec: Codec | None = None
    ) -> list[ToolDefinition]:
        """Return the tools that a block defines; those that the provider runs itself define none."""
        return self.read_tools(block, codec=codec).definitions

    def _entries(self, tools: Iterable[Any]) -> Iterator[tuple[Native, Native | None, Native]]:
        """Yield each entry, its members with name and schema if it is the caller's, and its namespace."""
        groups = self.wire.tools.group_keys
        for tool in tools:
            if not isinstance(tool, dict):
                continue
            for key, value in tool.items() if groups else ():
                if key in groups:
                    yield from ((each, each, {}) for each in as_list(value) if isinstance(each, dict))
                elif value is not None:
                    yield {str(key): value}, None, {}
            if groups:
                continue
            inner = tool.get("tools") if tool.get("type") == "namespace" else None
            if isinstance(inner, list):
                yield from ((each, self._members(each), tool) for each in inner if isinstance(each, dict))
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
        return tool if own else None

    @property
    def _has_custom(self) -> bool:
        return "custom" in self.wire.messages.attributes

    def _definition(self, entry: Native, members: Native, space: Native, codec: Codec) -> ToolDefinition:
        shape, mark = self.wire.tools, entry.get("cache_control")
        says = entry.get("type") == "custom" if members is entry else members is entry.get("custom")
        custom = self._has_custom and says
        given = [
            (path[0], value) for path in shape.schema_paths if (value := at_path(members, path)) is not None
        ]
        schema = given[0][1] if given else {}
        if given and given[0][0] in shape.openapi_keys:
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


def _cache_point(mark: Native) -> CachePoint:
    return CachePoint(text_or_none(mark.get("ttl")))


def _entry_kind(entry: Mapping[str, Any]) -> str:
    """Return what an entry is called: its type, or the name of its first member."""
    return text_or_none(entry.get("type")) or str(next(iter(entry), "an empty entry"))
