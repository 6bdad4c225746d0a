"""`read`: the text of a payload to its value, or to the issues that say why it is none.

Nearly every text is read by pydantic's parser. What that parser cannot tell (where a text was cut off, which
key stands twice, a number that no float holds) is found by the careful pass in `jsonscan`, so both have
the same idea of JSON: RFC 8259, UTF-8, a leading byte order mark ignored, no NaN or Infinity.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from toolgen_runtime.issues import ValidationIssue

_LEAVES: Final = frozenset((str, int, bool, type(None)))
_OVERFLOW: Final = -(1 << 62)

_parse: Callable[[str], Any] | None = None
_find_strings: Callable[[str], list[str]] | None = None


def read(text: str | bytes) -> tuple[Any, list[ValidationIssue]]:
    """The value of a JSON text and no issues, or None and the issues.

    - `truncated`: the text stops before its end, and more text could make it valid; so does an empty one.
    - `json`: the text is malformed, no UTF-8, nests deeper than `jsonscan.MAX_DEPTH` or holds a number that
      Python cannot; `expected` says what and where, `got` is at most 60 characters around the place.
    - `duplicate_key`: one issue for each time that a key is repeated in its object, `got` the key.

    A number that no float can hold is read as the integer that it stands for (`1e400`), up to
    `jsonscan.MAX_DIGITS` digits. A lone surrogate escape is legal and stays what it is.
    """
    global _parse
    if _parse is None:
        from pydantic_core import from_json

        _parse = from_json
    try:
        string = text if isinstance(text, str) else str(text, "utf-8")
        value = _parse(string)
    except (ValueError, TypeError):  # TypeError: a lone surrogate that is no escape.
        return _read_carefully(text)
    # Each key takes a colon: with no more colons than keys, no key was lost to a later one.
    keys = _count_keys(value)
    if keys == string.count(":") or _writes_no_more_keys(string, keys):
        return value, []
    return _read_carefully(string)


def _count_keys(value: Any) -> int:
    """The keys of all objects in a value; negative where a number is infinite or NaN."""
    keys = 0
    if type(value) is dict:
        keys = len(value)
        for member in value.values():
            if type(member) not in _LEAVES:
                keys += _count_keys(member)
    elif type(value) is list:
        for item in value:
            if type(item) not in _LEAVES:
                keys += _count_keys(item)
    elif type(value) is float and value - value != 0:
        return _OVERFLOW
    return keys


def _writes_no_more_keys(text: str, keys: int) -> bool:
    """Whether a well-formed JSON text has no more keys than these, repeated ones included."""
    # Without blanks before colons each key ends in `":`; strings may add to the count, never take from it.
    if keys == text.count('":') and not (" :" in text or "\n" in text or "\t" in text or "\r" in text):
        return True
    global _find_strings
    if _find_strings is None:
        import re

        _find_strings = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\n\r]*+(:?)').findall
    return keys == _find_strings(text).count(":")


def _read_carefully(text: str | bytes) -> tuple[Any, list[ValidationIssue]]:
    from toolgen_runtime.jsonscan import scan, scan_bytes

    return scan(text) if isinstance(text, str) else scan_bytes(text)
