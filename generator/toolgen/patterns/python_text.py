"""Syntax trees written for Python's `re`."""

from __future__ import annotations

from typing import ClassVar

from toolgen.patterns.charsets import Ranges
from toolgen.patterns.engine_text import Emitter, Inexpressible
from toolgen.patterns.nodes import Look, Node, Property, Repeat
from toolgen.patterns.widths import width

_GREATEST_BOUND = 2**32 - 2


def python_text(node: Node) -> str:
    """Return the pattern for `toolgen_runtime.validation.patterns.compile_pattern(text, "python")`.

    It is `re` syntax except for general categories, which `re` does not have: they are written as `\\p{Lu}`
    in a class, and the runtime replaces them with ranges from `unicodedata`. So the text does not depend on
    the Unicode version of the Python that runs the build.

    Raises:
        Inexpressible: a lookbehind without a fixed width, a script or binary property, a bound above 2**32.
    """
    return _PythonEmitter().emit(node)


class _PythonEmitter(Emitter):
    # Before Python 3.14, \B of `re` does not match the empty text.
    ANCHORS: ClassVar = {"^": "^", "$": r"\Z", "b": r"(?a:\b)", "B": r"(?!(?a:\b))"}

    def code_point(self, code: int) -> str:
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    def scalars(self, ranges: Ranges) -> Ranges:
        return ranges

    def property(self, prop: Property) -> str:
        if prop.kind != "gc":
            raise Inexpressible(f"Python's re has no property {prop.value}")
        return f"\\{'P' if prop.negated else 'p'}{{{prop.value}}}"

    def repeat(self, node: Repeat) -> str:
        if node.low > _GREATEST_BOUND:
            raise Inexpressible("a repetition bound above 2**32")
        if node.high is not None and node.high > _GREATEST_BOUND:
            node = Repeat(node.body, node.low, None, node.lazy)  # no text is longer
        return super().repeat(node)

    def look(self, node: Look, /) -> str:
        low, high = width(node.body)
        if node.behind and low != high:
            raise Inexpressible("Python's re takes no lookbehind of variable width")
        return f"(?{'<' if node.behind else ''}{'!' if node.negated else '='}{self.emit(node.body)})"
