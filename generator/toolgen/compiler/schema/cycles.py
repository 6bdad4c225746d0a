"""Walk through a schema graph, and find recursions and endless references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeVar

from toolgen.compiler.schema.ir import Schema

Node = TypeVar("Node")
Edges = dict[Schema, list[tuple[str, Schema]]]
SAFE_CHAIN: Final = 200
"""The number of nested schemas that a check can certainly handle within Python's recursion limit of 1,000 frames."""


def reached(starts: Iterable[Schema], following: Callable[[Schema], Iterable[Schema]]) -> Iterator[Schema]:
    """Yield the given schemas and all schemas that they lead to, each once, parents before children."""
    seen = set[Schema]()
    waiting = list(reversed(list(starts)))
    while waiting:
        schema = waiting.pop()
        if schema not in seen:
            seen.add(schema)
            yield schema
            waiting += reversed(list(following(schema)))


def children_first(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Yield the given nodes and all nodes that they lead to, each once, children before parents.

    Except in a cycle, a node comes after the nodes that follow it.
    """
    seen, nodes = set[Node](), list[Node]()
    rests = [iter(starts)]
    while rests:
        below = next((one for one in rests[-1] if one not in seen), None)
        if below is not None:
            seen.add(below)
            nodes.append(below)
            rests.append(iter(following(below)))
        elif rests.pop() and nodes:
            yield nodes.pop()


def everything(root: Schema) -> Iterator[Schema]:
    """Yield every schema of a graph once."""
    return reached([root], lambda schema: [child for _, child in schema.children()])


def same_value(schemas: Iterable[Schema]) -> Iterator[Schema]:
    """Yield some schemas and all of their subschemas that apply to the same values."""
    return reached(schemas, Schema.in_place_children)


def edges_of(root: Schema) -> Edges:
    """Return the edges that start at each schema of a graph.

    An edge is a pair (keyword, subschema).
    """
    return {schema: [(steps[0], child) for steps, child in schema.children()] for schema in everything(root)}


def is_tree(edges: Edges) -> bool:
    """Return whether every schema except the root can be reached in only one way."""
    return sum(map(len, edges.values())) < len(edges)


def is_deep(root: Schema, edges: Edges) -> bool:
    """Return whether a check may exceed Python's recursion limit, because the schema is recursive or deeply
    nested.
    """
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
    """Find a schema that applies itself to the same value, so that its check would never end.

    Return None if there is no such schema.
    """
    graph = {schema: below for schema in everything(root) if (below := schema.in_place_children())}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[Schema] = error.args[1]
        return min(cycle, key=lambda s: (s.document, s.pointer))
    return None


def _parents_of(edges: Edges) -> Callable[[Schema], Iterable[Schema]]:
    """Return a function that returns the schemas from which an edge leads to a schema."""
    parents: dict[Schema, list[Schema]] = {}
    for schema, children in edges.items():
        for _, child in children:
            parents.setdefault(child, []).append(schema)
    return lambda schema: parents.get(schema, ())


def leading_to(edges: Edges, targets: Iterable[Schema]) -> set[Schema]:
    """Return the schemas that lead to one of the targets, and the targets."""
    return set(reached(targets, _parents_of(edges)))


def recursions(edges: Edges) -> Iterator[set[Schema]]:
    """Yield the groups of schemas that lead to each other in cycles (Kosaraju's algorithm, not recursive)."""
    parents_of, seen = _parents_of(edges), set[Schema]()
    order = children_first(edges, lambda schema: [child for _, child in edges[schema]])
    for schema in reversed([*order]):
        if schema not in seen:
            part = set(
                reached([schema], lambda one: [above for above in parents_of(one) if above not in seen])
            )
            seen.update(part)
            if len(part) > 1 or any(child is schema for _, child in edges[schema]):
                yield part
