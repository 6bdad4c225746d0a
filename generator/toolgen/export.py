"""`export`: tools in the shape of a provider, with a diagnostic for each thing that it cannot express."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from toolgen.diagnostics import Diagnostic, Place
from toolgen.specs.load import read_value
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.tool import Tool

PROVIDERS: Final = {
    "mcp": "mcp",
    "openai": "openai",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
}
"""The module of `toolgen_runtime.providers` that writes each shape."""
_ENVELOPES: Final = {"bedrock": "toolConfig"}
"""The key of a request that the tools block stands under, where it is not part of the request itself."""
_ADVICE: Final = "change the tool, if that matters"


@dataclass(frozen=True, slots=True)
class Exported:
    """The value of a spec file, and what it has lost."""

    value: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]


def export(specs: Sequence[ToolSpec], shape: str) -> Exported:
    """Return tools in a shape of `PROVIDERS`, in their order; where nothing is lost, reading it gives the same tools.

    The shape accepts no less than the tools' own schemas do; each loss is a warning, `lossy-export`.
    """
    provider = import_module(f"toolgen_runtime.providers.{PROVIDERS[shape]}")
    by_name = {spec.name: spec for spec in specs}
    encoded = provider.lower_tools({spec.name: _tool(spec) for spec in specs})
    tools = [] if encoded.block is None else encoded.block["tools"]
    lost = [_diagnostic(by_name.get(loss.tool), loss) for loss in encoded.diagnostics]
    told = {loss.tool for loss in lost}
    if shape == "mcp":
        pairs = zip(tools, specs, strict=True)
        tools = [
            {**(tool if spec.name in told else _as_written(tool, spec)), **spec.metadata}
            for tool, spec in pairs
        ]
    else:
        lost += _metadata_losses(specs, shape)
    envelope = _ENVELOPES.get(shape)
    value = {envelope: {"tools": tools}} if envelope else {"tools": tools}
    lost += _silent_changes([spec for spec in specs if spec.name not in told], value, shape)
    return Exported(value, tuple(lost))


def _tool(spec: ToolSpec) -> Tool[Any]:
    """Return a tool that has a spec's data; its payloads are not checked here."""
    return Tool(
        name=spec.name,
        description=spec.description,
        schema=json.dumps(spec.schema),
        validate=lambda _: [],
        payload_type=_no_payload_type,
    )


def _no_payload_type() -> type[Any]:
    raise TypeError("a tool that is exported has no payload type")


def _as_written(tool: dict[str, Any], spec: ToolSpec) -> dict[str, Any]:
    """Return a tool of MCP with its own schema: MCP takes objects, in whichever draft `$schema` names."""
    schema = spec.schema
    is_object = isinstance(schema, Mapping) and schema.get("type") == "object"
    return {**tool, "inputSchema": schema} if is_object else tool


def _diagnostic(spec: ToolSpec | None, loss: Any) -> Diagnostic:
    start = Place("") if spec is None else spec.schema_place
    place = Place(start.file, start.pointer + loss.pointer)
    message = f"{loss.message} ({loss.code})"
    return Diagnostic(place, "lossy-export", message, _ADVICE, loss.tool, "warning")


def _metadata_losses(specs: Sequence[ToolSpec], shape: str) -> Iterator[Diagnostic]:
    for spec in specs:
        has_dialect = isinstance(spec.schema, Mapping) and "$schema" in spec.schema
        lost = [*spec.metadata, *(["$schema"] if has_dialect else [])]
        if lost:
            message = f"{shape} tools have no {' or '.join(lost)}: left out"
            hint = "export to mcp, whose tools have them"
            yield Diagnostic(spec.place, "lossy-export", message, hint, spec.name, "warning")


def _silent_changes(specs: Sequence[ToolSpec], value: dict[str, Any], shape: str) -> Iterator[Diagnostic]:
    """Say where a schema comes back otherwise than it was, although a payload means the same to both."""
    back = {tool.name: tool for tool in read_value(value).tools}
    for spec in specs:
        read = back.get(spec.name)
        kept = spec.schema if shape == "mcp" else _without_dialect(spec.schema)
        if read is None or _text(read.schema) != _text(kept):
            message = f"the schema is written as {shape} takes it: draft 2020-12, an object"
            yield Diagnostic(spec.schema_place, "lossy-export", message, _ADVICE, spec.name, "warning")


def _without_dialect(schema: Any) -> Any:
    return {k: v for k, v in schema.items() if k != "$schema"} if isinstance(schema, Mapping) else schema


def _text(schema: Any) -> str:
    """Return a schema as text; `properties` that are empty, which OpenAI requires, say nothing."""
    schema = {"properties": {}, **schema} if isinstance(schema, Mapping) else schema
    return json.dumps(schema, sort_keys=True)
