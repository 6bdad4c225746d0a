"""Regular expressions of JSON Schema (`pattern`, `patternProperties`): ECMA-262, run by Python or Rust.

`translate` parses a pattern, writes it in the syntax of Python's `re` and of Rust's `regex` (part of
pydantic_core), and chooses the engine: `re` if its time is certainly linear in the text, because it loads
faster; otherwise Rust, which is always linear. If only `re` can run the pattern, `linear` may be false.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from toolgen.compiler.patterns.cost import MOST_QUICK_STATES, is_linear, is_small
from toolgen.compiler.patterns.engine_text import Inexpressible, python_text, rust_text
from toolgen.compiler.patterns.nodes import Chars, Node, walk
from toolgen.compiler.patterns.parser import PatternError, UnsupportedPattern, tree_of
from toolgen.compiler.patterns.without_regex import MOST_LISTED, listed, plain
from toolgen_runtime.validation.patterns import compile_pattern

if TYPE_CHECKING:
    from toolgen_runtime.validation.patterns import Matches

__all__ = ["MAX_PATTERN", "PatternError", "Translated", "UnsupportedPattern", "is_long", "translate"]

MAX_PATTERN: Final = 20_000
"""The maximum number of characters of a pattern; longer patterns are translated only if they list words."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A pattern in the syntax of an engine: arguments of `toolgen_runtime.validation.patterns.compile_pattern`.

    `linear` is whether a match is known to take time linear in the text, at most about two seconds for 100,000
    characters; `quick` is whether some tenths of a second are enough.
    """

    text: str
    engine: Literal["python", "rust"]
    linear: bool
    quick: bool

    def matcher(self) -> Matches:
        """Return a function that returns a true value if the pattern matches anywhere in a string."""
        return compile_pattern(self.text, self.engine)


def translate(pattern: str) -> Translated:
    """Translate an ECMA-262 pattern (`u` flag, searched for anywhere in the text).

    Raises:
        PatternError: the text is not a regular expression; `position` is the place of the error.
        UnsupportedPattern: neither engine can run the pattern.
    """
    node = tree_of(pattern)
    python, python_reason = engine_text("python", node)
    linear = python is not None and is_linear(node)
    # For a property, `re` needs the list of a category's ranges, which takes longer than loading Rust.
    has_property = any(isinstance(part, Chars) and part.properties for part in walk(node))
    if python is not None and linear and not has_property:
        return Translated(python, "python", linear=True, quick=True)
    rust, rust_reason = engine_text("rust", node)
    if rust is not None:
        return Translated(rust, "rust", linear=is_small(node), quick=is_small(node, MOST_QUICK_STATES))
    if python is not None:
        return Translated(python, "python", linear=linear, quick=linear)
    raise UnsupportedPattern(f"no engine can run this: {python_reason}; {rust_reason}")


def is_long(pattern: str) -> bool:
    """Return whether a pattern is too long to be translated.

    Raises:
        PatternError: the text is not a regular expression.
    """
    if not MAX_PATTERN < len(pattern) <= MOST_LISTED:
        return len(pattern) > MAX_PATTERN
    return plain(pattern) is None and listed(tree_of(pattern)) is None


def engine_text(engine: Literal["python", "rust"], node: Node) -> tuple[str | None, str]:
    """Return the pattern for an engine and "", or None and the reason if the engine cannot run it."""
    from pydantic_core import SchemaError

    try:
        text = python_text(node) if engine == "python" else rust_text(node)
        compile_pattern(text, engine)("")
    except Inexpressible as reason:
        return None, str(reason)
    except (SchemaError, re.error, OverflowError, RecursionError) as error:
        return None, f"{engine} refuses it: {str(error).strip().splitlines()[-1].strip()}"
    return text, ""
