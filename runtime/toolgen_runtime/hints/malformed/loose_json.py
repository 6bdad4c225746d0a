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
    | (?P<open>[\[{{])
    | (?P<close>[\]}}])
    """,
    re.VERBOSE,
).match
"""`double` may have raw line breaks and tabs, `other` has other quotes, `bare` is a key without quotes."""
_STRINGS = frozenset(("double", "single", "other"))
_colon_at = re.compile(rf"{_SPACE}*+:").match
_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}
_CONSTANTS = frozenset(("True", "False", "None"))
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))|(\")", re.DOTALL)
_COMMENTS = frozenset("/#")


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
    while writer.take(writer.next()) and writer.open:
        pass
    strict = " ".join(writer.strict)
    value, issues = read(strict)
    if not issues and isinstance(value, dict | list):
        return TextReading(value, (*writer.slips,), frozenset(writer.names)), writer.at
    fault = find_fault(strict)
    before = (slip for slip, at in writer.slips.items() if fault is None or at <= fault.at)
    return TextReading(slips=(*before,)), writer.at


class _Writer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.gap = ""
        """The space and comments before the token."""
        self.strict: list[str] = []
        """The tokens as they are in strict JSON."""
        self.open: list[str] = []
        """The opening brackets of the open containers, the innermost last."""
        self.commas = 0
        """The commas since the last member."""
        self.last = ""
        """The kind of the previous value; empty after a comma, a colon or an opening bracket."""
        self.names: set[str] = set()
        """Keys found only by their context; if one is not a field of the tool, another reading is possible."""
        self.slips: dict[str, int] = {}
        """The position in the strict text of the first slip of each kind."""

    def note(self, slip: str, *, is_before: bool = False) -> None:
        """Record a slip and its position, but only the first of each kind."""
        if slip not in self.slips:
            self.slips[slip] = len(" ".join(self.strict)) + (0 if is_before else 2)

    def next(self) -> re.Match[str] | None:
        """Skip whitespace and comments, and return the token after them without consuming it."""
        start = self.at
        while (token := _token_at(self.text, self.at)) and token.lastgroup in ("space", "comment"):
            self.at = token.end()
        self.gap = self.text[start : self.at]
        if self.gap.strip(" \t\r\n"):
            self.note("comment" if set(self.gap) & _COMMENTS else "space", is_before=True)
        return token

    def take(self, token: re.Match[str] | None) -> bool:
        """Write a token as strict JSON. Return False if this is not possible."""
        if token is None:
            return False
        kind, piece, self.at = str(token.lastgroup), token[0], token.end()
        is_first = self.strict[-1:] in (["{"], ["["])
        if kind == "comma":
            if self.commas or is_first:
                if self.open[-1:] != ["{"]:  # in a list, an item may be missing
                    return False
                self.note("comma", is_before=True)
            self.commas, self.last = self.commas + 1, ""
            return True
        if kind == "close":
            if self.commas:
                self.note("comma", is_before=True)
            is_taken = bool(self.open and self.open.pop()) and not (self.commas and is_first)
            self._write(piece, "container")
            return is_taken
        if kind in _STRINGS or kind == "bare":
            colon = _colon_at(self.text, self.at)
        else:
            colon = None
        is_key_due = self.open[-1:] == ["{"] and self.strict[-1] != ":"
        if is_key_due == (colon is not None):
            strict = self._scalar(kind, piece)
        else:
            strict = None
        if strict is None:
            return False
        if colon is not None:
            self._note_key(kind, strict)
            self.at = colon.end()
        is_item = kind == "open" and piece == "{" and self.strict[-1:] == ["}"] and self.open[-1:] == ["["]
        if is_item and not self.commas:
            self.note("no comma")
        if (self.commas or is_item or (colon and self.last)) and not is_first:
            self.strict.append(",")
        self._write(strict, "" if colon or kind == "open" else kind)
        if colon is not None:
            self.strict.append(":")
        elif kind == "open":
            self.open.append(piece)
        return True

    def _write(self, strict: str, kind: str) -> None:
        self.strict.append(strict)
        self.last, self.commas = kind, 0

    def _note_key(self, kind: str, name: str) -> None:
        is_bare = kind == "bare"
        if self.last:
            self.note("no comma")
        if is_bare:
            self.note("key")
        if self.last if is_bare else self.last in _STRINGS:  # only the context shows that it is a key
            self.names.add(json.loads(name))
            if not self.gap or set(self.gap) & _COMMENTS:  # with a second slip, the key is a guess
                self.note("two at a key")

    def _scalar(self, kind: str, piece: str) -> str | None:
        """Return a key, a scalar or an opening bracket as strict JSON, and record its slips.

        Return None for any other word.
        """
        if kind == "word":
            strict = _WORDS.get(piece.lower())
            if strict not in (None, piece):
                self.note("constant" if piece in _CONSTANTS else "word")
            return strict
        if kind == "number" and piece[0] == "+":
            self.note("plus")
            return piece[1:]
        if kind in ("number", "open"):
            return piece
        if kind == "bare":
            return f'"{piece}"'
        return self._string(kind, piece)

    def _string(self, kind: str, piece: str) -> str:
        inner = piece[1:-1]
        if kind != "double":
            self.note("quotes")
            if "\\" in inner[1:-1]:
                self.note("backslash")
            inner = _ESCAPE.sub(_escaped, inner)
        elif _CONTROL.search(inner):
            self.note("line break" if "\n" in inner or "\r" in inner else "tab")
        inner = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", inner)
        return f'"{inner}"'


def _escaped(found: re.Match[str]) -> str:
    """Return an escape or quote from a string in other quotes, rewritten for double quotes."""
    if found[1] is not None:
        return f"\\u00{found[1]}"
    if found[3] is not None:
        return '\\"'
    if found[2] == "'":
        return "'"
    return found[0]
