"""Parse ECMA-262 regular expressions (22.2.1, with the `u` flag) into a syntax tree.

The parser follows annex B.1.2 for unambiguous patterns that are common in real specs although the `u` flag
forbids them: an identity escape of any character but ASCII letters and digits (`\\-`, `\\@`), a lone `]`, `{` or
`}`, and a class escape at the end of a range (`[\\w-.]`). Escaped letters and digits without a meaning (`\\a`,
`\\Z`) are errors.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolgen.compiler.patterns.backreferences import DifferentCaptures, resolve
from toolgen.compiler.patterns.charsets import (
    CLASS_ESCAPES,
    DOT,
    EVERYTHING,
    Ranges,
    complement,
    only_code,
    single,
    union,
)
from toolgen.compiler.patterns.nodes import (
    EMPTY,
    Anchor,
    Backreference,
    Chars,
    Group,
    Look,
    Node,
    Property,
    sequence,
)
from toolgen.compiler.patterns.simplify import choice, look, repeat, trim_ends
from toolgen_runtime.validation.formats.regexes import ESCAPE, code_point, property_of

MAX_GROUP_DEPTH: Final = 60
"""The maximum depth of groups. Functions on the tree are recursive, and a spec must not overflow the stack."""

_BRACES: Final = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_BACKREFERENCE: Final = re.compile(r"([1-9][0-9]*)|k(?:<([^>]*)>)?")
_MODIFIERS: Final = re.compile(r"\?[ims]*(-[ims]*)?:")
_NAME: Final = re.compile(r"\?<([^>]*)>")
_LOOKS: Final = (("?=", False, False), ("?!", False, True), ("?<=", True, False), ("?<!", True, True))
_ASSERTIONS: Final = ("^", "$", "\\", *(f"({opening}" for opening, _, _ in _LOOKS))
_INCOMPLETE: Final = {
    "c": "\\c takes a letter",
    "x": "\\x takes two hexadecimal digits",
    "u": "\\u takes four hexadecimal digits, or a code point up to 10FFFF in braces",
}
_HYPHEN: Final = Chars(single(ord("-")))
_ASCII_HEX: Final[Ranges] = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
FIXED: Final[dict[str, Ranges]] = {
    "Any": EVERYTHING,
    "ASCII": ((0, 0x7F),),
    "ASCII_Hex_Digit": _ASCII_HEX,
    "AHex": _ASCII_HEX,
}
"""Properties that are the same in every version of Unicode."""


class PatternError(ValueError):
    """The error for text that is not an ECMA-262 regular expression.

    `position` counts code points from the start of the text.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        """Create an error. `message` is one sentence without the position."""
        self.message = message
        self.position = position
        super().__init__(f"{message} (at character {position})")


class UnsupportedPattern(PatternError):  # noqa: N818  its base class is named an error
    """The error for a valid regular expression that no engine can run with exactly the same meaning."""


@lru_cache(maxsize=4)  # callers parse the same pattern several times in a row
def tree_of(pattern: str) -> Node:
    """Parse a pattern, and return its simplified syntax tree.

    Raises:
        PatternError: the text is not a regular expression.
        UnsupportedPattern: it has a backreference that Python's `re` would treat differently, modifiers (`(?i:...)`),
            two groups with the same name, or more than `MAX_GROUP_DEPTH` levels.
    """
    parser = _Parser(pattern)
    node = parser.pattern()
    if parser.references:  # the second pass knows the groups that are referred to
        node = _Parser(pattern, parser.group_numbers()).pattern()
        try:
            node = resolve(node)
        except DifferentCaptures as reason:
            position = min(parser.references.values())
            raise UnsupportedPattern(f"{reason} is not supported", position) from None
    return trim_ends(node)


