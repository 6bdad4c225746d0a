"""Find objects and arrays in the middle of other text.

They may be JSON, or maps and lists as Python, Ruby or JavaScript print them.

Error texts quote responses (`Error code: 429 - {'error': {...}}`). The time is linear in the length of the text.
"""

from __future__ import annotations

import json
import re

from toolgen_runtime.validation.helpers import is_deeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MAX_EMBEDDED_TEXT: Final = 20_000
"""The maximum number of characters to read from a text."""
MAX_EMBEDDED_DEPTH: Final = 50
"""The maximum depth of nested lists and objects; deeper values are ignored."""
MAX_EMBEDDED_VALUES: Final = 8
MAX_TRIED: Final = 24
"""The maximum number of brackets to try as the start of a value."""

MAX_LOOSE_QUOTES: Final = 3
"""The maximum number of unclosed quotes to ignore; the text after the next one is not read."""

_marks = re.compile(r"""\\.|["'\[\]{}]""", re.DOTALL)
_token = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|(?P<open>\()"""
    r"""|,?\s{0,40}+(?P<close>[)\]}])|(?P<arrow>=>)"""
    r"""|(?<![\w.$:])(?P<key>:?(?:[A-Za-z_$][\w$]{0,80}+|\d{1,9}+))(?=\s{0,8}+(?:=>|:))"""
    r"""|\b(?P<word>True|False|None|nil|undefined)\b""",
    re.DOTALL,
)
_escape = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_WORDS = {"True": "true", "False": "false", "None": "null", "nil": "null", "undefined": "null"}


def values_in(text: str) -> tuple[list[Any], str]:
    """Find the outermost objects, and the outermost arrays of objects, in a text.

    Also return the text around them, with each part on its own line.

    Other arrays are treated as text: `rows[0]`, `one of ["a", "b"]`.
    """
    text = text[:MAX_EMBEDDED_TEXT]
    values: list[Any] = []
    around, at = list[str](), 0
    for begin, end in _extents(text)[:MAX_TRIED]:
        if begin >= at and len(values) < MAX_EMBEDDED_VALUES:
            value = parse(text[begin:end])
        else:
            value = None
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict) for v in value)):
            values.append(value)
            around.append(text[at:begin])
            at = end
    return values, "\n".join([*around, text[at:]])


def _extents(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each pair of brackets, with outer pairs before inner ones."""
    pairs: dict[int, int] = {}
    loose: set[int] = set()
    for _ in range(MAX_LOOSE_QUOTES + 1):
        pairs, quote_at = _pairs(text, loose)
        if quote_at is None:
            break
        loose.add(quote_at)
    return sorted(pairs.items())


def _pairs(text: str, loose: set[int]) -> tuple[dict[int, int], int | None]:
    """Return where each pair of brackets ends, by its start; also the position of an unclosed quote, or None."""
    pairs: dict[int, int] = {}
    open_at: list[int] = []
    quote, quote_at = "", None
    for mark in _marks.finditer(text):
        char, at = mark[0], mark.start()
        if quote:
            if char == quote:
                quote, quote_at = "", None
        elif char in "[{":
            open_at.append(at)
        elif char in "]}":
            if open_at:
                pairs[open_at.pop()] = at + 1
        elif char in "\"'" and open_at and at not in loose:
            is_apostrophe = char == "'" and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()
            quote, quote_at = ("", None) if is_apostrophe else (char, at)
    return pairs, quote_at


def parse(text: str) -> Any:
    """Return the object or array that a text represents, or None.

    The text may be JSON, with or without escaped quotes, or the output of a program. In such output, keys may be
    numbers, names without quotes, or Ruby symbols; tuples become lists.
    """
    if text[:1] not in ("{", "["):
        return None
    for form in (str, lambda loose: _token.sub(_json_token, loose), unescaped):
        try:
            value = json.loads(form(text), strict=False)
        except (ValueError, RecursionError):
            continue
        return None if is_deeper(value, MAX_EMBEDDED_DEPTH) else value
    return None


def _json_token(match: re.Match[str]) -> str:
    if match["string"]:
        return json.dumps(unescaped(match["string"][1:-1]))
    if match["key"]:
        return json.dumps(match["key"].removeprefix(":"))
    if match["word"]:
        return _WORDS[match["word"]]
    if match["arrow"]:
        return ":"
    if match["open"]:
        return "["
    if match["close"] == ")":
        return "]"
    return match["close"]


def unescaped(text: str) -> str:
    """Return the content of a quoted string, with the escapes of Python or JSON decoded."""
    if "\\" in text:
        return _escape.sub(_character, text)
    return text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code[1:], 16)
    if number <= 0x10FFFF:
        return chr(number)
    return match[0]
