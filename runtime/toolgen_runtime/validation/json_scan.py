"""One careful pass over a JSON text: its value, each key that is repeated, or the place where it breaks.

Slower than a parser in C, linear all the same, and without recursion: only texts in which something is odd
come here.
"""

from __future__ import annotations

import json
import re

from toolgen_runtime.validation.issues import ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MAX_DEPTH: Final = 200
"""Containers around a value; the limit of pydantic's parser, so that both readers agree."""
MAX_DIGITS: Final = 4300
"""Digits of an integer; beyond it Python's own conversion refuses, and time is not linear."""
EXCERPT: Final = 60
"""Characters of the text that an issue shows."""

_space = re.compile(r"[ \t\n\r]*+").match
_string = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+').match
_number = re.compile(r"-?+(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?+[0-9]++)?+").match
# What a cut may leave at the end of a text: of an escape, of a number.
_cut_escape = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?").fullmatch
_cut_number = re.compile(r"-|-?(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?)").fullmatch
_LITERALS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def scan(text: str) -> tuple[Any, list[ValidationIssue]]:
    """The value of a text and no issues, or None and the issues (`jsontext.read` says which)."""
    scanner = _Scanner(text)
    try:
        value = scanner.document()
    except _BrokenText as broken:
        return None, [broken.issue]
    return (None, scanner.duplicates) if scanner.duplicates else (value, [])


