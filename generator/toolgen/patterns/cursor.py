"""A cursor over a pattern's text, the character escapes that it reads, and the errors of `translate`."""

from __future__ import annotations

import re

from toolgen.patterns.charsets import LAST_CODE_POINT

_CONTROL = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_DIGIT = re.compile(r"[0-9]")
_HEX2 = re.compile(r"[0-9A-Fa-f]{2}")
_HEX4 = re.compile(r"[0-9A-Fa-f]{4}")
_BRACED_HEX = re.compile(r"\{([0-9A-Fa-f]+)\}")
_LOW_SURROGATE = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")


class PatternError(ValueError):
    """A text that is not an ECMA-262 regular expression; `position` counts code points from its start."""

    def __init__(self, message: str, position: int = 0) -> None:
        """Make an error; `message` is one sentence, without the position."""
        self.message = message
        self.position = position
        super().__init__(f"{message} (at character {position})")


class UnsupportedPattern(PatternError):  # noqa: N818  its base class is named an error
    """An ECMA-262 regular expression that neither engine can run with exactly its meaning."""


class Cursor:
    """A position `at` in a text, and the steps that move it forward."""

    def __init__(self, text: str) -> None:
        """Start before the first character."""
        self.text = text
        self.at = 0

    def error(self, message: str, position: int | None = None) -> PatternError:
        """Return an error at `position`, by default at the cursor."""
        return PatternError(message, self.at if position is None else position)

    def peek(self) -> str:
        """Return the next character, or "" at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, literal: str) -> bool:
        """Step over `literal` if it comes next; return whether it did."""
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def take_match(self, regex: re.Pattern[str]) -> re.Match[str] | None:
        """Step over what `regex` matches at the cursor; return the match, or None."""
        match = regex.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def until(self, close: str, what: str) -> str:
        """Return the text up to `close`, and step over both.

        Raises:
            PatternError: `close` is missing; the message calls the text `what`.
        """
        end = self.text.find(close, self.at)
        if end < 0:
            raise self.error(f"{what} is not closed by {close!r}")
        inside = self.text[self.at : end]
        self.at = end + 1
        return inside

    def character_escape(self, start: int) -> int:
        """Return the code point of a CharacterEscape (22.2.1), whose backslash at `start` has been read.

        Raises:
            PatternError: the escape has no meaning.
        """
        char = self.peek()
        self.at += 1
        if char in _CONTROL:
            return _CONTROL[char]
        if char == "c":
            letter = self.peek()
            if not (letter.isascii() and letter.isalpha()):
                raise self.error("\\c takes a letter", start)
            self.at += 1
            return ord(letter) % 32
        if char == "0" and not self.take_match(_DIGIT):
            return 0
        if char == "x":
            if match := self.take_match(_HEX2):
                return int(match[0], 16)
            raise self.error("\\x takes two hexadecimal digits", start)
        if char == "u":
            return self._unicode_escape(start)
        return self._identity_escape(char, start)

    def _unicode_escape(self, start: int) -> int:
        if match := self.take_match(_BRACED_HEX):
            code = int(match[1], 16) if len(match[1].lstrip("0")) <= 6 else LAST_CODE_POINT + 1
            if code > LAST_CODE_POINT:
                raise self.error("\\u{...} is beyond the last code point, 10FFFF", start)
            return code
        match = self.take_match(_HEX4)
        if not match:
            raise self.error("\\u takes four hexadecimal digits, or more in braces", start)
        code = int(match[0], 16)
        if 0xD800 <= code <= 0xDBFF and (low := self.take_match(_LOW_SURROGATE)):
            return 0x10000 + (code - 0xD800) * 0x400 + int(low[1], 16) - 0xDC00
        return code

    def _identity_escape(self, char: str, start: int) -> int:
        if not char:
            raise self.error("the pattern ends in a backslash", start)
        if char.isascii() and char.isalnum():
            raise self.error(f"\\{char} is not an escape of ECMA-262", start)
        return ord(char)
