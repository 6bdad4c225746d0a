"""Tools as Chat Completions takes them."""

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
from toolgen_runtime.providers.strict import OPENAI

_DIALECT = Dialect("openai", flat_root=True, strict=OPENAI)


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    function: dict[str, Any] = {"name": defined.name}
    if defined.description:
        function["description"] = defined.description
    assert isinstance(defined.schema, dict)
    function["parameters"] = {"properties": {}, **defined.schema}  # OpenAI refuses an object without
    if defined.strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    chosen: Any = choice.word
    if choice.word == "tool":
        chosen = {"type": "function", "function": {"name": choice.name}}
    return {"tools": [_tool(d) for d in definitions], "tool_choice": chosen}


def lower_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> Lowered:
    """`encode_tools`, with a diagnostic for each loss."""
    codec = codec or codec_for("openai")
    return lower(toolset, _DIALECT, _render, choice=choice, thinking=thinking, strict=strict, codec=codec)


def encode_tools(
    toolset: Tools,
    *,
    choice: str | Mapping[str, str] = "auto",
    thinking: bool = False,
    strict: bool = False,
    codec: Codec | None = None,
) -> dict[str, Any] | None:
    """`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools.

    `choice` is `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that
    is called like one of those; while `thinking` is on no call is forced. `strict` asks for strict tools
    wherever that accepts no less than the schema.

    Raises:
        ValueError: `choice` names no tool of the toolset.
    """
    lowered = lower_tools(toolset, choice=choice, thinking=thinking, strict=strict, codec=codec)
    return lowered.block


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The functions that a block defines; custom tools define none."""
    codec = codec or codec_for("openai")
    functions = [tool["function"] for tool in (block or {}).get("tools", ()) if "function" in tool]
    return [
        definition(codec, f["name"], f.get("description"), f.get("parameters", {}), f.get("strict"))
        for f in functions
    ]
