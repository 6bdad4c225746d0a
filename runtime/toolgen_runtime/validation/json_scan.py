"""A JSON parser that reports repeated keys and the position of an error.

It is slower than a parser in C, but takes linear time and does not use recursion. It runs only on text that the fast
parser rejects, or that may contain repeated keys or numbers too large for a float.
"""

from __future__ import annotations

import json
import re

from toolgen_runtime.validation.issues import ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MAX_JSON_DEPTH: Final = 200
"""The maximum depth of a value. It is the limit of pydantic's parser, so that both parsers agree."""
MAX_DIGITS: Final = 4300
"""The maximum number of digits of an integer; converting more would not take linear time, so Python rejects them."""
EXCERPT: Final = 60
"""The maximum number of characters of the text that an issue quotes."""

_space = re.compile(r"[ \t\n\r]*+").match
_string = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+').match
_number = re.compile(r"-?+(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?+[0-9]++)?+").match
# An incomplete escape or number at the end of a truncated text.
_cut_escape = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?").fullmatch
_cut_number = re.compile(r"-|-?(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?)").fullmatch
_AFTER_VALUE: Final = '"," or'
_LITERALS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def scan(text: str) -> tuple[Any, list[ValidationIssue]]:
    """Parse a JSON text. Return its value and no issues, or None and the issues (see `json_text.read`)."""
    scanner = _Scanner(text)
    try:
        value = scanner.document()
    except Fault as fault:
        return None, [fault.issue]
    if scanner.duplicates:
        return (None, scanner.duplicates)
    return (value, [])


