"""Walks over the schema graph, and references that never end."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Final

from toolgen.schema.ir import Schema

SAFE_CHAIN: Final = 200
"""Schemas in one another that a check surely gets through within Python's recursion limit of 1,000 frames."""


def everything(root: Schema) -> Iterator[Schema]:
    """Yield every schema of the graph, each once, parents before the children they were first reached from."""
    seen = {root}
    pending = [root]
    while pending:
        schema = pending.pop()
        yield schema
        for _, child in schema.children():
            if child not in seen:
                seen.add(child)
                pending.append(child)


def is_deep(root: Schema) -> bool:
    """Return whether a check can need more frames than Python gives: it is recursive, or a long chain of schemas."""
    graph = {schema: [child for _, child in schema.children()] for schema in everything(root)}
    if _cycle(graph) is not None:
        return True
    longest: dict[Schema, int] = {}
    for schema in TopologicalSorter(graph).static_order():  # children before their parents
        longest[schema] = 1 + max((longest[child] for child in graph[schema]), default=0)
    return longest[root] > SAFE_CHAIN


def endless_reference(root: Schema) -> Schema | None:
    """Return a schema that asks itself about the same value, so that checking would never end, if any."""
    graph = {
        schema: [child for _, children in schema.in_place() for child in children]
        for schema in everything(root)
    }
    cycle = _cycle(graph)
    return min(cycle, key=lambda s: (s.document, s.pointer)) if cycle else None


def _cycle(graph: dict[Schema, list[Schema]]) -> list[Schema] | None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[Schema] = error.args[1]
        return cycle
    return None
