"""Write syntax trees as patterns for Python's `re` or Rust's `regex` crate.

The result is ASCII and needs no flags. Pass it to `toolgen_runtime.validation.patterns.compile_pattern`. The engine may
still reject a text that is too large or contains a script that it does not know.
"""

from __future__ import annotations

from typing import ClassVar

from toolgen.compiler.patterns.charsets import EVERYTHING, Ranges, complement, only_code, without_surrogates
from toolgen.compiler.patterns.nodes import (
    Anchor,
    Backreference,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Property,
    Repeat,
    Sequence,
    can_be_empty,
    walk,
    width,
)

_PLAIN = frozenset("!\"%',/:;<=>@_` ")
_SHORT = {9: r"\t", 10: r"\n", 13: r"\r"}
_TIMES = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_GREATEST_BOUND = 2**32 - 2


class Inexpressible(Exception):  # noqa: N818  not an error of the pattern
    """The exception for a part of a pattern that an engine cannot express. The message names the part."""


def rust_text(node: Node) -> str:
    """Write a pattern in the syntax of Rust's `regex` crate.

    Raises:
        Inexpressible: a lookahead or lookbehind, or an empty match that depends on `\\B`: the crate
            finds one between the bytes of a character, drops it, and misses the match after it.
    """
    if can_be_empty(node) and Anchor("B") in walk(node):
        raise Inexpressible("Rust's regex misses some empty matches at \\B")
    return _Rust().text(node)


def python_text(node: Node) -> str:
    """Write a pattern in the syntax of Python's `re`.

    It is `re` syntax except for general categories, which `re` does not have: they are written as `\\p{Lu}`
    in a class, and the runtime replaces them by ranges from `unicodedata`. So the text does not depend on
    the Unicode version of the Python that runs the build.

    Raises:
        Inexpressible: a lookbehind without a fixed width, a script or binary property, a bound above 2**32.
    """
    return _Python().text(node)


class _Rust:
    ANCHORS: ClassVar = {"^": "^", "$": "$", "b": r"(?-u:\b)", "B": r"(?-u:\B)"}

    def text(self, node: Node) -> str:
        """Write a node. A choice is not put in parentheses."""
        match node:
            case Chars():
                return self.chars(node)
            case Sequence(items):
                return "".join(
                    f"(?:{self.text(i)})" if isinstance(i, Choice) else self.text(i) for i in items
                )
            case Choice(options):
                return "|".join(map(self.text, options))
            case Repeat():
                return self.repeat(node)
            case Anchor(kind):
                return self.ANCHORS[kind]
            case Look():
                return self.look(node)
            case Group() | Backreference():
                return self.captured(node)

    def repeat(self, node: Repeat) -> str:
        text, low, high = self.text(node.body), node.low, node.high
        if not isinstance(node.body, Chars):
            text = f"(?:{text})"
        if low == high:
            return f"{text}{{{low}}}"
        times = _TIMES.get((low, high), f"{{{low},{'' if high is None else high}}}")
        return text + times + ("?" if node.lazy else "")

    def chars(self, node: Chars) -> str:
        """Write a character or a class, as itself or as its complement, whichever is shorter."""
        if node.properties:
            inside = self.ranges(node.ranges) + "".join(map(self.property, node.properties))
            return f"[{'^' if node.negated else ''}{inside}]"
        if node.ranges == EVERYTHING:
            return r"[\s\S]"
        ranges = self.scalars(node.ranges)
        if not ranges:
            return r"[^\s\S]"
        if (code := only_code(ranges)) is not None:
            return self.character(code)
        included, excluded = self.ranges(node.ranges), self.ranges(complement(node.ranges))
        if len(included) <= len(excluded):
            return f"[{included}]"
        return f"[^{excluded}]"

    def ranges(self, ranges: Ranges) -> str:
        """Write ranges as part of a class."""
        text = ""
        for low, high in self.scalars(ranges):
            dash = "-" if high > low + 1 else ""
            text += self.character(low) + (dash + self.character(high) if high > low else "")
        return text

    def character(self, code: int) -> str:
        """Write a character so that it is valid both inside and outside a class."""
        if code in _SHORT:
            return _SHORT[code]
        char = chr(code)
        if char.isascii() and (char.isalnum() or char in _PLAIN):
            return char
        if 0x20 < code < 0x7F and char != "\\":
            return "\\" + char
        if code < 0x80:
            return f"\\x{code:02x}"
        return self.code_point(code)

    def scalars(self, ranges: Ranges) -> Ranges:
        """Remove the code points that the engine's strings cannot contain."""
        return without_surrogates(ranges)

    def code_point(self, code: int) -> str:
        """Write the escape for a code point outside ASCII."""
        return f"\\x{{{code:x}}}"

    def property(self, prop: Property) -> str:
        """Write a property as part of a class."""
        if prop.kind == "binary":
            kind = ""
        else:
            kind = f"{prop.kind}="
        return f"\\{'P' if prop.negated else 'p'}{{{kind}{prop.value}}}"

    def look(self, _node: Look, /) -> str:
        raise Inexpressible("Rust's regex has no lookahead or lookbehind")

    def captured(self, _node: Group | Backreference, /) -> str:
        raise Inexpressible("Rust's regex has no backreferences")


class _Python(_Rust):
    # Before Python 3.14, \B of `re` does not match the empty text.
    ANCHORS: ClassVar = {"^": "^", "$": r"\Z", "b": r"(?a:\b)", "B": r"(?!(?a:\b))"}

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        """The numbers of groups in the written text, where only groups with a reference are left."""

    def scalars(self, ranges: Ranges) -> Ranges:
        return ranges

    def code_point(self, code: int) -> str:
        if code < 0x100:
            return f"\\x{code:02x}"
        if code < 0x10000:
            return f"\\u{code:04x}"
        return f"\\U{code:08x}"

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
        return f"(?{'<' if node.behind else ''}{'!' if node.negated else '='}{self.text(node.body)})"

    def captured(self, node: Group | Backreference, /) -> str:
        if isinstance(node, Group):
            self.numbers[node.number] = len(self.numbers) + 1
            return f"({self.text(node.body)})"
        number = self.numbers[node.number]
        return f"(?({number})\\{number})"
