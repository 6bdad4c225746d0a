"""Parsing of ECMA-262 regular expressions (22.2.1, with the `u` flag) into a syntax tree.

The parser follows annex B.1.2 for unambiguous patterns that are common in real specs although the `u` flag
forbids them: escaped punctuation (`\\-`, `\\@`), literal braces and `]`, and a class escape at the end of a range
(`[\\w-.]`). Escaped letters and digits without a meaning (`\\a`, `\\Z`) are errors.
"""

from __future__ import annotations

import re

from toolgen.patterns.charsets import DOT, single
from toolgen.patterns.classes import character_class, class_escape
from toolgen.patterns.cursor import Cursor, UnsupportedPattern
from toolgen.patterns.nodes import EMPTY, Anchor, Chars, Choice, Look, Node, Repeat, sequence

MAX_DEPTH = 60
"""Levels of groups. Everything that works on the tree recurses, and a spec must not overflow the stack."""

_BRACES = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_NUMBER = re.compile(r"[1-9][0-9]*")
_MODIFIERS = re.compile(r"\?[ims]*(-[ims]*)?:")
_LOOKS = (("?=", False, False), ("?!", False, True), ("?<=", True, False), ("?<!", True, True))
_ASSERTIONS = ("^", "$", "\\", *(f"({opening}" for opening, _, _ in _LOOKS))


def parse(pattern: str) -> Node:
    """Return the syntax tree of a pattern.

    Raises:
        PatternError: the text is not a regular expression.
        UnsupportedPattern: it has a backreference, modifiers (`(?i:...)`), two groups of one name, or more than
            `MAX_DEPTH` levels.
    """
    return _Parser(pattern).pattern()


class _Parser(Cursor):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.groups = 0
        self.names: set[str] = set()
        self.references: dict[int | str, int] = {}

    def pattern(self) -> Node:
        node = self.disjunction()
        if self.at < len(self.text):
            raise self.error("there is no group for this ')' to close")
        for group, position in self.references.items():
            if (group > self.groups) if isinstance(group, int) else (group not in self.names):
                shown = group if isinstance(group, int) else f"k<{group}>"
                raise self.error(f"\\{shown} refers to a group that does not exist", position)
        if self.references:
            raise UnsupportedPattern("backreferences are not supported", min(self.references.values()))
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
            elif self.text.startswith(_ASSERTIONS, start) and isinstance(item, Anchor | Look):
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
            self.names.add(name)
        elif self.take_match(_MODIFIERS):
            raise UnsupportedPattern("modifiers are not supported; write both cases, as in [aA]", start)
        elif self.peek() == "?":
            raise self.error("'(?' does not begin a group of ECMA-262", start)
        self.groups += 1
        return self.disjunction()

    def group_name(self, start: int) -> str:
        cursor = Cursor(self.until(">", "the group name"))
        name = ""
        while char := cursor.peek():
            cursor.at += 1
            if char == "\\":
                if cursor.peek() != "u":
                    raise self.error("the only escape in a group name is \\u", start)
                char = chr(cursor.character_escape(0))
            name += char
        if not name.replace("$", "_").isidentifier():
            raise self.error(f"{name!r} is not a name for a group", start)
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
            self.references[_bound(match[0])] = start
            return EMPTY
        if self.take("k"):
            if not self.take("<"):
                raise self.error("\\k takes a group name in angle brackets", start)
            name = self.group_name(start)
            self.references[name] = start
            return EMPTY
        return Chars(single(self.character_escape(start)))


def _bound(digits: str) -> int:
    """Return the number, or 10**18, longer than any text, because `int` refuses thousands of digits."""
    return int(digits) if len(digits) <= 18 else 10**18
