"""Which tools of a request go strict: as many as its limits allow, those that the caller prefers first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from toolgen_runtime.providers.shared.tools.schemas import Loss
from toolgen_runtime.providers.shared.tools.strict import LIMIT_NAMES, StrictSubset, StrictUse, tool_excess
from toolgen_runtime.providers.shared.tools.strict_rewrite import Rewritten, rewritten

Strict = bool | Literal["auto"]
"""`False`, `True` for the tools whose schemas are strict as they are, `auto` for all that can be rewritten."""


def chosen(
    schemas: Mapping[str, dict[str, Any]], subset: StrictSubset, prefer: Collection[str]
) -> dict[str, Rewritten | Loss]:
    """Return each tool's strict schema, or why it is sent without strict; the cheapest first after `prefer`."""
    found: dict[str, Rewritten | Loss] = {}
    made = {name: rewritten(schema, subset) for name, schema in schemas.items()}
    order = {name: at for at, name in reversed(list(enumerate(prefer)))}
    use = StrictUse()
    for name in sorted(made, key=lambda name: (order.get(name, len(order)), _cost(made[name]))):
        why = refusal(made[name], subset)
        if why is not None:
            found[name] = why
            continue
        ways = [made[name]]
        if not subset.all_required:  # a field that may be null is a union, and no optional one
            ways.append(rewritten(schemas[name], subset, all_required=True))
        fitting = [way for way in ways if not use.with_tool(way.schema).over(subset)]
        if fitting:
            use = use.with_tool(fitting[0].schema)
            found[name] = fitting[0]
        else:
            found[name] = over_limit(use.with_tool(made[name].schema), subset)
    return found


def refusal(made: Rewritten, subset: StrictSubset) -> Loss | None:
    """Return why a tool cannot go strict, whatever else is in the request; None if it can."""
    if made.hindrances:
        first, *others = made.hindrances
        more = f" (and {len(others)} more)" if others else ""
        return Loss("strict-dropped", f"{first.message}{more}: sent without strict", first.pointer)
    excess = tool_excess(made.schema, subset)
    return Loss("strict-limit", f"{excess}: sent without strict") if excess else None


def over_limit(use: StrictUse, subset: StrictSubset) -> Loss:
    """Return the loss of a tool with which the strict tools of a request exceed a limit."""
    name = use.over(subset)[0]
    code = "union-limit" if name == "unions" else "strict-limit"
    most = f"{subset.limits[name]} {LIMIT_NAMES[name]}"
    return Loss(code, f"over {most} in all: sent without strict")


def _cost(made: Rewritten) -> int:
    use = StrictUse().with_tool(made.schema)
    return use.optional + use.unions
