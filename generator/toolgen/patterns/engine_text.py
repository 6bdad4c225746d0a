"""What the emitters of both engines share: everything but code points, properties, anchors and captures.

The texts are ASCII and need no flags. What an engine cannot say raises `Inexpressible`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from toolgen.patterns.charsets import EVERYTHING, Ranges, complement
from toolgen.patterns.nodes import (
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
)

_ANY = r"[\s\S]"
_NONE = r"[^\s\S]"
_PLAIN = frozenset("!\"%',/:;<=>@_` ")
_SHORT = {9: r"\t", 10: r"\n", 13: r"\r"}


class Inexpressible(Exception):  # noqa: N818  no fault of the pattern's
    """The engine has no words for a part of the pattern; the text says which."""


class Emitter(ABC):
    """A tree to one engine's text; one emitter serves one pattern."""

    ANCHORS: ClassVar[dict[str, str]]

    @abstractmethod
    def code_point(self, code: int) -> str:
        """A code point beyond ASCII."""

    @abstractmethod
    def scalars(self, ranges: Ranges) -> Ranges:
        """The ranges, without what the engine's texts cannot hold."""

    @abstractmethod
    def property(self, prop: Property) -> str:
        """A property, as it may stand in a class."""

    @abstractmethod
    def backtracking(self, node: Group | Look | Backreference) -> str:
        """What only a backtracking engine can have; groups are left in a tree only for references to them."""

    def emit(self, node: Node) -> str:
        """The text of a node; a choice is not in parentheses yet."""
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
            case Group() | Look() | Backreference():
                return self.backtracking(node)

    def in_sequence(self, node: Node) -> str:
        """The text of an item that others may stand beside."""
        text = self.emit(node)
        return f"(?:{text})" if isinstance(node, Choice) else text

    def repeat(self, node: Repeat) -> str:
        """A repetition."""
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
        """A character or a class, as the shorter of itself and its complement."""
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
        listed, left_out = self.ranges(ranges), self.ranges(self.scalars(complement(node.ranges)))
        return f"[{listed}]" if len(listed) <= len(left_out) else f"[^{left_out}]"

    def ranges(self, ranges: Ranges) -> str:
        """Ranges, as they stand in a class."""
        parts: list[str] = []
        for low, high in ranges:
            dash = "-" if high > low + 1 else ""
            parts.append(self.character(low) + (dash + self.character(high) if high > low else ""))
        return "".join(parts)

    def character(self, code: int) -> str:
        """A character as it may stand in a class or outside."""
        if code in _SHORT:
            return _SHORT[code]
        char = chr(code)
        if char.isascii() and (char.isalnum() or char in _PLAIN):
            return char
        if 0x20 < code < 0x7F and char != "\\":
            return "\\" + char
        return f"\\x{code:02x}" if code < 0x80 else self.code_point(code)