class _Parser:
    """Reads the parts of a pattern from the position `at`."""

    def __init__(self, text: str, numbers: dict[int | str, int] | None = None) -> None:
        """Create a parser.

        `numbers` are the groups to which the pattern refers, by number and name, if they are known.
        """
        self.text = text
        self.at = 0
        self.depth = 0
        self.groups = 0
        self.names: dict[str, int] = {}
        self.references: dict[int | str, int] = {}
        """The groups that are referred to, by number or name, and where."""
        self.numbers = numbers or {}

    def pattern(self) -> Node:
        """Parse the whole text."""
        node = self.disjunction()
        if self.at < len(self.text):
            raise PatternError("there is no group for this ')' to close", self.at)
        return node

    def group_numbers(self) -> dict[int | str, int]:
        """Return the numbers of all groups to which the pattern refers."""
        for group, position in self.references.items():
            if isinstance(group, int):
                exists = group <= self.groups
            else:
                exists = group in self.names
            if not exists:
                raise PatternError("the backreference is to a group that does not exist", position)
        return {group: group if isinstance(group, int) else self.names[group] for group in self.references}

    def peek(self) -> str:
        """Return the next character, or "" at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, literal: str) -> bool:
        """If `literal` comes next, skip it and return True."""
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def take_match(self, regex: re.Pattern[str]) -> re.Match[str] | None:
        """If `regex` matches at this position, skip the text and return the match; otherwise return None."""
        match = regex.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def disjunction(self) -> Node:
        options = [self.alternative()]
        while self.take("|"):
            options.append(self.alternative())
        return choice(options)

    def alternative(self) -> Node:
        items: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            start = self.at
            item = self.term()
            bounds = self.quantifier()
            if bounds is None:
                items.append(item)
            elif self.text.startswith(_ASSERTIONS, start) and isinstance(item, Anchor | Look):
                raise PatternError("an assertion cannot be repeated", start)
            else:
                items.append(repeat(item, *bounds, lazy=self.take("?")))
        return sequence(items)

    def quantifier(self) -> tuple[int, int | None] | None:
        start = self.at
        bounds = _QUANTIFIERS.get(self.peek())
        if bounds is not None:
            self.at += 1
            return bounds
        match = self.take_match(_BRACES)
        if match is None or (match[3] and not match[2]):
            return None
        low = _bound(match[1])
        high: int | None = low
        if match[2]:
            if match[3]:
                high = _bound(match[3])
            else:
                high = None
        if high is not None and high < low:
            raise PatternError("the bounds of the repetition are out of order", start)
        return low, high

    def term(self) -> Node:
        start = self.at
        char = self.text[start]
        match char:
            case "(":
                return self.group()
            case "[":
                return self.character_class()
            case "\\":
                return self.escape()
        if char in "*+?" or (char == "{" and _BRACES.match(self.text, start)):
            raise PatternError("nothing to repeat", start)
        self.at += 1
        if char in "^$":
            return Anchor("^" if char == "^" else "$")
        return Chars(DOT if char == "." else single(ord(char)))

    # -- groups

    def group(self) -> Node:
        start = self.at
        self.at += 1
        self.depth += 1
        if self.depth > MAX_GROUP_DEPTH:
            raise UnsupportedPattern(f"groups nest deeper than {MAX_GROUP_DEPTH}", start)
        node = self.opened_group(start)
        if not self.take(")"):
            raise PatternError("the group is not closed by ')'", start)
        self.depth -= 1
        return node

    def opened_group(self, start: int) -> Node:
        for opening, behind, negated in _LOOKS:
            if self.take(opening):
                return look(self.disjunction(), behind, negated)
        if match := self.take_match(_NAME):
            if not match[1].replace("$", "_").isidentifier():
                raise PatternError(f"{match[1]!r} is not a name for a group", start)
            if match[1] in self.names:
                raise UnsupportedPattern(f"two groups are named {match[1]!r}", start)
            self.names[match[1]] = self.groups + 1
        elif self.take("?:"):
            return self.disjunction()
        elif self.take_match(_MODIFIERS):
            raise UnsupportedPattern("modifiers are not supported; write both cases, as in [aA]", start)
        elif self.peek() == "?":
            raise PatternError("'(?' does not begin a group of ECMA-262", start)
        self.groups += 1
        number = self.groups
        body = self.disjunction()
        if number in self.numbers.values():
            return Group(body, number)
        return body

    # -- escapes

    def escape(self) -> Node:
        if chars := self.class_escape():
            return chars
        start = self.at
        self.at += 1
        if self.take("b"):
            return Anchor("b")
        if self.take("B"):
            return Anchor("B")
        if match := self.take_match(_BACKREFERENCE):
            return self.backreference(match, start)
        return Chars(single(self.character_escape(start)))

    def backreference(self, match: re.Match[str], start: int) -> Node:
        if match[1] is None:
            group = match[2]
        else:
            group = _bound(match[1])
        if group is None:
            raise PatternError("\\k takes a group name in angle brackets", start)
        self.references.setdefault(group, start)
        if self.numbers:
            return Backreference(self.numbers[group])
        return EMPTY

    def class_escape(self) -> Chars | None:
        r"""Parse one of `\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\p{...}` and `\P{...}`; return None if none
        comes next.
        """
        start = self.at
        if self.peek() == "\\":
            letter = self.text[start + 1 : start + 2]
        else:
            letter = ""
        if letter in CLASS_ESCAPES:
            self.at += 2
            return Chars(CLASS_ESCAPES[letter])
        if letter not in ("p", "P"):
            return None
        self.at += 2
        if not self.take("{"):
            raise PatternError(f"\\{letter} takes a property in braces", start)
        name, closing, _ = self.text[self.at :].partition("}")
        if not closing:
            raise PatternError(f"\\{letter}{{ is not closed by '}}'", self.at)
        self.at += len(name) + 1
        named = _property(name)
        if named is None:
            raise PatternError(
                f"ECMA-262 has no Unicode property {name!r} (scripts are \\p{{Script=...}})", start
            )
        if isinstance(named, Property):
            return Chars((), (Property(named.kind, named.value, negated=letter == "P"),))
        return Chars(complement(named) if letter == "P" else named)

    def character_escape(self, start: int) -> int:
        """Parse a CharacterEscape (22.2.1) and return its code point. Its backslash, at `start`, has been
        read.
        """
        if match := ESCAPE.match(self.text, start):
            self.at = match.end()
            return code_point(match[0])
        char = self.peek()
        self.at += 1
        if not char:
            raise PatternError("the pattern ends in a backslash", start)
        if char.isascii() and char.isalnum():
            raise PatternError(_INCOMPLETE.get(char, f"\\{char} is not an escape of ECMA-262"), start)
        return ord(char)

    # -- classes

    def character_class(self) -> Chars:
        start = self.at
        self.at += 1
        negated = self.take("^")
        parts: list[Chars] = []
        while not self.take("]"):
            if not self.peek():
                raise PatternError("the class is not closed by ']'", start)
            parts.extend(self.range())
        ranges = union(*(part.ranges for part in parts))
        properties = tuple(dict.fromkeys(p for part in parts for p in part.properties))
        if properties:
            return Chars(ranges, properties, negated)
        return Chars(complement(ranges) if negated else ranges)

    def range(self) -> tuple[Chars, ...]:
        """Parse one character or escape, or a range of two."""
        start = self.at
        low = self.class_atom()
        if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return (low,)
        self.at += 1
        high = self.class_atom()
        first, last = only_code(low.ranges), only_code(high.ranges)
        if first is None or last is None:
            return (low, _HYPHEN, high)  # annex B: `[\w-.]` has a literal hyphen
        if first > last:
            raise PatternError("the range is out of order", start)
        return (Chars(((first, last),)),)

    def class_atom(self) -> Chars:
        if chars := self.class_escape():
            return chars
        start = self.at
        self.at += 1
        char = self.text[start]
        return Chars(single(self.character_escape(start) if char == "\\" else ord(char)))


def _bound(digits: str) -> int:
    """Return the number, or 10**18 if it is longer. No text has so many characters, and `int` rejects long numbers."""
    significant = digits.lstrip("0") or "0"
    if len(significant) <= 18:
        return int(significant)
    return 10**18


def _property(text: str) -> Ranges | Property | None:
    """Return the property named in the braces of a `\\p{...}`; None if ECMA-262 has no such property.

    For a script, only the form of the name is checked: the engine decides whether the script exists.
    """
    named = property_of(text)
    return FIXED.get(text) or (None if named is None else Property(*named))
