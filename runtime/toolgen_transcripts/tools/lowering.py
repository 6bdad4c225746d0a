"""Convert tool definitions to the form that a provider accepts.

This includes the tool choice, the strict tools, and a report of all losses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from toolgen_transcripts.codec.members import Schema
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.strict.assign import NOT_ALL, Chosen, choose_strict, subset_for
from toolgen_transcripts.strict.subsets import StrictSubset
from toolgen_transcripts.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_transcripts.tools.schemas import Loss, object_schema

Strict = bool | Literal["auto"]
"""`False`; `True` to make tools strict whose schemas need no rewriting; `auto` to rewrite schemas where possible."""


def lower_definitions(
    wire: Wire,
    codec: Codec,
    tools: list[ToolDefinition],
    strict: Strict,
    prefer: Collection[str],
    model: str | None = None,
) -> tuple[list[ToolDefinition], list[ProviderDiagnostic]]:
    """Return the tools in the provider's form, and report what is lost.

    The tools have the provider's names, and schemas that accept at least the same values. The codec converts the calls
    to a rewritten tool back. If a tool was already strict, the codec does not change.
    """
    shape, says = wire.tools, wire.messages.attributes
    objects = {
        tool.name: object_schema(
            tool.schema, flat=bool(shape.refused_at_root), property_names=shape.property_names
        )
        for tool in tools
        if tool.kind != "custom" or "custom" not in says
    }
    ways = _strict_schemas(subset_for(wire, model), tools, objects, strict, prefer)
    diagnostics: list[ProviderDiagnostic] = []
    if ways is None and (strict or (shape.strict is not None and any(tool.strict for tool in tools))):
        whose = wire.provider
        if shape.strict is not None:
            whose = f"{model} on {whose}"
        message = f"{whose} has no strict tools: sent without"
        diagnostics.append(ProviderDiagnostic("strict-unsupported", message))
    out: list[ToolDefinition] = []
    for tool in tools:
        made, losses = _rename(tool, wire, codec)
        if tool.name in objects:
            schema, lost = objects[tool.name]
            way, why = (ways or {}).get(tool.name, (None, ()))
            losses += [*lost, *why]
            if strict == "auto" and shape.strict is not None and not tool.strict:
                codec.send_as(tool.name, None if way is None else way.form)
            if way is not None:
                schema = way.schema
            made = replace(made, schema=schema, strict=way is not None, kind="function")
        losses += _lost_members(tool, wire)
        diagnostics += [ProviderDiagnostic(x.code, x.message, tool.name, x.pointer) for x in losses]
        out.append(made)
    return out, diagnostics


def _strict_schemas(
    subset: StrictSubset | None,
    tools: list[ToolDefinition],
    objects: Mapping[str, tuple[Schema, list[Loss]]],
    strict: Strict,
    prefer: Collection[str],
) -> dict[str, Chosen] | None:
    """Return the strict schemas of the tools that should be strict; None if there are no strict tools."""
    if subset is None:
        return None
    wanted = {tool.name for tool in tools if strict or tool.strict}
    candidates = {name: made for name, made in objects.items() if name in wanted}
    ways = choose_strict(candidates, subset, prefer, rewrites=strict == "auto")
    if subset.together and len(wanted) < len(tools):
        return {name: (None, [NOT_ALL]) for name in ways}
    return ways


def _rename(tool: ToolDefinition, wire: Wire, codec: Codec) -> tuple[ToolDefinition, list[Loss]]:
    """Return a tool with the provider's name for it. If this is a different name, also return the loss."""
    space = None
    if "namespace" in wire.messages.attributes:
        space = tool.namespace
    name = codec.encode_name(tool.name, space)
    made = replace(tool, name=name, namespace=space)
    if name == tool.name.removeprefix(f"{space}."):
        return made, []
    return made, [Loss("renamed", f"sent as {name!r}; the codec leads back")]


def _lost_members(tool: ToolDefinition, wire: Wire) -> list[Loss]:
    """Return the loss to report for fields that only the tool's own provider has, if there are any."""
    says = wire.messages.attributes
    lost = []
    if tool.source is not None and tool.source.provider != wire.provider:
        lost = list(tool.source.unread)
    if tool.cache is not None and "cache" not in says:
        lost.append("its cache point")
    if tool.namespace_description and "namespace" not in says:
        lost.append(f"the description of its namespace ({tool.namespace})")
    if not lost:
        return []
    return [Loss("field-dropped", f"{wire.provider} has no form for {', '.join(lost)}: left out")]
