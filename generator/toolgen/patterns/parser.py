"""ECMA-262 regular expressions (22.2.1, with the `u` flag) to a syntax tree.

Where the `u` flag forbids what real specs are full of, and what has but one reading, annex B.1.2 is
followed: escaped punctuation (`\\-`, `\\@`), braces and `]` that stand for themselves, and a class escape
as the end of a range (`[\\w-.]`). Letters and digits that mean nothing escaped (`\\a`, `\\Z`) are errors.
"""

from __future__ import annotations

import re

from toolgen.patterns.charsets import DOT, single
from toolgen.patterns.classes import character_class, class_escape
from toolgen.patterns.cursor import Reader
from toolgen.patterns.errors import UnsupportedPattern
from toolgen.patterns.nodes import Anchor, Backreference, Chars, Choice, Group, Look, Node, Repeat, sequence

MAX_DEPTH = 60
"""Groups in groups: all that works on the tree recurses, and a spec must not overflow the stack."""

_BRACES = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_NUMBER = re.compile(r"[1-9][0-9]*")
_MODIFIERS = re.compile(r"\?[ims]*(-[ims]*)?:")
_LOOKS = (("?=", False, False), ("?!", False, True), ("?<=", True, False), ("?<!", True, True))


def parse(pattern: str) -> Node:
    """The syntax tree of a pattern.

    Raises:
        PatternError: the text is no regular expression.
        UnsupportedPattern: it uses modifiers (`(?i:...)`), one name twice, or nests deeper than `MAX_DEPTH`.
    """
    parser = _Parser(pattern, {})
    node = parser.whole()
    if parser.forward_names:  # their numbers are known now
        node = _Parser(pattern, parser.names).whole()
    return node


class _Parser(Reader):
    def __init__(self, text: str, names: dict[str, int]) -> None:
        super().__init__(text)
        self.depth = 0
        self.groups = 0
        self.known_names = names
        self.names: dict[str, int] = {}
        self.forward_names: dict[str, int] = {}
        self.highest_reference = (0, 0)

    def whole(self) -> Node:
        node = self.disjunction()
        if self.at < len(self.text):
            raise self.error("')' closes no group")
        number, position = self.highest_reference
        if number > self.groups:
            raise self.error(f"\\{number} refers to a group that does not exist", position)
        for name, position in self.forward_names.items():
            if name not in self.names:
                raise self.error(f"\\k<{name}> refers to a group that does not exist", position)
        return node

    def disjunction(self) -> Node:
        options = [self.alternative()]
        while self.take("|"):
            options.append(self.alternative())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def alternative(self) -> Node:
        items: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            start = self.at
            item = self.term()
            bounds = self.quantifier()
            if bounds is None:
                items.append(item)
            elif isinstance(item, Anchor | Look) and not self.text.startswith("(?:", start):
                raise self.error("an assertion cannot be repeated", start)
            else:
                items.append(Repeat(item, *bounds, lazy=self.take("?")))
        return sequence(items)

    def quantifier(self) -> tuple[int, int | None] | None:
        start = self.at
        if self.take("*"):
            return 0, None
        if self.take("+"):
            return 1, None
        if self.take("?"):
            return 0, 1
        match = self.take_match(_BRACES)
        if match is None or (match[3] and not match[2]):
            return None
        low = _bound(match[1])
        high = _bound(match[3]) if match[3] else (None if match[2] else low)
        if high is not None and high < low:
            raise self.error("the bounds of the repetition are out of order", start)
        return low, high

    def term(self) -> Node:
        start = self.at
        char = self.text[start]
        if char in "^$":
            self.at += 1
            return Anchor("^" if char == "^" else "$")
        if char == "(":
            return self.group()
        if char == "[":
            return character_class(self)
        if char == "\\":
            return self.escape()
        if char in "*+?" or (char == "{" and _BRACES.match(self.text, start)):
            raise self.error("nothing to repeat")
        self.at += 1
        return Chars(DOT if char == "." else single(ord(char)))

    def group(self) -> Node:
        start = self.at
        self.at += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnsupportedPattern(f"groups nest deeper than {MAX_DEPTH}", start)
        node = self.opened_group(start)
        if not self.take(")"):
            raise self.error("the group is not closed by ')'", start)
        self.depth -= 1
        return node

    def opened_group(self, start: int) -> Node:
        for opening, behind, negated in _LOOKS:
            if self.take(opening):
                return Look(self.disjunction(), behind, negated)
        if self.take("?:"):
            return self.disjunction()
        if self.take("?<"):
            name = self.group_name(start)
            if name in self.names:
                raise UnsupportedPattern(f"two groups are named {name!r}", start)
            self.names[name] = self.groups + 1
        elif self.take_match(_MODIFIERS):
            raise UnsupportedPattern("modifiers are not supported: spell both cases out, as [aA]", start)
        elif self.peek() == "?":
            raise self.error("'(?' begins no group of ECMA-262", start)
        self.groups += 1
        number = self.groups
        return Group(self.disjunction(), number)

    def group_name(self, start: int) -> str:
        written = Reader(self.until(">", "the group name"))
        name = ""
        while char := written.peek():
            written.at += 1
            if char == "\\":
                if written.peek() != "u":
                    raise self.error("a group name takes no escape but \\u", start)
                char = chr(written.character_escape(0))
            name += char
        if not name.replace("$", "_").isidentifier():
            raise self.error(f"{name!r} is no name for a group", start)
        return name

    def escape(self) -> Node:
        if chars := class_escape(self):
            return chars
        start = self.at
        self.at += 1
        if self.take("b"):
            return Anchor("b")
        if self.take("B"):
            return Anchor("B")
        if match := self.take_match(_NUMBER):
            number = _bound(match[0])
            self.highest_reference = max(self.highest_reference, (number, start))
            return Backreference(number)
        if self.take("k"):
            if not self.take("<"):
                raise self.error("\\k takes a group name in angle brackets", start)
            name = self.group_name(start)
            self.forward_names[name] = start
            return Backreference(self.known_names.get(name, 0))
        return Chars(single(self.character_escape(start)))


def _bound(digits: str) -> int:
    """The number, or a greater one than any text is long: `int` refuses thousands of digits."""
    return int(digits) if len(digits) <= 18 else 10**18
