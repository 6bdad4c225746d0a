"""Syntax trees written for the Rust `regex` crate."""

from __future__ import annotations

from typing import ClassVar

from toolgen.patterns.charsets import Ranges, without_surrogates
from toolgen.patterns.engine_text import Emitter, Inexpressible
from toolgen.patterns.nodes import Anchor, Look, Node, Property, walk
from toolgen.patterns.widths import width


def rust_text(node: Node) -> str:
    """Return the pattern for `toolgen_runtime.validation.patterns.compile_pattern(text, "rust")`.

    The engine may still refuse it, as too large or for a script that it does not know.

    Raises:
        Inexpressible: a lookahead or lookbehind, or an empty match that depends on `\\B`: the crate
            finds one between the bytes of a character, drops it, and misses the match behind it.
    """
    if width(node)[0] == 0 and Anchor("B") in walk(node):
        raise Inexpressible("Rust's regex misses some empty matches at \\B")
    return _RustEmitter().emit(node)


class _RustEmitter(Emitter):
    ANCHORS: ClassVar = {"^": "^", "$": "$", "b": r"(?-u:\b)", "B": r"(?-u:\B)"}

    def code_point(self, code: int) -> str:
        return f"\\x{{{code:x}}}"

    def scalars(self, ranges: Ranges) -> Ranges:
        return without_surrogates(ranges)

    def property(self, prop: Property) -> str:
        kind = "" if prop.kind == "binary" else f"{prop.kind}="
        return f"\\{'P' if prop.negated else 'p'}{{{kind}{prop.value}}}"

    def look(self, _node: Look, /) -> str:
        raise Inexpressible("Rust's regex has no lookahead or lookbehind")
