"""Translate JSON Schema's regular expressions, which follow ECMA-262, to patterns for Python or Rust.

`translate` parses a pattern, writes it in the syntax of Python's `re` and of Rust's `regex` (part of
pydantic_core), and chooses the engine: `re` if its time is certainly linear in the text, because it loads
faster; otherwise Rust, which is always linear. A pattern with lookarounds that `re` cannot run in linear time becomes
several searches or, if it cannot be divided, automata. If only `re` can run a pattern (it has a backreference, or is
too large for the others), `linear` may be false.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolgen.compiler.patterns.automaton import MOST_QUICK_COST, automata_of
from toolgen.compiler.patterns.cost import MOST_QUICK_STATES, is_linear, is_small
from toolgen.compiler.patterns.engine_text import Inexpressible, python_text, rust_text
from toolgen.compiler.patterns.nodes import Chars, Node, walk
from toolgen.compiler.patterns.parser import PatternError, UnsupportedPattern, tree_of
from toolgen.compiler.patterns.searches import divide
from toolgen.compiler.patterns.without_regex import MOST_LISTED, listed, plain
from toolgen_runtime.validation.patterns import compile_pattern

if TYPE_CHECKING:
    from toolgen_runtime.validation.patterns import Engine, Matches

__all__ = ["MAX_PATTERN", "PatternError", "Translated", "UnsupportedPattern", "is_long", "translate"]

MAX_PATTERN: Final = 20_000
"""The maximum length of a pattern in characters; longer patterns are translated only if they list words."""


class EngineText(NamedTuple):
    """A pattern for one engine, as the arguments of `compile_pattern`.

    It has the arguments of `toolgen_runtime.validation.patterns.compile_pattern`.

    `wanted` says whether the pattern must match or must not match.
    """

    text: str
    engine: Engine
    wanted: bool = True


class Translated(NamedTuple):
    """A pattern as one or more searches. The pattern matches if each search has the wanted result.

    `linear` says whether matching is known to take time linear in the text, at most about three seconds for 100,000
    characters. `quick` says whether some tenths of a second are enough.
    """

    searches: tuple[EngineText, ...]
    linear: bool
    quick: bool

    def matcher(self) -> Matches:
        """Return a function that tells whether the pattern matches anywhere in a string."""
        found = [(compile_pattern(one.text, one.engine), one.wanted) for one in self.searches]
        return lambda text: all(bool(search(text)) is wanted for search, wanted in found)


def translate(pattern: str) -> Translated:
    """Translate an ECMA-262 pattern with the `u` flag, which may match anywhere in the text.

    Raises:
        PatternError: the text is not a regular expression; `position` is the place of the error.
        UnsupportedPattern: no engine can run the pattern.
    """
    node = tree_of(pattern)
    alone = _in_engine(node)
    if isinstance(alone, Translated) and alone.linear:
        return alone
    divided = _divided(node)
    if divided is not None and divided.quick:
        return divided
    try:
        automata = automata_of(node)
        compile_pattern(automata.text, "automata")("")
    except Inexpressible as reason:
        if divided is not None:
            return divided
        if isinstance(alone, Translated):
            return alone
        raise UnsupportedPattern(f"no engine can run this: {alone}; {reason}") from None
    quick = automata.cost <= MOST_QUICK_COST
    return Translated((EngineText(automata.text, "automata"),), linear=True, quick=quick)


def _divided(node: Node) -> Translated | None:
    """Return a pattern as several linear searches; None if this is not possible."""
    searches = divide(node)
    each = [_in_engine(part) for part, _ in searches]
    parts = [part for part in each if isinstance(part, Translated) and part.linear]
    if len(parts) < len(searches):
        return None
    texts = [
        part.searches[0]._replace(wanted=wanted) for part, (_, wanted) in zip(parts, searches, strict=True)
    ]
    return Translated(tuple(texts), linear=True, quick=all(part.quick for part in parts))


def _in_engine(node: Node) -> Translated | str:
    """Return a pattern as one search of `re` or Rust, or the reason why neither can run it."""
    python, python_reason = engine_text("python", node)
    linear = python is not None and is_linear(node)
    # For a property, `re` needs the list of a category's ranges, which takes longer than loading Rust.
    has_property = any(isinstance(part, Chars) and part.properties for part in walk(node))
    if python is not None and linear and not has_property:
        return Translated((EngineText(python, "python"),), linear=True, quick=True)
    rust, rust_reason = engine_text("rust", node)
    if rust is not None and (is_small(node) or not linear):
        quick = is_small(node, MOST_QUICK_STATES)
        return Translated((EngineText(rust, "rust"),), linear=is_small(node), quick=quick)
    if python is not None:
        return Translated((EngineText(python, "python"),), linear=linear, quick=linear)
    return f"{python_reason}; {rust_reason}"


def is_long(pattern: str) -> bool:
    """Return whether a pattern is too long to translate.

    Raises:
        PatternError: the text is not a regular expression.
    """
    if not MAX_PATTERN < len(pattern) <= MOST_LISTED:
        return len(pattern) > MAX_PATTERN
    return plain(pattern) is None and listed(tree_of(pattern)) is None


def engine_text(engine: Literal["python", "rust"], node: Node) -> tuple[str | None, str]:
    """Return the pattern for an engine, or the reason why this engine cannot run it.

    The result is the pattern and an empty string, or None and the reason.
    """
    from pydantic_core import SchemaError

    try:
        if engine == "python":
            text = python_text(node)
        else:
            text = rust_text(node)
        compile_pattern(text, engine)("")
    except Inexpressible as reason:
        return None, str(reason)
    except (SchemaError, re.error, OverflowError, RecursionError) as error:
        return None, f"{engine} rejects it: {str(error).strip().splitlines()[-1].strip()}"
    return text, ""
