"""Tools as generateContent takes them."""

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

_DIALECT = Dialect("gemini")
_MODES = {"auto": "AUTO", "required": "ANY", "tool": "ANY", "none": "NONE"}


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    return {
        "name": defined.name,
        "description": defined.description,  # required by the API
        "parametersJsonSchema": defined.schema,
    }


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    calling: dict[str, Any] = {"mode": _MODES[choice.word]}
    if choice.word == "tool":
        calling["allowedFunctionNames"] = [choice.name]
    return {
        "tools": [{"functionDeclarations": [_tool(d) for d in definitions]}],
        "toolConfig": {"functionCallingConfig": calling},
    }


def lower_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> Lowered:
    """`encode_tools`, with a diagnostic for each loss."""
    codec = codec or codec_for("gemini")
    return lower(toolset, _DIALECT, _render, choice=choice, thinking=thinking, strict=strict, codec=codec)


def encode_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> dict[str, Any] | None:
    """`tools` and `toolConfig` of a request; None for no tools.

    `choice` is `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that
    is called like one of those; while `thinking` is on no call is forced. `strict` asks for strict tools
    wherever that accepts no less than the schema.

    Raises:
        ValueError: `choice` names no tool of the toolset.
    """
    lowered = lower_tools(toolset, choice=choice, thinking=thinking, strict=strict, codec=codec)
    return lowered.block


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The functions that a block declares with a JSON Schema; built-in tools declare none."""
    codec = codec or codec_for("gemini")
    declared = [d for tool in (block or {}).get("tools", ()) for d in tool.get("functionDeclarations", ())]
    return [
        definition(codec, d["name"], d.get("description"), d.get("parametersJsonSchema", {}))
        for d in declared
    ]
