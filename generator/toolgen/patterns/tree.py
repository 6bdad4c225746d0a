"""The parsed, resolved and simplified tree of a pattern."""

from __future__ import annotations

from functools import lru_cache

from toolgen.patterns.captures import without_captures
from toolgen.patterns.nodes import Node
from toolgen.patterns.parser import parse
from toolgen.patterns.references import resolve
from toolgen.patterns.simplify import simplify


@lru_cache(maxsize=4)  # callers ask for the same pattern several times in a row
def tree_of(pattern: str) -> Node:
    """Return the syntax tree of a pattern, simplified, with references resolved or written out.

    Raises:
        PatternError: the text is not a regular expression.
        UnsupportedPattern: no engine can run the pattern.
    """
    node = simplify(resolve(parse(pattern)))
    written = without_captures(node)
    return node if written is node else simplify(written)
