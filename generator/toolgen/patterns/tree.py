"""The tree of a pattern as everything but the parser works on it."""

from __future__ import annotations

from functools import lru_cache

from toolgen.patterns.nodes import Node
from toolgen.patterns.parser import parse
from toolgen.patterns.references import resolve
from toolgen.patterns.simplify import simplify


@lru_cache(maxsize=4)  # whoever asks for a pattern asks several times in a row
def tree_of(pattern: str) -> Node:
    """The syntax tree of a pattern, its references resolved, in its plainest form.

    Raises:
        PatternError: the text is no regular expression.
        UnsupportedPattern: it is one that no engine can run.
    """
    return simplify(resolve(parse(pattern)))
