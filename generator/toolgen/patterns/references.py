"""Backreferences that mean the same in Python's `re` as in ECMA-262.

At each round of a repetition, ECMA-262 clears the captures of the groups in it (22.2.2.3.1, RepeatMatcher
step 4), and it refuses a round that matches nothing; `re` does neither. A reference for which this makes a
difference is refused. A reference that can only meet a group without a capture matches the empty text.
"""

from __future__ import annotations

from toolgen.patterns.errors import UnsupportedPattern
from toolgen.patterns.nodes import EMPTY, Backreference, Choice, Group, Look, Node, Repeat, Sequence, children
from toolgen.patterns.widths import width

_Path = tuple[int, ...]


def resolve(node: Node) -> Node:
    """Return the tree without the references that never meet a capture.

    Raises:
        UnsupportedPattern: a reference that `re` would treat differently.
    """
    tree = dict(_paths(node, ()))
    groups = {part.number: path for path, part in tree.items() if isinstance(part, Group)}
    unset: set[_Path] = set()
    for path, part in tree.items():
        if isinstance(part, Backreference) and not _can_be_set(tree, path, groups[part.number]):
            unset.add(path)
    return _without(node, (), unset) if unset else node


def _paths(node: Node, path: _Path) -> list[tuple[_Path, Node]]:
    paths = [(path, node)]
    for index, child in enumerate(children(node)):
        paths.extend(_paths(child, (*path, index)))
    return paths


def _can_be_set(tree: dict[_Path, Node], reference: _Path, group: _Path) -> bool:
    """Return whether the reference can meet a capture; raise if `re` and ECMA-262 differ on that."""
    shared = 0
    while shared < len(group) and reference[: shared + 1] == group[: shared + 1]:
        shared += 1
    around = [tree[group[:n]] for n in range(shared + 1)]
    between = [tree[group[:n]] for n in range(shared + 1, len(group))]
    if any(isinstance(part, Look) and part.behind for part in around):
        raise UnsupportedPattern("a backreference inside a lookbehind")
    if shared == len(group) or reference < group or isinstance(tree[group[:shared]], Choice):
        return False
    if any(part.negated if isinstance(part, Look) else _never(part) for part in between):
        return False
    rounds = [part for part in between if isinstance(part, Repeat) and part.high != 1]
    if any(width(part.body)[0] == 0 for part in rounds):
        raise UnsupportedPattern("a backreference to a group whose repetition may match nothing")
    in_loop = any(isinstance(part, Repeat) and part.high != 1 for part in around)
    inner = between if in_loop else between[between.index(rounds[0]) + 1 :] if rounds else []
    if any(isinstance(part, Choice) or (isinstance(part, Repeat) and part.low == 0) for part in inner):
        raise UnsupportedPattern("a backreference to a group that only some rounds of a repetition capture")
    return True


def _never(node: Node) -> bool:
    return isinstance(node, Repeat) and node.high == 0


def _without(node: Node, path: _Path, unset: set[_Path]) -> Node:
    if path in unset:
        return EMPTY
    parts = tuple(_without(child, (*path, index), unset) for index, child in enumerate(children(node)))
    match node:
        case Sequence():
            return Sequence(parts)
        case Choice():
            return Choice(parts)
        case Repeat(_, low, high, lazy):
            return Repeat(parts[0], low, high, lazy)
        case Group(_, number):
            return Group(parts[0], number)
        case Look(_, behind, negated):
            return Look(parts[0], behind, negated)
        case _:
            return node
