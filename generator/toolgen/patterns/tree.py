"""The parsed and simplified tree of a pattern."""

from __future__ import annotations

from functools import lru_cache

from toolgen.patterns.nodes import Node
from toolgen.patterns.parser import parse
from toolgen.patterns.simplify import simplify


@lru_cache(maxsize=4)  # callers ask for the same pattern several times in a row
def tree_of(pattern: str) -> Node:
    """Return the syntax tree of a pattern, simplified.

    Raises:
        PatternError: the text is not a regular expression.
        UnsupportedPattern: no engine can run the pattern.
    """
    return simplify(parse(pattern))
