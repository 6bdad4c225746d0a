"""The branches of a union by the kinds of values that they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolgen.schema.facts import possible_kinds
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind
from toolgen.schema.union_tags import distinct_keys


@dataclass(frozen=True, slots=True)
class Group:
    """Branches that may take values of the same kinds."""

    kinds: frozenset[Kind]
    branches: tuple[Schema, ...]

    @property
    def keys(self) -> dict[Schema, str] | None:
        """For each branch the key that tells it, where the branches are told by such keys; else None."""
        return distinct_keys(self.branches) if self.kinds == {Kind.OBJECT} else None


def groups_of(branches: Sequence[Schema]) -> list[Group]:
    """Return the branches parted so that no two groups share a kind; a branch that takes nothing is left out."""
    parted: list[tuple[frozenset[Kind], list[int]]] = []
    for position, branch in enumerate(branches):
        kinds = possible_kinds(branch)
        touched = [g for g in parted if g[0] & kinds]
        if not touched:
            parted += [(kinds, [position])] if kinds else []
            continue
        merged = kinds.union(*(g[0] for g in touched)), [p for g in touched for p in g[1]] + [position]
        parted[parted.index(touched[0])] = merged
        parted = [g for g in parted if g not in touched[1:]]
    return [Group(kinds, tuple(branches[p] for p in sorted(positions))) for kinds, positions in parted]
