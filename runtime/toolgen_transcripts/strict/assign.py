"""Decide which tools of a request are sent as strict tools, because the provider limits their number and
size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from toolgen_transcripts.codec.members import Schema
from toolgen_transcripts.codec.models import is_deepseek, rejects_strict
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.strict.rewrite import rewrite
from toolgen_transcripts.strict.subsets import (
    DEEPSEEK,
    LIMITS,
    Rewritten,
    StrictSubset,
    strict_schema,
    tool_excess,
)
from toolgen_transcripts.tools.schemas import Loss

Chosen = tuple[Rewritten | None, Sequence[Loss]]
"""A strict schema and its losses; or None and the reason why the tool is sent without strict."""

NOT_ALL: Final = Loss(
    "strict-dropped", "all tools of a request must be strict, and not all can be: sent without strict"
)


def subset_for(wire: Wire, model: str | None) -> StrictSubset | None:
    """Return the subset of JSON Schema for a model's strict tools; None if its server does not support strict
    tools.
    """
    if wire.tools.strict is None or rejects_strict(model, wire):
        return None
    if wire.of_many and is_deepseek(model):
        return DEEPSEEK
    return wire.tools.strict


def choose_strict(
    objects: Mapping[str, tuple[Schema, list[Loss]]],
    subset: StrictSubset,
    prefer: Collection[str],
    *,
    rewrites: bool,
) -> dict[str, Chosen]:
    """Choose the tools that become strict. Return each tool's strict schema, or the reason why it has none.

    `objects` are the results of `object_schema`. With `rewrites`, schemas are rewritten, and tools become strict in the
    order of `prefer`, then by how much of the limits they use. Without it, the order is that of `prefer`, then that of
    the tools.
    """
    refused = Loss("strict-dropped", "the name of a property is rejected: sent without strict")
    found: dict[str, Chosen] = dict.fromkeys(objects, (None, [refused]))
    way = rewrite if rewrites else strict_schema
    made = {
        name: way(schema, subset)
        for name, (schema, losses) in objects.items()
        if not any(loss.code == "property-name" for loss in losses)
    }
    preferred = {name: at for at, name in reversed(list(enumerate(prefer)))}
    cost = {n: subset.with_tool(Counter(), way.schema).total() if rewrites else 0 for n, way in made.items()}
    use = Counter[str]()
    for name in sorted(made, key=lambda name: (preferred.get(name, len(preferred)), cost[name])):
        why = find_refusal(made[name], subset)
        if why is not None:
            found[name] = None, [why]
            continue
        ways = [made[name]]
        if rewrites and not subset.all_required:  # a field that may be null is a union and not optional
            ways.append(rewrite(objects[name][0], subset, all_required=True))
        fitting = [way for way in ways if not subset.over(subset.with_tool(use, way.schema))]
        if fitting:
            use = subset.with_tool(use, fitting[0].schema)
            found[name] = fitting[0], fitting[0].losses
        else:
            limit = subset.over(subset.with_tool(use, made[name].schema))[0]
            code = "union-limit" if limit == "unions" else "strict-limit"
            message = f"over {subset.limits[limit]} {LIMITS[limit]} in all: sent without strict"
            found[name] = None, [Loss(code, message)]
    if subset.together and not all(way for way, _ in found.values()):
        return {name: (None, why if way is None else [NOT_ALL]) for name, (way, why) in found.items()}
    return found


def find_refusal(made: Rewritten, subset: StrictSubset) -> Loss | None:
    """Return why a tool can never be strict; None if it can."""
    if made.hindrances:
        first, *others = made.hindrances
        more = ""
        if others:
            more = f" (and {len(others)} more)"
        return Loss("strict-dropped", f"{first.message}{more}: sent without strict", first.pointer)
    excess = tool_excess(made.schema, subset)
    if excess:
        return Loss("strict-limit", f"{excess}: sent without strict")
    return None