def scan_bytes(data: bytes) -> tuple[Any, list[ValidationIssue]]:
    """The same of bytes, which must be UTF-8; they may be cut off within a character, too."""
    try:
        return scan(str(data, "utf-8"))
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return scan(str(data[: error.start], "utf-8") + "\ufffd")
        start = max(error.start - EXCERPT // 2, 0)
        got = data[start : error.start + EXCERPT // 2].decode("ascii", "replace")
        expected = f"UTF-8, which byte 0x{data[error.start]:02x} at offset {error.start} is not"
        return None, [ValidationIssue((), "json", expected, got)]


class _BrokenText(Exception):  # noqa: N818  not an error of the program
    def __init__(self, issue: ValidationIssue) -> None:
        self.issue = issue


_OPENED: Final = object()


class _Container:
    __slots__ = ("closing", "key", "start", "value")

    def __init__(self, start: int, value: Any, closing: str) -> None:
        self.start = start
        self.value = value
        self.closing = closing
        self.key = ""  # The key, in an object, whose value comes next.

    def add(self, value: Any) -> None:
        if self.closing == "]":
            self.value.append(value)
        else:
            self.value[self.key] = value

    @property
    def step(self) -> str | int:
        """What leads to the value that comes next."""
        return len(self.value) if self.closing == "]" else self.key

    def __str__(self) -> str:
        return "array" if self.closing == "]" else "object"


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.open: list[_Container] = []  # Outermost first.
        self.duplicates: list[ValidationIssue] = []

    def document(self) -> Any:
        """The value that the whole text stands for."""
        while True:
            value = self._value()
            if value is _OPENED:
                continue
            while self.open:
                self.open[-1].add(value)
                if self._takes_comma():
                    break
                value = self.open.pop().value
                self.at += 1
            else:
                if self._next_char():
                    raise self._malformed("nothing after the end of the value")
                return value

    def _next_char(self) -> str:
        """The character after blanks, where the scanner then stands; empty at the end."""
        space = _space(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _value(self) -> Any:
        """A scalar or an empty container; `_OPENED` where a container opens that has members."""
        char = self._next_char()
        if len(self.open) > MAX_DEPTH:
            raise self._malformed(f"nesting of at most {MAX_DEPTH} levels")
        if char == '"':
            return self._string()
        if char == "{":
            return self._opened(_Container(self.at, {}, "}"))
        if char == "[":
            return self._opened(_Container(self.at, [], "]"))
        if char and char in "-0123456789":
            return self._number()
        return self._literal(char)

    def _opened(self, container: _Container) -> Any:
        self.at += 1
        if self._next_char() == container.closing:
            self.at += 1
            return container.value
        self.open.append(container)
        if container.closing == "}":
            self._key()
        return _OPENED

    def _takes_comma(self) -> bool:
        """Whether another member follows; if not, the scanner stands at the closing bracket."""
        container = self.open[-1]
        char = self._next_char()
        if char == container.closing:
            return False
        if char != ",":
            raise self._unexpected(f'"," or "{container.closing}"')
        self.at += 1
        if container.closing == "}":
            self._key()
        return True

    def _key(self) -> None:
        if self._next_char() != '"':
            raise self._unexpected("a key in double quotes")
        key = self._string()
        if key in self.open[-1].value:
            path = (*(container.step for container in self.open[:-1]), key)
            self.duplicates.append(ValidationIssue(path, "duplicate_key", "unique keys", key))
        self.open[-1].key = key
        if self._next_char() != ":":
            raise self._unexpected('":" after the key')
        self.at += 1

    def _string(self) -> str:
        start, token = self.at, _string(self.text, self.at)
        self.at = token.end() if token else self.at
        if self.text[self.at : self.at + 1] == '"':
            self.at += 1
            quoted = self.text[start : self.at]
            return str(json.loads(quoted)) if "\\" in quoted else quoted[1:-1]
        if self.at == len(self.text) or _cut_escape(self.text, self.at):
            raise self._truncated("string", start)
        if self.text[self.at] == "\\":
            raise self._malformed("an escape that JSON knows")
        raise self._malformed(f"\\u{ord(self.text[self.at]):04x} in place of the bare control character")

    def _number(self) -> int | float:
        start, token = self.at, _number(self.text, self.at)
        if _cut_number(self.text, start):
            raise self._truncated("number", start)
        if token is None:
            raise self._malformed("a number")
        self.at = token.end()
        number = _integer(token[0]) if token[1] is None and token[2] is None else _real(token[0])
        if number is None:
            self.at = start
            raise self._malformed(
                f"a number that a float can hold, or an integer of at most {MAX_DIGITS} digits"
            )
        return number

    def _literal(self, char: str) -> bool | None:
        word, value = _LITERALS.get(char, ("", None))
        if word and self.text.startswith(word, self.at):
            self.at += len(word)
            return value
        if word.startswith(self.text[self.at : self.at + 5]) and char:
            raise self._truncated("value", self.at)
        raise self._unexpected("a JSON value")

    # ------------------------------------------------------------ what is wrong

    def _unexpected(self, expected: str) -> _BrokenText:
        if self.at < len(self.text):
            return self._malformed(expected)
        if self.open:
            return self._truncated(str(self.open[-1]), self.open[-1].start)
        return _BrokenText(ValidationIssue((), "truncated", "a JSON value", self.text[-EXCERPT:]))

    def _truncated(self, what: str, start: int) -> _BrokenText:
        expected = f"the end of the {what} that starts at {self._place(start)}"
        return _BrokenText(ValidationIssue((), "truncated", expected, self.text[-EXCERPT:]))

    def _malformed(self, expected: str) -> _BrokenText:
        got = self.text[max(self.at - EXCERPT // 2, 0) : self.at + EXCERPT // 2]
        return _BrokenText(ValidationIssue((), "json", f"{expected} at {self._place(self.at)}", got))

    def _place(self, at: int) -> str:
        line = self.text.count("\n", 0, at) + 1
        return f"line {line} column {at - self.text.rfind(chr(10), 0, at)}"


def _integer(token: str) -> int | None:
    if len(token.lstrip("-")) > MAX_DIGITS:
        return None
    try:
        return int(token)
    except ValueError:  # The interpreter has been set to a lower limit.
        return None


def _real(token: str) -> int | float | None:
    """A float or, where that overflows, an integer; None where neither can hold the number."""
    number = float(token)
    if number - number == 0:
        return number
    from decimal import Decimal, InvalidOperation

    try:
        exact = Decimal(token)
        if exact.adjusted() >= MAX_DIGITS or exact != exact.to_integral_value():
            return None
    except InvalidOperation:  # An exponent beyond what Decimal has.
        return None
    return int(exact)
