r"""Split patterns that have lookarounds after `^` into several searches without lookarounds.

`^(?=.*\d)(?!.*--).{8,}$` matches exactly the texts that `^.*\d` and `^.{8,}$` match and `^.*--` does not: a match has
only one place to begin, so each lookahead at this place can be a search of its own.
"""

from __future__ import annotations

from toolgen.compiler.patterns.nodes import Anchor, Backreference, Group, Look, Node, items_of, sequence, walk
from toolgen.compiler.patterns.simplify import trim_ends

_START = Anchor("^")


def divide(node: Node) -> list[tuple[Node, bool]]:
    """Split a pattern into searches that together decide whether it matches.

    Each comes with whether it must match. If the pattern cannot be divided, return only the pattern.
    """
    items = items_of(node)
    lead = next((at for at, item in enumerate(items) if not isinstance(item, Anchor | Look)), len(items))
    looks = [item for item in items[:lead] if isinstance(item, Look) and not item.behind]
    has_captures = any(isinstance(part, Group | Backreference) for part in walk(node))
    if _START not in items[:lead] or not looks or has_captures:
        return [(node, True)]
    rest = [item for at, item in enumerate(items) if at >= lead or item not in looks]
    found = [(trim_ends(sequence([_START, look.body])), not look.negated) for look in looks]
    return [(trim_ends(sequence(rest)), True), *found]
