"""JSON as other languages write it, and with the slips of models: the same in strict JSON.

One pass over the tokens, with the open containers on a stack: other quotes and constants, keys without quotes or with
one of them, other separators or none, commas too many, comments, tuples, numbers in other notations, doubled braces.
What has no reading (words, expressions, what ends too early) gives None. Linear in the text.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from toolgen_runtime.hints.malformed import tokens
from toolgen_runtime.hints.malformed.tokens import NO_VALUES, NUMBERS, STRINGS
from toolgen_runtime.validation.json_scan import MAX_DEPTH

MAX_OPEN = 2 * MAX_DEPTH
"""Brackets that are open at a place: as deep as JSON is read, each brace doubled."""
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_HALVES = frozenset(("no_opening", "no_closing"))
_COMMENTS = frozenset("/#")
_ESCAPING = frozenset(("plain", "bare"))
"""Strings in which a backslash is JSON's."""
_KEYWORDS = frozenset(("True", "False", "None", "true", "false", "null"))


class Relaxed(NamedTuple):
    """What a text holds, in strict JSON."""

    json: str
    end: int
    """Where it ends in the text."""
    certain: bool
    """Whether it is the only reading, if what follows holds."""
    names: frozenset[str]
    """Keys that were told from their surroundings: fields of the tool, or there is another reading."""
    has_odd_numbers: bool
    """Whether it has a number that JSON writes otherwise: for another type than a number, it may be a text."""

    @property
    def is_only_reading(self) -> bool:
        """Whether it is the only reading, whatever the tool."""
        return self.certain and not self.names and not self.has_odd_numbers


def to_json(text: str) -> str | None:
    """Return a text as strict JSON; None where it has no reading, or one for some tools only.

    >>> print(to_json("{'a': [True, 'it\\\\'s',], b: .5}"))
    None
    >>> print(to_json("{'a': [True, 'x',], b: (1, 2)}"))
    {"a":[true,"x"],"b":[1,2]}
    """
    found = relaxed(text)
    return found.json if found is not None and found.is_only_reading else None


def relaxed(text: str, start: int = 0) -> Relaxed | None:
    """Return what a whole text holds; None where a part of it has no reading."""
    found = first_value(text, start)
    return found if found is not None and not text[found.end :].strip("; \t\r\n\u200b\ufeff") else None


def first_value(text: str, start: int = 0) -> Relaxed | None:
    """Return what a text holds first, whatever follows it."""
    reader = _Reader(text, start)
    if not reader.value():
        return None
    while reader.open:
        if not reader.step():
            return None
    return Relaxed(
        "".join(reader.pieces), reader.at, reader.certain, frozenset(reader.names), reader.has_odd_numbers
    )


