"""JSON as other languages write it, and with the slips of models: the same in strict JSON, and its slips.

One pass over the tokens, with the open containers on a stack: other quotes and constants, keys without quotes,
commas too many or missing, comments, numbers in other notations. What has no reading
(words, expressions, what ends too early) gives no JSON. Every pattern is possessive, so that the time is linear in the
text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.json_scan import MAX_DEPTH
from toolgen_runtime.validation.json_text import read

_SPACE = r"[ \t\r\n\u00a0\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]"
_NAME = r"(?:[^\W\d]|\$)[\w$-]*+"

_token_at = re.compile(
    rf"""
    (?P<space>{_SPACE}++ | \\[nrt])
    | (?P<comment>//[^\n]*+ | \#[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/)
    | (?P<plain>"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{{4}})*+")
    | (?P<bare>"(?:[^"\\\x00-\x08\x0b\x0c\x0e-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{{4}})*+")
    | (?P<single>'(?:[^'\\\x00-\x1f]++|\\['"\\bfnrt]|\\u[0-9A-Fa-f]{{4}}|\\x[0-9A-Fa-f]{{2}})*+')
    | (?P<curly>[\u201c\u201d\u201e][^"\\\u201c-\u201f\x00-\x1f]*+[\u201c\u201d])
    | (?P<curved>[\u2018\u201a][^"\\\u2018-\u201f\x00-\x1f]*+\u2019)
    | (?P<template>`[^`\\$\x00-\x08\x0b\x0c\x0e-\x1f]*+`)
    | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<signed>\+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*+)
    | (?P<comma>,)
    | (?P<open>[\[{{])
    | (?P<close>[\]}}])
    """,
    re.VERBOSE,
).match
"""`signed` is a number with a plus before it, `bare` a string with bare line breaks or tabs."""

_STRINGS = frozenset(("plain", "bare", "single", "curly", "curved", "template"))

_colon_at = re.compile(rf"{_SPACE}*+:").match
_name_at = re.compile(rf"(?:{_NAME}|[0-9]++)(?={_SPACE}*+:)").match
"""A key without quotes."""

_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))|(\")", re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_COMMENTS = frozenset("/#")
_KEYWORDS = frozenset(("True", "False", "None", "true", "false", "null"))
_JSON_SPACE = " \t\r\n"


class TextReading(NamedTuple):
    """The value that a text was meant to hold, and its slips, outermost first."""

    value: Any = MISSING
    slips: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    """Keys that must be fields of the tool."""
    calls: frozenset[str] = frozenset()
    """Names in the text of the tool that is called: all must be the tool's."""
    label: str = ""
    """The word before the object, which must be no field of the tool."""


def read_loosely(text: str) -> tuple[TextReading, int]:
    """Return the object or list that a text holds first, and where it ends; without a value if it names a key twice.

    A text without a reading has the slips before that place.

    >>> read_loosely("{'a': [True, 'x',], b: 1}")[0].value
    {'a': [True, 'x'], 'b': 1}
    """
    reader = _Reader(text)
    is_read = reader.value(reader.next())
    while is_read and reader.open:
        is_read = reader.step(reader.next())
    value, issues = read("".join(reader.pieces))
    if not is_read or issues or not isinstance(value, dict | list):
        return TextReading(slips=(*reader.slips,)), reader.at
    return TextReading(value, (*reader.slips,), frozenset(reader.names)), reader.at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.gap = ""
        """The space and comments before the token."""
        self.open: list[str] = []
        """The brackets that close the open containers, the innermost last."""
        self.commas = 0
        """After the last member of the innermost."""
        self.pieces: list[str] = []
        self.names: set[str] = set()
        """Keys that were found by what is around them: fields of the tool, or there is another reading."""
        self.slips: dict[str, None] = {}
        self.last = ""
        """The kind of the value before; empty where a container is opened, or a comma was."""

    def note(self, kind: str) -> None:
        """Keep the first slip of a kind."""
        self.slips.setdefault(kind)

    def next(self) -> re.Match[str] | None:
        """Skip space and comments; return the token after them, which is not taken yet."""
        start = self.at
        while (token := _token_at(self.text, self.at)) and token.lastgroup in ("space", "comment"):
            self.at = token.end()
        self.gap = self.text[start : self.at]
        if self.gap.strip(_JSON_SPACE):
            self.note("comment" if set(self.gap) & _COMMENTS else "space")
        return token

    def step(self, token: re.Match[str] | None) -> bool:
        """Read on: a separator, a bracket or a value; return whether there is a reading."""
        if token is not None and token.lastgroup == "close":
            return self._close(token)
        if token is not None and token.lastgroup == "comma":
            return self._comma(token)
        if self.open[-1] == "}":
            return self._key(token)
        if self.last:
            return False
        self._begin_member()
        return self.value(token)

    # -- values -------------------------------------------------------------------------------------------

    def value(self, token: re.Match[str] | None) -> bool:
        """Read a scalar, or the opening bracket of a container."""
        if token is None:
            return False
        kind, piece = str(token.lastgroup), token[0]
        strict: str | None = None
        if kind in _STRINGS:
            strict = self._string(kind, piece)
        elif kind in ("number", "signed"):
            if kind == "signed":
                self.note("plus")
            strict = piece.removeprefix("+")
        elif kind == "word":
            strict = _WORDS.get(piece.lower())
            if strict is not None and strict != piece:
                self.note("constant" if piece in _KEYWORDS else "word")
        elif kind == "open" and len(self.open) < MAX_DEPTH:
            self.open.append(_CLOSING[piece])
            strict, kind = piece, ""
        if strict is None:
            return False
        self.at, self.last = token.end(), kind
        self.pieces.append(strict)
        return True

    def _string(self, kind: str, piece: str) -> str:
        """Return a string in strict JSON, and note its slips."""
        if kind == "plain":
            return piece
        if kind == "bare":
            self.note("line break" if "\n" in piece or "\r" in piece else "tab")
        else:
            self.note("quotes")
            if "\\" in piece[2:-2]:
                self.note("backslash")
        inner = piece[1:-1]
        if kind == "single":
            return f'"{_ESCAPE.sub(_escaped, inner)}"'
        if kind == "template":
            inner = inner.replace('"', '\\"')
        inner = _CONTROL.sub(lambda found: rf"\u{ord(found[0]):04x}", inner)
        return f'"{inner}"'

    # -- members ------------------------------------------------------------------------------------------

    @property
    def _is_empty(self) -> bool:
        """Whether the innermost container has no member yet."""
        return self.pieces[-1] in _CLOSING

    def _begin_member(self) -> None:
        if not self._is_empty:
            self.pieces.append(",")
        self.commas = 0

    def _key(self, token: re.Match[str] | None) -> bool:
        """Read a key, its colon and its value."""
        if token is not None and token.lastgroup in _STRINGS and _colon_at(self.text, token.end()):
            name, end, is_bare = self._string(str(token.lastgroup), token[0]), token.end(), False
        elif (found := _name_at(self.text, self.at)) and found[0] not in _KEYWORDS:
            name, end, is_bare = f'"{found[0]}"', found.end(), True
        else:
            return False
        colon = _colon_at(self.text, end)
        if colon is None:
            return False
        if self.last:
            self.note("no comma")
        if is_bare:
            self.note("key")
        if self.last if is_bare else self.last in _STRINGS:  # it is told from its surroundings
            self.names.add(json.loads(name))
            if not self.gap or set(self.gap) & _COMMENTS:  # a second slip makes it a guess
                self.note("two at a key")
        self._begin_member()
        self.pieces += (name, ":")
        self.at, self.last = colon.end(), ""
        return self.value(self.next())

    # -- commas and brackets ------------------------------------------------------------------------------

    def _comma(self, token: re.Match[str]) -> bool:
        is_object = self.open[-1] == "}"
        if self.commas > is_object or (self._is_empty and not is_object):
            return False
        if self.commas or self._is_empty:
            self.note("comma")
        self.commas += 1
        self.at, self.last = token.end(), ""
        return True

    def _close(self, token: re.Match[str]) -> bool:
        if token[0] != self.open.pop() or (self.commas and self._is_empty):
            return False
        if self.commas:
            self.note("comma")
        self.pieces.append(token[0])
        self.at, self.last, self.commas = token.end(), "container", 0
        return True


# -- tokens -----------------------------------------------------------------------------------------------


def starts_with_key(text: str) -> bool:
    """Return whether a text begins with a key and its colon."""
    token = _token_at(text)
    if token is not None and token.lastgroup in _STRINGS and _colon_at(text, token.end()):
        return True
    return _name_at(text) is not None


def _escaped(found: re.Match[str]) -> str:
    """Return an escape, or a quote, of a string in single quotes as it stands in double ones."""
    if found[1] is not None:
        return f"\\u00{found[1]}"
    if found[3] is not None:
        return '\\"'
    return "'" if found[2] == "'" else found[0]
