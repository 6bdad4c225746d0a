r"""Rewrite patterns so that engines have less work, without changing what they match.

- A repetition at either end of the pattern stops at its lower bound: if `foo\w*` matches, so does `foo`.
  The rest of the pattern is often linear.
- A lookahead at the end, or a lookbehind at the beginning, becomes its body: `a(?=b)` matches if `ab` does.
- The same applies to the end of a lookahead and the beginning of a lookbehind: `(?<=a+)` becomes `(?<=a)`.
- A choice among choices becomes one choice.
"""

from __future__ import annotations

from toolgen.compiler.patterns.nodes import EMPTY, Choice, Group, Look, Node, Repeat, Sequence, sequence, walk


def choice(options: list[Node]) -> Node:
    """Create a choice, and flatten choices inside it. A choice with one option becomes that option."""
    flat = tuple(o for p in options for o in (p.options if isinstance(p, Choice) else (p,)))
    if len(flat) == 1:
        return flat[0]
    return Choice(flat)


def repeat(body: Node, low: int, high: int | None, lazy: bool) -> Node:
    """Create a repetition, or a simpler node that means the same."""
    if high == 0 or body == EMPTY:
        return EMPTY
    if low == high == 1:
        return body
    return Repeat(body, low, high, lazy)


def look(body: Node, behind: bool, negated: bool) -> Node:
    """Create a lookahead or lookbehind, without optional parts at the end where they make no difference."""
    return Look(trim(body, last=not behind), behind, negated)


def trim_ends(node: Node) -> Node:
    """Remove optional parts from both ends of a pattern."""
    return trim(trim(node, last=True), last=False)


def trim(node: Node, *, last: bool) -> Node:
    """Remove optional parts from the end of a pattern (`last`), or from its beginning."""
    if isinstance(node, Sequence):
        return _trim_items(list(node.items), last=last)
    if any(isinstance(part, Group) for part in walk(node)):  # a backreference needs what it captures
        return node
    match node:
        case Choice(options):
            trimmed = tuple(trim(option, last=last) for option in options)
            if EMPTY in trimmed:
                return EMPTY
            return Choice(trimmed)
        case Look(body, behind, False) if behind is not last:  # text that must follow the end can be in it
            return trim(body, last=last)
        case Repeat(body, low):
            if low == 0:
                return EMPTY
            edge = trim(body, last=last)
            if low == 1 or edge == EMPTY:
                return edge
            if edge == body:
                return Repeat(body, low, low)
            if low == 2:
                rest = body
            else:
                rest = Repeat(body, low - 1, low - 1)
            return sequence([rest, edge] if last else [edge, rest])
        case _:
            return node


def _trim_items(items: list[Node], *, last: bool) -> Node:
    while items:
        at = -1 if last else 0
        edge = trim(items[at], last=last)
        if edge != EMPTY:
            items[at] = edge
            break
        del items[at]
    return sequence(items)
