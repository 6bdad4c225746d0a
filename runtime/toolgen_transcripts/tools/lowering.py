"""Conversion of a request's tools for a provider: the tool choice, the strict tools, and all losses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.strict.assign import NOT_ALL, Chosen, choose_strict, subset_for
from toolgen_transcripts.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_transcripts.tools.schemas import Loss, object_schema

Strict = bool | Literal["auto"]
"""`False`; `True` for strict tools if their schemas need no rewriting; `auto` to rewrite all schemas that can be."""


def lower_definitions(
    wire: Wire,
    codec: Codec,
    tools: list[ToolDefinition],
    strict: Strict,
    prefer: Collection[str],
    model: str | None = None,
) -> tuple[list[ToolDefinition], list[ProviderDiagnostic]]:
    """Return the tools with the provider's names and with schemas that accept at least the same values, and the losses.

    The codec converts the calls of a rewritten tool back; for a tool that was strict before, the codec does not change.
    """
    shape, subset, says = wire.tools, subset_for(wire, model), wire.messages.attributes
    diagnostics: list[ProviderDiagnostic] = []
    objects = {
        tool.name: object_schema(
            tool.schema, flat=bool(shape.refused_at_root), property_names=shape.property_names
        )
        for tool in tools
        if tool.kind != "custom" or "custom" not in says
    }
    ways: dict[str, Chosen] = {}
    was_strict = shape.strict is not None and any(tool.strict for tool in tools)
    if subset is not None:
        wanted = {tool.name for tool in tools if strict or tool.strict}
        ways = choose_strict(
            {n: objects[n] for n in objects if n in wanted}, subset, prefer, rewrites=strict == "auto"
        )
        if subset.together and wanted != {tool.name for tool in tools}:
            ways = {name: (None, [NOT_ALL]) for name in ways}
    elif strict or was_strict:
        if shape.strict is None or model is None:
            whose = wire.provider
        else:
            whose = f"{model} on {wire.provider}"
        message = f"{whose} has no strict tools: sent without"
        diagnostics.append(ProviderDiagnostic("strict-unsupported", message))
    out: list[ToolDefinition] = []
    for tool in tools:
        losses: list[Loss] = []
        space = tool.namespace if "namespace" in says else None
        name = codec.encode_name(tool.name, space)
        if name != tool.name.removeprefix(f"{space}."):
            losses.append(Loss("renamed", f"sent as {name!r}; the codec leads back"))
        made = replace(tool, name=name, namespace=space)
        if tool.name in objects:
            schema, lost = objects[tool.name]
            way, why = ways.get(tool.name, (None, ()))
            losses += [*lost, *why]
            if strict == "auto" and shape.strict is not None and not tool.strict:
                codec.send_as(tool.name, way.form if way else None)
            schema = way.schema if way else schema
            made = replace(made, schema=schema, strict=way is not None, kind="function")
        losses += _lost_members(tool, wire)
        diagnostics += [ProviderDiagnostic(x.code, x.message, tool.name, x.pointer) for x in losses]
        out.append(made)
    return out, diagnostics


def _lost_members(tool: ToolDefinition, wire: Wire) -> list[Loss]:
    """Return the loss of the members that only the tool's own provider has, if there are any."""
    says = wire.messages.attributes
    is_foreign = tool.source is not None and tool.source.provider != wire.provider
    lost = []
    if tool.source is not None and is_foreign:
        lost = list(tool.source.unread)
    if tool.cache is not None and "cache" not in says:
        lost.append("its cache point")
    if tool.namespace_description and "namespace" not in says:
        lost.append(f"the description of its namespace ({tool.namespace})")
    message = f"{wire.provider} has no form for {', '.join(lost)}: left out"
    if lost:
        return [Loss("field-dropped", message)]
    return []
