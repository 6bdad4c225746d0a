r"""Divide patterns with lookarounds after `^` into several searches that have no lookarounds.

`^(?=.*\d)(?!.*--).{8,}$` matches exactly the texts that `^.*\d` and `^.{8,}$` match and `^.*--` does not: a match has
only one place to begin, so each lookahead at this place can be a search of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.compiler.patterns.nodes import Anchor, Backreference, Group, Look, Node, items_of, sequence, walk
from toolgen.compiler.patterns.simplify import trim

_START = Anchor("^")


@dataclass(frozen=True, slots=True)
class Search:
    """A pattern to search for, and whether it must match or must not match."""

    node: Node
    wanted: bool


def divide(node: Node) -> list[Search]:
    """Return the searches that decide whether a pattern matches.

    If it cannot be divided, return only the pattern.
    """
    items = items_of(node)
    lead = next((at for at, item in enumerate(items) if not isinstance(item, Anchor | Look)), len(items))
    looks = [item for item in items[:lead] if isinstance(item, Look) and not item.behind]
    has_captures = any(isinstance(part, Group | Backreference) for part in walk(node))
    if _START not in items[:lead] or not looks or has_captures:
        return [Search(node, wanted=True)]
    rest = [item for at, item in enumerate(items) if at >= lead or item not in looks]
    found = [Search(_from_start(look.body), not look.negated) for look in looks]
    return [Search(_trimmed(sequence(rest)), wanted=True), *found]


def _from_start(body: Node) -> Node:
    return _trimmed(sequence([_START, body]))


def _trimmed(node: Node) -> Node:
    return trim(trim(node, last=True), last=False)