class _Container:
    __slots__ = ("closing", "commas", "count", "is_doubled", "member", "start")

    def __init__(self, closing: str, start: int) -> None:
        self.closing = closing
        self.start = start  # Of its bracket among the pieces.
        self.count = 0
        self.member = start  # Where its last member starts among the pieces.
        self.commas = 0  # After its last member.
        self.is_doubled = False  # One brace around another.


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.open: list[_Container] = []
        self.pieces: list[str] = []
        self.names: set[str] = set()
        self.certain = True
        self.has_odd_numbers = False
        self.last = ""  # The kind of the value before; "" where a container is opened, or a comma was.
        self.is_loose = False  # Whether the comma before may be part of a text.

    def step(self) -> bool:
        """Read on: a separator, a bracket or a value; return whether there is a reading."""
        gap, token = self._next()
        if token is None:
            kind, piece = "", ""
        else:
            kind, piece = str(token.lastgroup), token[0]
        inner = self.open[-1]
        if kind == "close":
            return self._close(tokens.bracket_of(piece), self.at + len(piece))
        if kind == "comma":
            return self._comma(piece, self.at + len(piece))
        if inner.is_doubled:
            return False
        if self.last and not self._is_without_comma(gap, kind, piece):
            return False
        if inner.closing != "}":
            return self._member(inner) and self.value()
        if kind == "open" and piece in ("{", "\uff5b") and not inner.count and not inner.commas:
            inner.is_doubled, self.pieces[inner.start] = True, ""
            return self.value()
        return self._key(gap, kind, token)

    # -- values -------------------------------------------------------------------------------------------

    def value(self) -> bool:
        """Read a scalar, or the opening bracket of a container."""
        _, token = self._next()
        kind, piece = ("", "") if token is None else (str(token.lastgroup), token[0])
        strict: str | None = None
        if kind in STRINGS:
            strict = self._string(kind, piece)
        elif kind in NUMBERS:
            self.has_odd_numbers |= kind == "odd"
            self.certain &= kind != "odd" or tokens.is_signed(piece)
            strict = tokens.number_of(piece) if kind == "odd" else piece
        elif kind == "word" and piece.lower() in NO_VALUES:
            return self._left_out(self.at + len(piece))
        elif kind == "word":
            self.certain &= piece in _KEYWORDS
            strict = tokens.word_of(piece)
        elif kind == "open" and len(self.open) < MAX_OPEN:
            bracket = tokens.bracket_of(piece)
            self.open.append(_Container(_CLOSING[bracket], len(self.pieces)))
            strict, kind = "{" if bracket == "{" else "[", ""
        else:
            return False
        if strict is None:
            return False
        self.at, self.last = self.at + len(piece), kind
        self.pieces.append(strict)
        return True

    def _string(self, kind: str, piece: str) -> str:
        """Return a string in strict JSON; with a backslash between quotes of another kind it is a guess."""
        self.certain &= kind in _ESCAPING or "\\" not in piece[2:-2]
        return tokens.string_of(kind, piece)

    def _left_out(self, end: int) -> bool:
        """Leave out a member without a value; what was meant is a guess."""
        if not self.open or self.open[-1].closing != "}":
            return False
        inner = self.open[-1]
        del self.pieces[inner.member :]
        inner.count -= 1
        self.certain, self.at, self.last = False, end, "word"
        return True

    # -- members ------------------------------------------------------------------------------------------

    def _member(self, inner: _Container) -> bool:
        inner.member = len(self.pieces)
        if inner.count:
            self.pieces.append(",")
        inner.count += 1
        inner.commas = 0
        return True

    def _key(self, gap: str, kind: str, token: re.Match[str] | None) -> bool:
        """Read a key and what stands for its colon."""
        inner, end = self.open[-1], self.at
        is_told = self.last in STRINGS or self.is_loose
        name: str | None
        colon = None
        if token is not None and kind in STRINGS and (colon := tokens.colon_at(self.text, token.end())):
            name, end = self._string(kind, token[0]), colon.end()
        elif (found := tokens.name_at(self.text, self.at)) is not None:
            name = f'"{found[str(found.lastgroup)]}"'
            is_told = is_told or bool(self.last) or found.lastgroup in _HALVES
            colon = tokens.colon_at(self.text, found.end())
            end = found.end() if colon is None else colon.end()
            if name[1:-1] in _KEYWORDS or (self.last and found.lastgroup in _HALVES):
                return False
        elif token is not None and kind in STRINGS and not self.last and self._is_value_at(token.end()):
            name, end, is_told = self._string(kind, token[0]), token.end(), True
        else:
            return False
        if is_told:
            self._tell(name, colon, gap)
        self._member(inner)
        self.pieces += (name, ":")
        self.at, self.last, self.is_loose = end, "", False
        return self.value()

    def _tell(self, name: str, colon: re.Match[str] | None, gap: str) -> None:
        """Note a key that is told from its surroundings; with a second slip at it, it is a guess."""
        self.names.add(json.loads(name))
        if self.last and (colon is None or colon[1] != ":" or not gap or set(gap) & _COMMENTS):
            self.certain = False

    def _is_value_at(self, at: int) -> bool:
        """Return whether a value follows a key, after some space; texts side by side are one text."""
        gap, token = self._next_from(at)
        return bool(gap) and token is not None and token.lastgroup in (*NUMBERS, *STRINGS, "word", "open")

    def _is_without_comma(self, gap: str, kind: str, piece: str) -> bool:
        """Return whether a member can follow another without a comma."""
        inner = self.open[-1]
        if inner.closing == "}":
            return True
        if inner.closing == ")" or self.last in STRINGS or kind in STRINGS:
            return False
        if kind not in NUMBERS or self.last not in NUMBERS:
            return True
        return bool(gap) and piece[0].isdigit() and not (len(piece) == 3 and piece.isdigit())

    # -- commas and brackets ------------------------------------------------------------------------------

    def _comma(self, piece: str, end: int) -> bool:
        inner = self.open[-1]
        is_object = inner.closing == "}"
        if inner.is_doubled or self.is_loose or inner.commas > is_object or not (inner.count or is_object):
            return False
        self.is_loose = piece in (";", "\uff1b") and self.last in STRINGS
        if self.is_loose and not is_object:
            return False
        inner.commas += 1
        self.certain &= piece not in (";", "\uff1b")
        self.at, self.last = end, ""
        return True

    def _close(self, bracket: str, end: int) -> bool:
        inner = self.open.pop()
        if bracket != inner.closing or (inner.commas and not inner.count):
            return False
        if inner.is_doubled:
            closing = ""
        elif bracket == ")" and inner.count == 1 and not inner.commas:
            self.pieces[inner.start] = closing = ""
        else:
            closing = "}" if bracket == "}" else "]"
        self.pieces.append(closing)
        self.at, self.last = end, "container"
        return True

    # -- tokens -------------------------------------------------------------------------------------------

    def _next(self) -> tuple[str, re.Match[str] | None]:
        """Skip space and comments; return them, and the token after them, which is not taken yet."""
        gap, token = self._next_from(self.at)
        self.at += len(gap)
        self.certain &= not set(gap) & _COMMENTS  # A comment may take back what it is about.
        return gap, token

    def _next_from(self, at: int) -> tuple[str, re.Match[str] | None]:
        start = at
        while (token := tokens.token_at(self.text, at)) and token.lastgroup in ("space", "comment"):
            at = token.end()
        return self.text[start:at], token