def scan_bytes(data: bytes) -> tuple[Any, list[ValidationIssue]]:
    """Do the same as `scan` for UTF-8 bytes, which may even end in the middle of a character."""
    try:
        return scan(str(data, "utf-8"))
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return scan(str(data[: error.start], "utf-8") + "\ufffd")
        start = max(error.start - EXCERPT // 2, 0)
        got = data[start : error.start + EXCERPT // 2].decode("ascii", "replace")
        expected = f"UTF-8, not byte 0x{data[error.start]:02x} at offset {error.start}"
        return None, [ValidationIssue((), "json", expected, got)]


def find_fault(text: str) -> Fault | None:
    """Find where a text stops being JSON; return None if it is JSON. Repeated keys are not a fault."""
    try:
        _Scanner(text).document()
    except Fault as fault:
        return fault
    return None


class Fault(Exception):  # noqa: N818  not an error of the program
    """The exception for a text that is not JSON: where parsing stops, and why.

    The constraint of `issue` is `truncated` if more text could make it valid.
    """

    def __init__(self, at: int, path: tuple[str | int, ...], expected: str, issue: ValidationIssue) -> None:
        self.at = at
        """The offset in the text."""
        self.path = path
        """The path of the value that was being read."""
        self.expected = expected
        self.issue = issue


_OPENED: Final = object()


class _Open:
    """A list or object whose end has not been read yet."""

    __slots__ = ("closing", "key", "start", "value")

    def __init__(self, start: int, opening: str) -> None:
        self.start = start
        self.value: Any = {} if opening == "{" else []
        self.closing = "}" if opening == "{" else "]"
        self.key = ""  # In an object: the key of the next value.

    @property
    def step(self) -> str | int:
        """The index or key of the value that comes next."""
        if self.closing == "]":
            return len(self.value)
        return self.key


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.open: list[_Open] = []  # Outermost first.
        self.duplicates: list[ValidationIssue] = []

    def document(self) -> Any:
        """Parse the complete text and return its value.

        Raises:
            Fault: the text is malformed or truncated.
        """
        while True:
            value = self._value()
            while value is not _OPENED and self.open:
                container = self.open[-1]
                if container.closing == "]":
                    container.value.append(value)
                else:
                    container.value[container.key] = value
                char = self._next_char()
                if char not in (",", container.closing):
                    raise self._unexpected(f'{_AFTER_VALUE} "{container.closing}"')
                self.at += 1
                if char == ",":
                    self._key(container)
                    value = _OPENED
                else:
                    value = self.open.pop().value
            if value is not _OPENED:
                if self._next_char():
                    raise self._malformed("nothing after the end of the value")
                return value

    def _next_char(self) -> str:
        """Skip whitespace and return the next character, or `""` at the end."""
        space = _space(self.text, self.at)
        if space:
            self.at = space.end()
        return self.text[self.at : self.at + 1]

    def _value(self) -> Any:
        """Read and return a scalar or an empty list or object. Return `_OPENED` at the start of any other."""
        char = self._next_char()
        if len(self.open) > MAX_JSON_DEPTH:
            raise self._malformed(f"nesting of at most {MAX_JSON_DEPTH} levels")
        if char == '"':
            return self._string()
        if char not in ("{", "["):
            if char and char in "-0123456789":
                return self._number()
            return self._literal(char)
        container = _Open(self.at, char)
        self.at += 1
        if self._next_char() == container.closing:
            self.at += 1
            return container.value
        self.open.append(container)
        self._key(container)
        return _OPENED

    def _key(self, container: _Open) -> None:
        """Read the key of the next value and the colon that follows. In an array, do nothing."""
        if container.closing == "]":
            return
        if self._next_char() != '"':
            raise self._unexpected("a key in double quotes")
        key = self._string()
        if key in container.value:
            path = (*(outer.step for outer in self.open[:-1]), key)
            self.duplicates.append(ValidationIssue(path, "duplicate_key", "unique keys", key))
        container.key = key
        if self._next_char() != ":":
            raise self._unexpected('":" after the key')
        self.at += 1

    def _string(self) -> str:
        start, token = self.at, _string(self.text, self.at)
        if token:
            self.at = token.end()
        if self.text[self.at : self.at + 1] == '"':
            self.at += 1
            quoted = self.text[start : self.at]
            if "\\" in quoted:
                return str(json.loads(quoted))
            return quoted[1:-1]
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
        is_long = token.lastindex is None and len(token[0].lstrip("-")) > MAX_DIGITS
        try:
            if token.lastindex or is_long:
                number = float(token[0])
            else:
                number = int(token[0])
        except ValueError:  # The interpreter may have a lower limit.
            number = float("nan")
        if is_long or number - number != 0:
            raise self._malformed(
                f"a number that a float can hold, or an integer of at most {MAX_DIGITS} digits"
            )
        self.at = token.end()
        return number

    def _literal(self, char: str) -> bool | None:
        word, value = _LITERALS.get(char, ("", None))
        if word and self.text.startswith(word, self.at):
            self.at += len(word)
            return value
        if word.startswith(self.text[self.at : self.at + 5]) and char:
            raise self._truncated("value", self.at)
        raise self._unexpected("a JSON value")

    def _path(self, expected: str) -> tuple[str | int, ...]:
        """Return the path of the value at which `expected` is missing.

        If a key is missing, return the path of the object.
        """
        steps = [container.step for container in self.open]
        if self.open:
            last = self.open[-1]
            if last.closing == "]":
                steps[-1] = len(last.value) - expected.startswith(_AFTER_VALUE)
            elif not expected.startswith(_AFTER_VALUE) and (last.key == "" or last.key in last.value):
                steps.pop()
        return tuple(steps)

    def _unexpected(self, expected: str) -> Fault:
        if self.at < len(self.text):
            return self._malformed(expected)
        if not self.open:
            return self._fault("a JSON value", "truncated", "a JSON value")
        last = self.open[-1]
        return self._truncated("array" if last.closing == "]" else "object", last.start)

    def _truncated(self, what: str, start: int) -> Fault:
        return self._fault(what, "truncated", f"the end of the {what} that starts at {self._place(start)}")

    def _malformed(self, expected: str) -> Fault:
        return self._fault(expected, "json", f"{expected} at {self._place(self.at)}")

    def _fault(self, what: str, constraint: str, expected: str) -> Fault:
        if constraint == "truncated":
            end = len(self.text)
        else:
            end = self.at + EXCERPT // 2
        issue = ValidationIssue((), constraint, expected, self.text[max(end - EXCERPT, 0) : end])
        return Fault(self.at, self._path(what), what, issue)

    def _place(self, at: int) -> str:
        line = self.text.count("\n", 0, at) + 1
        return f"line {line} column {at - self.text.rfind(chr(10), 0, at)}"
