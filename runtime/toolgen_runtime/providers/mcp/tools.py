"""Tools as an MCP server lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.codec import Codec, codec_for
from toolgen_runtime.providers.definitions import (
    Choice,
    Dialect,
    Lowered,
    ToolDefinition,
    Tools,
    definition,
    lower,
)

_DIALECT = Dialect("mcp", no_choice=frozenset({"required", "none", "tool"}))


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    tool["inputSchema"] = defined.schema
    return tool


def _render(definitions: list[ToolDefinition], _: Choice) -> dict[str, Any]:
    return {"tools": [_tool(d) for d in definitions]}


def lower_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> Lowered:
    """`encode_tools`, with a diagnostic for each loss."""
    codec = codec or codec_for("mcp")
    return lower(toolset, _DIALECT, _render, choice=choice, thinking=thinking, strict=strict, codec=codec)


def encode_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> dict[str, Any] | None:
    """The result of `tools/list`; None for no tools. MCP has no choice: any but `auto` is a diagnostic.

    `choice` is `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that
    is called like one of those; while `thinking` is on no call is forced. `strict` asks for strict tools
    wherever that accepts no less than the schema.

    Raises:
        ValueError: `choice` names no tool of the toolset.
    """
    lowered = lower_tools(toolset, choice=choice, thinking=thinking, strict=strict, codec=codec)
    return lowered.block


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The tools of a `tools/list` result."""
    codec = codec or codec_for("mcp")
    return [
        definition(codec, t["name"], t.get("description"), t["inputSchema"])
        for t in (block or {}).get("tools", ())
    ]
