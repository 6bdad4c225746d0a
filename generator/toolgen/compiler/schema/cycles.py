"""Walk through the schema graph, and find recursions and endless references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Final

from toolgen.compiler.schema.ir import Schema

Edges = dict[Schema, list[tuple[str, Schema]]]
SAFE_CHAIN: Final = 200
"""The number of nested schemas that a check can certainly handle within Python's recursion limit of 1,000 frames."""


def reached(starts: Iterable[Schema], following: Callable[[Schema], Iterable[Schema]]) -> Iterator[Schema]:
    """Yield the given schemas and all schemas that they lead to. Each occurs once, in preorder."""
    seen = set[Schema]()
    waiting = list(reversed(list(starts)))
    while waiting:
        schema = waiting.pop()
        if schema not in seen:
            seen.add(schema)
            yield schema
            waiting += reversed(list(following(schema)))


def everything(root: Schema) -> Iterator[Schema]:
    """Yield every schema of the graph. Each occurs once."""
    return reached([root], lambda schema: [child for _, child in schema.children()])


def same_value(schemas: Iterable[Schema]) -> Iterator[Schema]:
    """Yield the given schemas and all subschemas that apply to the same values."""
    return reached(schemas, Schema.in_place_children)


def edges_of(root: Schema) -> Edges:
    """Return every schema that can be reached from a root.

    Each has a list of pairs (keyword, subschema).
    """
    return {schema: [(steps[0], child) for steps, child in schema.children()] for schema in everything(root)}


def is_tree(edges: Edges) -> bool:
    """Return whether there is only one way to each schema except the root."""
    return sum(map(len, edges.values())) < len(edges)


def is_deep(root: Schema, edges: Edges) -> bool:
    """Return whether a check may need more frames than Python allows, because it is recursive or its chain is long."""
    if len(edges) <= SAFE_CHAIN and is_tree(edges):
        return False
    graph = {
        schema: [child for _, child in children if not child.is_plain]
        for schema, children in edges.items()
        if not schema.is_plain
    }
    longest: dict[Schema, int] = {}
    try:
        for schema in TopologicalSorter(graph).static_order():  # children before their parents
            longest[schema] = 1 + max((longest[child] for child in graph[schema]), default=1)
    except CycleError:
        return True
    return longest.get(root, 1) > SAFE_CHAIN


def endless_reference(root: Schema) -> Schema | None:
    """Return a schema that applies itself to the same value, so that its check would never end.

    None if there is none.
    """
    graph = {schema: below for schema in everything(root) if (below := schema.in_place_children())}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[Schema] = error.args[1]
        return min(cycle, key=lambda s: (s.document, s.pointer))
    return None


def leading_to(edges: Edges, targets: Iterable[Schema]) -> set[Schema]:
    """Return the schemas that lead to one of the targets, including the targets themselves."""
    parents: dict[Schema, list[Schema]] = {}
    for schema, children in edges.items():
        for _, child in children:
            parents.setdefault(child, []).append(schema)
    return set(reached(targets, lambda schema: parents.get(schema, ())))


def recursions(edges: Edges) -> Iterator[set[Schema]]:
    """Yield the strongly connected components of a graph with a cycle (Tarjan's algorithm, not recursive)."""
    order: dict[Schema, int] = {}
    lowest: dict[Schema, int] = {}
    path: dict[Schema, None] = {}
    for start in edges:
        if start not in order:
            work = [(start, iter(edges[start]))]
        else:
            work = []
        while work:
            schema, children = work[-1]
            if schema not in order:
                order[schema] = lowest[schema] = len(order)
                path[schema] = None
            new = next((c for _, c in children if c not in order), None)
            if new is not None:
                work.append((new, iter(edges[new])))
                continue
            work.pop()
            lowest[schema] = min(lowest[c] for c in (schema, *(c for _, c in edges[schema] if c in path)))
            if lowest[schema] == order[schema]:
                part = set()
                while schema not in part:
                    part.add(path.popitem()[0])
                if len(part) > 1 or any(c is schema for _, c in edges[schema]):
                    yield part
