"""Tool definitions, and the diagnostics from reading and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, cast

from toolgen_runtime.validation.tool import Tool
from toolgen_transcripts.codec.members import Native, as_list, at_path
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.messages import Block, CachePoint, Opaque, Source


@dataclass(frozen=True, slots=True)
class ProviderDiagnostic:
    """A report of something that a provider cannot express, and of what replaces it.

    `code` is stable. `tool` is the tool's original name, or `""`. `pointer` is a JSON pointer: into the tool's schema
    for a definition, and into the transcript (`/turns/2/blocks/0`) for a message.
    """

    code: str
    message: str
    tool: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class EncodedTools:
    """The tools of a request in a provider's format, with a diagnostic for everything that was lost.

    The block is None if there are no tools.
    """

    block: dict[str, Any] | None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that was read from a request, with its original name and schema.

    A `custom` tool takes a string. `source` is the native definition. Its other fields (`defer_loading`,
    `allowed_callers`, `input_examples`) are sent back to the same provider, and give a diagnostic for any other.
    """

    name: str
    description: str
    schema: dict[str, Any] | bool
    strict: bool = False
    _: KW_ONLY
    kind: str = "function"
    namespace: str | None = None
    namespace_description: str = ""
    cache: CachePoint | None = None
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DecodedTools:
    """The tools that were read from a request.

    There is a diagnostic for each entry that is not one of the caller's tools.

    `others` contains these other entries, which can be sent back to the same provider.
    """

    definitions: list[ToolDefinition]
    diagnostics: tuple[ProviderDiagnostic, ...] = ()
    others: tuple[Native, ...] = ()


NamedTools = Mapping[str, ToolDefinition]

Tools = Mapping[str, Tool[Any] | ToolDefinition] | Iterable[ToolDefinition]
"""The tools that `encode_tools` accepts: a toolset, or the definitions from any provider's tools block."""


def named_tools(tools: Tools) -> NamedTools:
    """Return a dict of tool definitions by name.

    Raises:
        TypeError: `tools` is neither a toolset nor definitions.
    """
    if isinstance(tools, Mapping):
        given = cast("Mapping[str, Tool[Any] | ToolDefinition]", tools)
        return {name: _definition(tool) for name, tool in given.items()}
    found = list(tools) if isinstance(tools, Iterable) else [tools]
    for each in found:
        if not isinstance(each, ToolDefinition):
            kind = type(each).__name__
            raise TypeError(f"tools are a toolset or ToolDefinitions, not {kind}: pass compile_tools(...)")
    return {defined.name: defined for defined in found}


def _definition(tool: Tool[Any] | ToolDefinition) -> ToolDefinition:
    if isinstance(tool, ToolDefinition):
        return tool
    return ToolDefinition(tool.name, tool.description, tool.schema)


def defined_in(block: Block) -> list[Any]:
    """Return the native tools that are defined inside a block of a message."""
    if not isinstance(block, Opaque):
        return []
    path = wire_of(block.provider).messages.definitions.get(str(at_path(block.value, ("type",))))
    if path is None:
        return []
    return as_list(at_path(block.value, path))
