"""Find backreferences that mean the same in Python's `re` as in ECMA-262.

At each round of a repetition, ECMA-262 clears the captures of the groups in it (22.2.2.3.1, RepeatMatcher step 4), and
it rejects a round that matches nothing; `re` does neither. A backreference for which this makes a difference is not
supported. A backreference that is never reached after its group has captured something matches the empty string.
"""

from __future__ import annotations

from dataclasses import replace

from toolgen.compiler.patterns.nodes import (
    EMPTY,
    Backreference,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    can_be_empty,
    children,
)

_Path = tuple[int, ...]


class DifferentCaptures(Exception):  # noqa: N818  not an error of the pattern
    """The exception for a backreference that `re` and ECMA-262 treat differently. The message names it."""


def resolve(node: Node) -> Node:
    """Return the tree without backreferences that can never refer to any text.

    Raises:
        DifferentCaptures: `re` would treat a backreference differently.
    """
    tree = dict(_paths(node, ()))
    groups = {part.number: path for path, part in tree.items() if isinstance(part, Group)}
    unset: set[_Path] = set()
    for path, part in tree.items():
        if isinstance(part, Backreference):
            group = groups.get(part.number)
            if group is None or not _can_be_set(tree, path, group):
                unset.add(path)
    if unset:
        return _without(node, (), unset)
    return node


def _paths(node: Node, path: _Path) -> list[tuple[_Path, Node]]:
    paths = [(path, node)]
    for index, child in enumerate(children(node)):
        paths.extend(_paths(child, (*path, index)))
    return paths


def _can_be_set(tree: dict[_Path, Node], reference: _Path, group: _Path) -> bool:
    """Return whether a backreference can be reached after its group has captured some text."""
    shared = 0
    while shared < len(group) and reference[: shared + 1] == group[: shared + 1]:
        shared += 1
    around = [tree[group[:n]] for n in range(shared + 1)]
    between = [tree[group[:n]] for n in range(shared + 1, len(group))]
    if any(isinstance(part, Look) and part.behind for part in around):
        raise DifferentCaptures("a backreference inside a lookbehind")
    if shared == len(group) or reference < group or isinstance(tree[group[:shared]], Choice):
        return False
    if any(isinstance(part, Look) and part.negated for part in between):
        return False
    rounds = [part for part in between if isinstance(part, Repeat) and part.high != 1]
    if any(can_be_empty(part.body) for part in rounds):
        raise DifferentCaptures("a backreference to a group whose repetition may match nothing")
    inner: list[Node] = []
    if any(isinstance(part, Repeat) and part.high != 1 for part in around):
        inner = between
    elif rounds:
        inner = between[between.index(rounds[0]) + 1 :]
    if any(isinstance(part, Choice) or (isinstance(part, Repeat) and part.low == 0) for part in inner):
        raise DifferentCaptures("a backreference to a group that only some rounds of a repetition capture")
    return True


def _without(node: Node, path: _Path, unset: set[_Path]) -> Node:
    if path in unset:
        return EMPTY
    parts = tuple(_without(child, (*path, index), unset) for index, child in enumerate(children(node)))
    match node:
        case Sequence():
            return Sequence(parts)
        case Choice():
            return Choice(parts)
        case Repeat() | Group() | Look():
            return replace(node, body=parts[0])
        case _:
            return node
