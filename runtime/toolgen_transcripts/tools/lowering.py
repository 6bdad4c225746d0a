"""Conversion of a request's tools for a provider: the tool choice, the strict tools, and all losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.strict.rewrite import rewritten
from toolgen_transcripts.strict.subsets import (
    LIMITS,
    Rewritten,
    Schema,
    StrictSubset,
    strict_schema,
    tool_excess,
)
from toolgen_transcripts.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_transcripts.tools.schemas import Loss, object_schema

ChoiceWord = Literal["auto", "required", "none", "tool"]

Strict = bool | Literal["auto"]
"""`False`; `True` for strict tools if their schemas need no rewriting; `auto` to rewrite all schemas that can be."""

Chosen = tuple[Rewritten | None, Sequence[Loss]]
"""A strict schema and its losses; None and the reason for a tool that is sent without strict."""


def chosen(
    objects: Mapping[str, tuple[Schema, list[Loss]]],
    subset: StrictSubset,
    prefer: Collection[str],
    *,
    rewrites: bool,
) -> dict[str, Chosen]:
    """Return for each tool its strict schema, or the reason why it is sent without strict.

    `objects` are the results of `object_schema`. With `rewrites`, schemas are rewritten, and tools become strict in
    the order of `prefer`, then by their cost in limits; without, in the order of `prefer`, then in their own order.
    """
    refused = Loss("strict-dropped", "a property of a name that is refused: sent without strict")
    found: dict[str, Chosen] = dict.fromkeys(objects, (None, [refused]))
    way = rewritten if rewrites else strict_schema
    made = {
        name: way(schema, subset)
        for name, (schema, losses) in objects.items()
        if not any(loss.code == "property-name" for loss in losses)
    }
    preferred = {name: at for at, name in reversed(list(enumerate(prefer)))}
    cost = {n: subset.with_tool(Counter(), way.schema).total() if rewrites else 0 for n, way in made.items()}
    use = Counter[str]()
    for name in sorted(made, key=lambda name: (preferred.get(name, len(preferred)), cost[name])):
        why = refusal(made[name], subset)
        if why is not None:
            found[name] = None, [why]
            continue
        ways = [made[name]]
        if rewrites and not subset.all_required:  # a field that may be null is a union and not optional
            ways.append(rewritten(objects[name][0], subset, all_required=True))
        fitting = [way for way in ways if not subset.over(subset.with_tool(use, way.schema))]
        if fitting:
            use = subset.with_tool(use, fitting[0].schema)
            found[name] = fitting[0], fitting[0].losses
        else:
            limit = subset.over(subset.with_tool(use, made[name].schema))[0]
            code = "union-limit" if limit == "unions" else "strict-limit"
            message = f"over {subset.limits[limit]} {LIMITS[limit][0]} in all: sent without strict"
            found[name] = None, [Loss(code, message)]
    return found


def refusal(made: Rewritten, subset: StrictSubset) -> Loss | None:
    """Return why a tool cannot be strict in any request; None if it can."""
    if made.hindrances:
        first, *others = made.hindrances
        more = f" (and {len(others)} more)" if others else ""
        return Loss("strict-dropped", f"{first.message}{more}: sent without strict", first.pointer)
    excess = tool_excess(made.schema, subset)
    return Loss("strict-limit", f"{excess}: sent without strict") if excess else None


_ALIASES: Mapping[str, ChoiceWord] = {
    "auto": "auto",
    "any": "required",
    "required": "required",
    "none": "none",
}


def resolve_choice(
    choice: str | Mapping[str, str], tools: Collection[str], wire: Wire, *, thinking: bool, codec: Codec
) -> tuple[ChoiceWord, str, list[ProviderDiagnostic]]:
    """Return the choice that the provider accepts, the encoded name for the choice `tool`, and the losses.

    Raises:
        ValueError: the choice is not a tool of the toolset.
    """
    word: ChoiceWord = _ALIASES.get(choice, "tool") if isinstance(choice, str) else "tool"
    name = "" if word != "tool" else choice if isinstance(choice, str) else choice.get("tool", "")
    if word == "tool" and name not in tools:
        known = ", ".join(sorted(tools)[:5])
        raise ValueError(
            f"choice: no tool named {name!r}; use 'auto', 'required', 'none' or one of the toolset's: {known}"
        )
    if thinking and word in ("required", "tool"):
        code, message = "choice-thinking", "a call cannot be forced while thinking is on: sent as auto"
    elif word in wire.tools.no_choice:
        code, message = "choice-unsupported", f"{wire.provider} has no choice {word!r}: sent as auto"
        if word == "none":
            message += "; the tools stay, since a history with calls needs them: do not run a call that comes"
    else:
        return word, codec.encode_name(name) if word == "tool" else "", []
    return "auto", "", [ProviderDiagnostic(code, message, name)]


def lowered(
    wire: Wire, codec: Codec, tools: list[ToolDefinition], strict: Strict, prefer: Collection[str]
) -> tuple[list[ToolDefinition], list[ProviderDiagnostic]]:
    """Return the tools with the provider's names and with schemas that accept at least the same values, and the losses.

    The codec converts the calls of a rewritten tool back; for a tool that was strict before, the codec does not change.
    """
    shape, subset, says = wire.tools, wire.tools.strict, wire.messages.attributes
    diagnostics: list[ProviderDiagnostic] = []
    objects = {
        tool.name: object_schema(
            tool.schema, flat=bool(shape.refused_at_root), property_names=shape.property_names
        )
        for tool in tools
        if tool.kind != "custom" or "custom" not in says
    }
    ways: dict[str, Chosen] = {}
    if subset is not None:
        wanted = {tool.name for tool in tools if strict or tool.strict}
        ways = chosen(
            {n: objects[n] for n in objects if n in wanted}, subset, prefer, rewrites=strict == "auto"
        )
    elif strict:
        message = f"{wire.provider} has no strict tools: sent without"
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
            if strict == "auto" and subset is not None and not tool.strict:
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
    lost = list(tool.source.unread) if tool.source is not None and is_foreign else []
    if tool.cache is not None and "cache" not in says:
        lost.append("its cache point")
    if tool.namespace_description and "namespace" not in says:
        lost.append(f"the description of its namespace ({tool.namespace})")
    message = f"{wire.provider} has no form for {', '.join(lost)}: left out"
    return [Loss("field-dropped", message)] if lost else []
