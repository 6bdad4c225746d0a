"""JSON as other languages write it, and with the slips of models: the same in strict JSON, and its slips.

One pass over the tokens, with the open containers on a stack: other quotes and constants, keys without quotes,
commas too many or missing, comments, numbers in other notations. What has no reading
(words, expressions, what ends too early) gives no JSON. Linear in the text.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from toolgen_runtime.hints.malformed import tokens
from toolgen_runtime.hints.malformed.slips import Slip
from toolgen_runtime.hints.malformed.tokens import NUMBERS, STRINGS
from toolgen_runtime.validation.json_scan import MAX_DEPTH

_CLOSING = {"{": "}", "[": "]"}
_COMMENTS = frozenset("/#")
_ESCAPING = frozenset(("plain", "bare"))
"""Strings in which a backslash is JSON's."""
_KEYWORDS = frozenset(("True", "False", "None", "true", "false", "null"))
_JSON_SPACE = " \t\r\n"


class Loose(NamedTuple):
    """What a text holds first, in strict JSON."""

    json: str | None
    """None if it has no reading; the slips are those before that place then."""
    end: int
    """Where it ends in the text."""
    slips: tuple[Slip, ...]
    """In the order of the text, the first of each kind."""
    names: frozenset[str]
    """Keys that were found by what is around them: fields of the tool, or there is another reading."""


def read_loosely(text: str, start: int = 0) -> Loose:
    """Return what a text holds first, whatever follows it.

    >>> read_loosely("{'a': [True, 'x',], b: 1}").json
    '{"a":[true,"x"],"b":1}'
    """
    reader = _Reader(text, start)
    is_read = reader.value()
    while is_read and reader.open:
        is_read = reader.step()
    found = "".join(reader.pieces) if is_read else None
    slips = tuple(Slip(kind, at) for kind, at in reader.slips.items())
    return Loose(found, reader.at, slips, frozenset(reader.names))


class _Container:
    __slots__ = ("closing", "commas", "count", "member", "start")

    def __init__(self, closing: str, start: int) -> None:
        self.closing = closing
        self.start = start  # Of its bracket among the pieces.
        self.count = 0
        self.member = start  # Where its last member starts among the pieces.
        self.commas = 0  # After its last member.


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.open: list[_Container] = []
        self.pieces: list[str] = []
        self.names: set[str] = set()
        self.slips: dict[str, int] = {}
        self.last = ""  # The kind of the value before; "" where a container is opened, or a comma was.

    def note(self, kind: str, at: int | None = None) -> None:
        """Keep the first slip of a kind."""
        self.slips.setdefault(kind, self.at if at is None else at)

    def step(self) -> bool:
        """Read on: a separator, a bracket or a value; return whether there is a reading."""
        gap, token = self._next()
        if token is None:
            kind, piece = "", ""
        else:
            kind, piece = str(token.lastgroup), token[0]
        inner = self.open[-1]
        if kind == "close":
            return self._close(piece, self.at + len(piece))
        if kind == "comma":
            return self._comma(self.at + len(piece))
        if inner.closing != "}":
            return not self.last and self._member(inner) and self.value()
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
            if kind == "signed":
                self.note("plus")
            strict = piece.removeprefix("+")
        elif kind == "word":
            strict = tokens.word_of(piece)
            if strict is not None and strict != piece:
                self.note("constant" if piece in _KEYWORDS else "word")
        elif kind == "open" and len(self.open) < MAX_DEPTH:
            self.open.append(_Container(_CLOSING[piece], len(self.pieces)))
            strict, kind = piece, ""
        else:
            return False
        if strict is None:
            return False
        self.at, self.last = self.at + len(piece), kind
        self.pieces.append(strict)
        return True

    def _string(self, kind: str, piece: str) -> str:
        """Return a string in strict JSON, and note its slips."""
        if kind not in _ESCAPING:
            self.note("quotes")
            if "\\" in piece[2:-2]:
                self.note("backslash")
        elif kind == "bare":
            self.note("tab" if "\n" not in piece and "\r" not in piece else "line break")
        return tokens.string_of(kind, piece)

    # -- members ------------------------------------------------------------------------------------------

    def _member(self, inner: _Container) -> bool:
        inner.member = len(self.pieces)
        if inner.count:
            self.pieces.append(",")
        inner.count += 1
        inner.commas = 0
        return True

    def _key(self, gap: str, kind: str, token: re.Match[str] | None) -> bool:
        """Read a key and its colon."""
        is_told, is_bare = self.last in STRINGS, False
        if token is not None and kind in STRINGS and (colon := tokens.colon_at(self.text, token.end())):
            name = self._string(kind, token[0])
        elif (found := tokens.name_at(self.text, self.at)) and found[0] not in _KEYWORDS:
            name, is_told, is_bare = f'"{found[0]}"', bool(self.last), True
            colon = tokens.colon_at(self.text, found.end())
        else:
            return False
        if colon is None:
            return False
        if self.last:
            self.note("no comma")
        if is_bare:
            self.note("key")
        if is_told:
            self._tell(name, gap)
        self._member(self.open[-1])
        self.pieces += (name, ":")
        self.at, self.last = colon.end(), ""
        return self.value()

    def _tell(self, name: str, gap: str) -> None:
        """Note a key that is told from its surroundings; with a second slip at it, it is a guess."""
        self.names.add(json.loads(name))
        if self.last and (not gap or set(gap) & _COMMENTS):
            self.note("two at a key")

    # -- commas and brackets ------------------------------------------------------------------------------

    def _comma(self, end: int) -> bool:
        inner = self.open[-1]
        is_object = inner.closing == "}"
        if inner.commas > is_object or not (inner.count or is_object):
            return False
        if inner.commas or not inner.count:
            self.note("comma")
        inner.commas += 1
        self.at, self.last = end, ""
        return True

    def _close(self, bracket: str, end: int) -> bool:
        inner = self.open.pop()
        if bracket != inner.closing or (inner.commas and not inner.count):
            return False
        if inner.commas:
            self.note("comma")
        self.pieces.append(bracket)
        self.at, self.last = end, "container"
        return True

    # -- tokens -------------------------------------------------------------------------------------------

    def _next(self) -> tuple[str, re.Match[str] | None]:
        """Skip space and comments; return them, and the token after them, which is not taken yet."""
        gap, token = self._next_from(self.at)
        if gap.strip(_JSON_SPACE):
            self.note("comment" if set(gap) & _COMMENTS else "space")
        self.at += len(gap)
        return gap, token

    def _next_from(self, at: int) -> tuple[str, re.Match[str] | None]:
        start = at
        while (token := tokens.token_at(self.text, at)) and token.lastgroup in ("space", "comment"):
            at = token.end()
        return self.text[start:at], token
