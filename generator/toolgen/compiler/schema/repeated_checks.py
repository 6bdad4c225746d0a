"""Find schemas that may check the same part of a payload very often, so that their results should be cached.

- A kilobyte of definitions that each use the next one twice (`allOf: [next, next]`) can demand 2**40 checks of one
  value. Therefore the ways to each schema are counted.
- Recursive schemas may reach the same part in more than one way (a tree whose nodes are an untagged union of nodes,
  `unevaluatedProperties` over a recursive union). Without memory, the time doubles with each level of a payload.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from graphlib import TopologicalSorter
from typing import Final

from toolgen.compiler.schema.cycles import Edges
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen.compiler.schema.union_tags import Group, groups_of, shared_tag
from toolgen.compiler.schema.vocabulary import APART, ASKING_EVALUATED
from toolgen_runtime.schema.keywords import UNIONS

MOST_WAYS: Final = 256
"""The number of ways in which a part of a payload may reach one schema without results being remembered."""
_MANY: Final = 1_000_000
"""The number at which counting stops."""


def crowded(edges: Edges, recursions: Iterable[set[Schema]], roots: Collection[Schema]) -> set[Schema]:
    """Return the schemas that may check the same part of a payload in more than one way.

    If none of them can be reached in more than `MOST_WAYS` ways, return an empty result.

    The result includes the roots, so that results of checks are cached until the whole payload has been checked. The
    count is an upper bound: it assumes that all schemas that use a schema apply it to the same value.
    """
    group_of = _groups(edges, recursions)
    parents: dict[int, Counter[int]] = {group: Counter() for group in group_of.values()}
    for schema, children in edges.items():
        for child, times in _times(schema, children).items():
            if group_of[child] != group_of[schema]:
                parents[group_of[child]][group_of[schema]] += times
    ways = dict.fromkeys((group_of[root] for root in roots), 1)
    for group in TopologicalSorter(parents).static_order():
        come = sum(ways[parent] * times for parent, times in parents[group].items())
        ways[group] = min(_MANY, ways.get(group, 0) + come)
    if max(ways.values(), default=0) <= MOST_WAYS:
        return set()
    return {*roots, *(schema for schema in edges if ways[group_of[schema]] > 1)}


def _groups(edges: Edges, recursions: Iterable[set[Schema]]) -> dict[Schema, int]:
    """Return a number for each schema, the same for all schemas of one recursion."""
    found = {schema: number for number, schema in enumerate(edges)}
    for recursion in recursions:
        number = min(found[schema] for schema in recursion)
        found.update(dict.fromkeys(recursion, number))
    return found


def _times(schema: Schema, children: Sequence[tuple[str, Schema]]) -> Counter[Schema]:
    """Return how many times a schema applies each of its subschemas to one part of a payload."""
    asks_again = not ASKING_EVALUATED.isdisjoint(schema.keywords)
    times: Counter[Schema] = Counter()
    apart: set[tuple[str, Schema]] = set()
    for keyword, child in children:
        if keyword not in APART:
            times[child] += 2 if asks_again else 1
        elif (keyword, child) not in apart:  # each property has another value
            apart.add((keyword, child))
            times[child] += 1
    return times


def forking(edges: Edges, recursions: Iterable[set[Schema]]) -> set[Schema]:
    """Return the schemas of every recursion that can reach the same part of a payload in more than one way."""
    return {
        schema
        for recursion in recursions
        if any(_forks(member, edges, recursion) for member in recursion)
        for schema in recursion
    }


def _forks(schema: Schema, edges: Edges, recursion: set[Schema]) -> bool:
    within = [(keyword, child) for keyword, child in edges[schema] if child in recursion]
    if not ASKING_EVALUATED.isdisjoint(schema.keywords):
        return True  # the subschemas are applied a second time, to find the evaluated parts
    keywords = {keyword for keyword, _ in within}
    if len(within) <= 1 or keywords <= APART:
        return False
    if len(keywords) > 1 or not keywords <= set(UNIONS):
        return True
    return any(_is_tried(group, recursion) for k in keywords for group in groups_of(schema.listed[k]))


def _is_tried(group: Group, recursion: set[Schema]) -> bool:
    """Return whether several branches in a recursion are tried, because neither a tag nor a key selects one of them."""
    if sum(branch in recursion for branch in group.branches) < 2 or group.keys is not None:
        return False
    return group.kinds != {Kind.OBJECT} or shared_tag(group.branches) is None
