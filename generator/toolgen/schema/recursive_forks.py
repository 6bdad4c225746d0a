"""Recursive schemas that lead to the same part of a payload in more than one way.

Without care such a check takes twice the time for each level of a payload (a tree whose nodes are an untagged
union of nodes, `unevaluatedProperties` over a recursive union). What such a check found is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolgen.schema.cycles import Edges
from toolgen.schema.groups import Group, groups_of
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind
from toolgen.schema.union_tags import shared_tag
from toolgen.schema.vocabulary import KEYWORDS, Joins


def forking(edges: Edges, recursions: Iterable[set[Schema]]) -> set[Schema]:
    """Return the schemas of every recursion in which some part of a payload can be reached in several ways."""
    return {
        schema
        for recursion in recursions
        if any(_forks(member, edges, recursion) for member in recursion)
        for schema in recursion
    }


def _forks(schema: Schema, edges: Edges, recursion: set[Schema]) -> bool:
    within = [(keyword, child) for keyword, child in edges[schema] if child in recursion]
    if any(facts.asks_evaluated for facts in schema.facts):
        return True  # what has evaluated a part is asked a second time
    keywords = {keyword for keyword, _ in within}
    if len(within) <= 1 or all(KEYWORDS[keyword].apart for keyword in keywords):
        return False
    if len(keywords) > 1 or any(KEYWORDS[keyword].joins is not Joins.ANY for keyword in keywords):
        return True
    return any(_is_tried(group, recursion) for k in keywords for group in groups_of(schema.listed[k]))


def _is_tried(group: Group, recursion: set[Schema]) -> bool:
    """Return whether several branches of a recursion are tried: neither a tag nor a key leaves one of them."""
    if sum(branch in recursion for branch in group.branches) < 2 or group.keys is not None:
        return False
    return group.kinds != {Kind.OBJECT} or shared_tag(group.branches) is None


def leading_to(edges: Edges, targets: Iterable[Schema]) -> set[Schema]:
    """Return the schemas from which one of some others can be reached, these included."""
    parents: dict[Schema, list[Schema]] = {}
    for schema, children in edges.items():
        for _, child in children:
            parents.setdefault(child, []).append(schema)
    found = set(targets)
    pending = list(found)
    while pending:
        new = [schema for schema in parents.get(pending.pop(), ()) if schema not in found]
        found.update(new)
        pending += new
    return found


def recursions(edges: Edges) -> Iterator[set[Schema]]:
    """Yield the strongly connected parts of a graph that have an edge in them (Tarjan's algorithm, not recursive)."""
    order: dict[Schema, int] = {}
    lowest: dict[Schema, int] = {}
    path: dict[Schema, None] = {}
    for start in edges:
        work = [(start, iter(edges[start]))] if start not in order else []
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
