"""The base of both emitters: everything except code points, properties, anchors and lookarounds.

The emitted patterns are ASCII and need no flags. `Inexpressible` is raised for what an engine cannot express.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from toolgen.patterns.charsets import EVERYTHING, Ranges, complement
from toolgen.patterns.nodes import Anchor, Chars, Choice, Look, Node, Property, Repeat, Sequence

_ANY = r"[\s\S]"
_NONE = r"[^\s\S]"
_PLAIN = frozenset("!\"%',/:;<=>@_` ")
_SHORT = {9: r"\t", 10: r"\n", 13: r"\r"}


class Inexpressible(Exception):  # noqa: N818  not an error of the pattern
    """The engine cannot express a part of the pattern; the message says which."""


class Emitter(ABC):
    """Writes the tree of one pattern in the syntax of one engine."""

    ANCHORS: ClassVar[dict[str, str]]

    @abstractmethod
    def code_point(self, code: int) -> str:
        """Return the escape of a code point beyond ASCII."""

    @abstractmethod
    def scalars(self, ranges: Ranges) -> Ranges:
        """Return the ranges without the code points that the engine's strings cannot hold."""

    @abstractmethod
    def property(self, prop: Property) -> str:
        """Return a property as written in a class."""

    @abstractmethod
    def look(self, node: Look, /) -> str:
        """Return a lookahead or lookbehind."""

    def emit(self, node: Node) -> str:
        """Return the text of a node; a choice has no parentheses around it."""
        match node:
            case Chars():
                return self.chars(node)
            case Sequence(items):
                return "".join(self.in_sequence(item) for item in items)
            case Choice(options):
                return "|".join(self.emit(option) for option in options)
            case Repeat():
                return self.repeat(node)
            case Anchor(kind):
                return self.ANCHORS[kind]
            case Look():
                return self.look(node)

    def in_sequence(self, node: Node) -> str:
        """Return the text of an item of a sequence."""
        text = self.emit(node)
        return f"(?:{text})" if isinstance(node, Choice) else text

    def repeat(self, node: Repeat) -> str:
        """Return the text of a repetition."""
        text = self.emit(node.body)
        if not isinstance(node.body, Chars):
            text = f"(?:{text})"
        match node.low, node.high:
            case 0, None:
                times = "*"
            case 1, None:
                times = "+"
            case 0, 1:
                times = "?"
            case low, None:
                times = f"{{{low},}}"
            case low, high if low == high:
                return f"{text}{{{low}}}"
            case low, high:
                times = f"{{{low},{high}}}"
        return text + times + ("?" if node.lazy else "")

    def chars(self, node: Chars) -> str:
        """Return a character or a class, written as itself or its complement, whichever is shorter."""
        if node.properties:
            inside = self.ranges(self.scalars(node.ranges)) + "".join(map(self.property, node.properties))
            return f"[{'^' if node.negated else ''}{inside}]"
        if node.ranges == EVERYTHING:
            return _ANY
        ranges = self.scalars(node.ranges)
        if not ranges:
            return _NONE
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return self.character(ranges[0][0])
        included, excluded = self.ranges(ranges), self.ranges(self.scalars(complement(node.ranges)))
        return f"[{included}]" if len(included) <= len(excluded) else f"[^{excluded}]"

    def ranges(self, ranges: Ranges) -> str:
        """Return ranges as written in a class."""
        parts: list[str] = []
        for low, high in ranges:
            dash = "-" if high > low + 1 else ""
            parts.append(self.character(low) + (dash + self.character(high) if high > low else ""))
        return "".join(parts)

    def character(self, code: int) -> str:
        """Return a character as written inside and outside a class."""
        if code in _SHORT:
            return _SHORT[code]
        char = chr(code)
        if char.isascii() and (char.isalnum() or char in _PLAIN):
            return char
        if 0x20 < code < 0x7F and char != "\\":
            return "\\" + char
        return f"\\x{code:02x}" if code < 0x80 else self.code_point(code)
