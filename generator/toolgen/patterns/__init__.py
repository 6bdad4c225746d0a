"""Regular expressions of JSON Schema (`pattern`, `patternProperties`): ECMA-262, run by Python or Rust.

`translate` parses a pattern, says it in the words of Python's `re` and of Rust's `regex` (which pydantic_core
carries), and chooses the engine: `re` where it is surely linear in the text, since loading it costs less;
otherwise Rust, which is always linear; and `re` with backtracking only where Rust cannot run the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from toolgen.patterns.cost import is_linear, is_small
from toolgen.patterns.engine_text import Inexpressible
from toolgen.patterns.errors import PatternError, UnsupportedPattern
from toolgen.patterns.finite import MOST_LITERALS, is_finite
from toolgen.patterns.nodes import Chars, Node, walk
from toolgen.patterns.python_text import python_text
from toolgen.patterns.rust_text import rust_text
from toolgen.patterns.tree import tree_of
from toolgen_runtime.validation.patterns import compile_pattern

__all__ = ["MAX_PATTERN", "PatternError", "Translated", "UnsupportedPattern", "is_long", "translate"]

MAX_PATTERN: Final = 20_000
"""Characters; of longer patterns only those without repetition are translated."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A pattern as the engines take it; None where one cannot run it.

    `engine` is the one to use, with its `text`, in `toolgen_runtime.validation.patterns.compile_pattern`. `linear` says
    whether a search there surely takes time linear in the text, with a small factor (for 100,000 characters
    at most a second or so); a pattern that is not linear deserves a finding.
    """

    python: str | None
    rust: str | None
    engine: Literal["python", "rust"]
    linear: bool

    @property
    def text(self) -> str:
        """The text for `engine`."""
        text = self.python if self.engine == "python" else self.rust
        assert text is not None
        return text


def translate(pattern: str) -> Translated:
    """A pattern of ECMA-262 (with the `u` flag, searched for anywhere in the text) for the engines.

    Raises:
        PatternError: the text is no regular expression; its `position` says where.
        UnsupportedPattern: it is one, but neither engine can run it.
    """
    node = tree_of(pattern)
    python, python_lacks = _text("python", node)
    rust, rust_lacks = _text("rust", node)
    if python is not None and is_linear(node) and not (rust is not None and _has_property(node)):
        return Translated(python, rust, "python", linear=True)
    if rust is not None:
        return Translated(python, rust, "rust", linear=is_small(node))
    if python is not None:
        return Translated(python, None, "python", linear=False)
    raise UnsupportedPattern(f"no engine can run this: {python_lacks}; {rust_lacks}")


def is_long(pattern: str) -> bool:
    """Whether a pattern has more characters than are worth the time to translate it.

    Raises:
        PatternError: the text is no regular expression.
    """
    if len(pattern) <= MAX_PATTERN:
        return False
    return len(pattern) > MOST_LITERALS or not is_finite(tree_of(pattern))


def _has_property(node: Node) -> bool:
    """Whether `re` would need the ranges of a category spelt out, which takes longer than loading Rust."""
    return any(isinstance(part, Chars) and part.properties for part in walk(node))


def _text(engine: Literal["python", "rust"], node: Node) -> tuple[str | None, str]:
    """An engine's text, or why there is none; the engine itself has the last word."""
    from pydantic_core import SchemaError

    try:
        text = python_text(node) if engine == "python" else rust_text(node)
        compile_pattern(text, engine)("")
    except Inexpressible as reason:
        return None, str(reason)
    except (SchemaError, re.error, OverflowError, RecursionError) as error:
        return None, f"{engine} says: {str(error).strip().splitlines()[-1].strip()}"
    return text, ""
