"""Tool definitions, and what is said of reading and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolgen_runtime.providers.shared.messages.native import as_list
from toolgen_runtime.providers.shared.shapes import Native, at_path
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.transcript.messages import Block, CachePoint, Opaque, Source
from toolgen_runtime.validation.tool import Tool


@dataclass(frozen=True, slots=True)
class ProviderDiagnostic:
    """Something that a provider cannot express, and what was sent instead.

    `code` is stable. `tool` is the tool's own name, or "". `pointer` is a JSON pointer: into the tool's
    schema for a definition, into the transcript (`/turns/2/blocks/0`) for a message.
    """

    code: str
    message: str
    tool: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class EncodedTools:
    """A provider's tools block (None for no tools) and every loss on the way there."""

    block: dict[str, Any] | None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a provider's block defines it: `name` decoded, `schema` unwrapped, `strict` if it says so.

    A `custom` tool takes a text. `source` is the native definition; what it says beside this (`defer_loading`,
    `allowed_callers`, `input_examples`) goes back to its own provider and is a diagnostic to any other.
    """

    name: str
    description: str
    schema: dict[str, Any] | bool
    strict: bool = False
    kind: str = field(default="function", kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)
    namespace_description: str = field(default="", kw_only=True)
    cache: CachePoint | None = field(default=None, kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class DecodedTools:
    """The tools that a block defines, and a diagnostic for each entry that defines none.

    `others` are those entries; the provider itself can have them back.
    """

    definitions: list[ToolDefinition]
    diagnostics: tuple[ProviderDiagnostic, ...] = ()
    others: tuple[Native, ...] = ()


Tools = Mapping[str, Tool[Any]] | Mapping[str, ToolDefinition] | Iterable[ToolDefinition]
"""What `encode_tools` takes: a toolset, or the definitions that were read from any provider's block."""

NamedTools = Mapping[str, "Tool[Any] | ToolDefinition"]


def named_tools(tools: Tools) -> NamedTools:
    """Return tools by their names."""
    if isinstance(tools, Mapping):
        return cast("NamedTools", tools)
    return {defined.name: defined for defined in tools}


def defined_in(block: Block) -> list[Any]:
    """Return the native tools that a block among the messages defines."""
    value = block.value if isinstance(block, Opaque) else None
    if not isinstance(block, Opaque) or not isinstance(value, dict):
        return []
    path = wire_of(block.provider).messages.definitions.get(str(value.get("type")))
    return [] if path is None else as_list(at_path(value, path))
