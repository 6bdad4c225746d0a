"""Read JSON that is written in the syntax of another language or with typical mistakes of models.

The result is the value and the slips. Each token is rewritten: other quotes and constants, keys without quotes, extra
or missing commas, comments. The strict parser then decides whether the result is JSON, so words, expressions and
truncated text have no value. Every pattern is possessive, which keeps the time linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.json_scan import find_fault
from toolgen_runtime.validation.json_text import read

_SPACE = r"[ \t\r\n\u00a0\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]"
_token_at = re.compile(
    rf"""
    (?P<space>{_SPACE}++ | \\[nrt])
    | (?P<comment>//[^\n]*+ | \#[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/)
    | (?P<double>"(?:[^"\\\x00-\x08\x0b\x0c\x0e-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{{4}})*+")
    | (?P<single>'(?:[^'\\\x00-\x1f]++|\\['"\\bfnrt]|\\u[0-9A-Fa-f]{{4}}|\\x[0-9A-Fa-f]{{2}})*+')
    | (?P<other>[\u201c-\u201e][^"\\\u201c-\u201f\x00-\x1f]*+[\u201c\u201d]
        | [\u2018\u201a][^"\\\u2018-\u201f\x00-\x1f]*+\u2019 | `[^`\\$\x00-\x08\x0b\x0c\x0e-\x1f]*+`)
    | (?P<bare>(?!(?:[Tt]rue|[Ff]alse|None|null)(?![\w$-]))(?:(?:[^\W\d]|\$)[\w$-]*+|[0-9]++)(?={_SPACE}*+:))
    | (?P<number>[+-]?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*+)
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<open>[\[{{])
    | (?P<close>[\]}}])
    """,
    re.VERBOSE,
).match
"""`double` may have raw line breaks and tabs, `other` has other quotes, `bare` is a key without quotes."""
_STRINGS = frozenset(("double", "single", "other", "bare"))
_colon_at = re.compile(rf"{_SPACE}*+:").match
_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}
_CONSTANTS = frozenset(("True", "False", "None"))
_ESCAPE = re.compile(r'\\.|"')
_REWRITTEN = {"\\x": "\\u00", "\\'": "'", '"': '\\"'}
"""Escapes and quotes in a string in other quotes, as they are in double quotes."""


class TextReading(NamedTuple):
    """The value that a malformed text means, and the mistakes (slips) in the text, from the outside in."""

    value: Any = MISSING
    slips: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    """Keys that must be fields of the tool."""
    calls: frozenset[str] = frozenset()
    """Names of the called tool in the text; each must be the name of the tool."""
    label: str = ""
    """The word before the object, which must not be a field of the tool."""
    parts: tuple[dict[str, Any], ...] = ()
    """The objects that the value is joined from, none of which may be a call."""


def read_loosely(text: str) -> tuple[TextReading, int]:
    """Read the first object or list in a malformed text, and return where it ends.

    If the text cannot be read, the result has the slips before the place where reading fails.

    >>> read_loosely("{'a': [True, 'x',], b: 1}")[0].value
    {'a': [True, 'x'], 'b': 1}
    """
    writer = _Writer(text)
    while writer.take() and (writer.open or not writer.strict):
        pass
    value, issues = read(" ".join(writer.strict))
    if not issues and isinstance(value, dict | list):
        return TextReading(value, (*writer.slips,), frozenset(writer.names)), writer.at
    fault = find_fault(text)
    before = (slip for slip, at in writer.slips.items() if fault is None or at <= fault.at)
    return TextReading(slips=(*before,)), writer.at


class _Writer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.end = 0
        """The end of the last token that is neither space nor comment."""
        self.strict: list[str] = []
        """The tokens as they are in strict JSON."""
        self.open: list[str] = []
        """The opening brackets of the open containers, the innermost last."""
        self.names: set[str] = set()
        """Keys found only by their context; if one is not a field of the tool, another reading is possible."""
        self.slips: dict[str, int] = {}
        """The position of the first slip of each kind."""

    def note(self, slip: str) -> None:
        """Record a slip at this position, but only the first of each kind."""
        self.slips.setdefault(slip, self.at)

    def take(self) -> bool:
        """Write the next token as strict JSON. Return False if this is not possible."""
        token = _token_at(self.text, self.at)
        if token is None:
            return False
        kind, piece, end = str(token.lastgroup), token[0], token.end()
        if kind in ("space", "comment"):
            if piece.strip(" \t\r\n"):
                self.note(kind)
            self.at = end
            return True
        last = "".join(self.strict[-1:])
        in_object = self.open[-1:] == ["{"]
        if kind not in ("comma", "colon", "close"):
            is_key = in_object and last != ":"
            if is_key != (kind in _STRINGS and _colon_at(self.text, end) is not None):
                return False
            piece = self._value(kind, piece, last, is_key)
        elif kind == "comma" and last in ("[", "{"):
            return False
        elif last == "," and (kind == "close" or in_object):  # in a list, an item may be missing
            self.note("comma")
            self.strict.pop()
        if kind == "open":
            self.open.append(piece)
        elif kind == "close":
            del self.open[-1:]
        self.strict.append(piece)
        self.at = self.end = end
        return bool(piece)

    def _value(self, kind: str, piece: str, last: str, is_key: bool) -> str:
        """Return a key, a scalar or an opening bracket as strict JSON, and write a comma that is missing before it."""
        if kind in _STRINGS:
            piece = self._string(kind, piece)
        elif kind != "open":
            piece = self._scalar(kind, piece)
        if (is_key and last not in ("{", ",")) or (piece == "{" and last == "}"):
            self.note("no comma")
            self.strict.append(",")
            if kind == "bare" or last.endswith('"'):  # only the context shows that it is a key
                self.names.add(json.loads(piece))
                if self.end == self.at:  # it may also be a part of the text before it
                    self.note("two at a key")
        if kind == "bare":
            self.note("key")
        return piece

    def _scalar(self, kind: str, piece: str) -> str:
        """Return a number or word as strict JSON; an empty string if the word means nothing in JSON."""
        if kind == "number":
            if piece[0] == "+":
                self.note("plus")
            return piece.removeprefix("+")
        strict = _WORDS.get(piece.lower(), "")
        if strict not in ("", piece):
            self.note("constant" if piece in _CONSTANTS else "word")
        return strict

    def _string(self, kind: str, piece: str) -> str:
        """Return a string, or a key without quotes, in double quotes."""
        if kind == "bare":
            return f'"{piece}"'
        if kind == "double":
            if "\n" in piece or "\r" in piece:
                self.note("line break")
            elif "\t" in piece:
                self.note("tab")
            else:
                return piece
        else:
            self.note("quotes")
            if "\\" in piece:
                self.note("backslash")
            piece = f'"{_ESCAPE.sub(lambda found: _REWRITTEN.get(found[0], found[0]), piece[1:-1])}"'
        return json.dumps(json.loads(piece, strict=False))
