"""Parse the JSON text of a payload: `decode` returns its value, and `read` also returns the issues.

pydantic's parser reads nearly every text. It does not report where a text is truncated, which key is repeated, or which
number a float cannot represent; `json_scan` does, more slowly. Both accept the same JSON: RFC 8259 in UTF-8, without
NaN or Infinity; a byte order mark at the beginning is ignored.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from toolgen_runtime.validation.issues import ValidationIssue

_OVERFLOW: Final = -(1 << 62)

parse: Callable[..., Any] | None = None
"""pydantic's parser, or None until it is loaded. Its string cache is used only for keys. Most values differ from text
to text, and a cache that rarely contains them doubles the time.
"""
_find_strings: Callable[[bytes], list[bytes]] | None = None


class UnreadableText(Exception):  # noqa: N818  not an error of the program
    """The exception for text that is not valid JSON. It has at least one issue in `issues`."""

    def __init__(self, issues: list[ValidationIssue]) -> None:
        self.issues = issues


def read(text: str | bytes) -> tuple[Any, list[ValidationIssue]]:
    """Parse a JSON text. Return its value and an empty list, or None and the issues.

    - `truncated`: the text is empty or incomplete; more text could make it valid.
    - `json`: the text is malformed, is not UTF-8, is nested deeper than `json_scan.MAX_JSON_DEPTH`, or contains a
      number that Python cannot represent. `expected` names the error and its position; `got` is at most 60 characters
      around it.
    - `duplicate_key`: there is one issue for each time a key is repeated in its object; `got` is the key.

    Escapes of lone surrogates are allowed and kept.
    """
    try:
        return decode(text), []
    except UnreadableText as unreadable:
        return None, unreadable.issues


def load_parser() -> Callable[..., Any]:
    """Load and return pydantic's JSON parser (`parse`), in a quarter of the time that importing all of
    pydantic takes.
    """
    global parse
    from pydantic_core import from_json

    parse = from_json
    return from_json


def decode(text: str | bytes) -> Any:
    """Return the value of a JSON text. This is faster than `read`, but raises an exception for invalid text.

    Raises:
        UnreadableText: the text is one for which `read` returns issues.
    """
    try:
        value = (parse or load_parser())(text, allow_inf_nan=False, cache_strings="keys")
    except (ValueError, TypeError):  # TypeError: a lone surrogate that is not escaped.
        return _decode_slowly(text)
    return confirmed(text, value)


def confirmed(text: str | bytes, value: Any) -> Any:
    """Return the value that `parse` returned for a text, if it lost no keys or numbers.

    Raises:
        UnreadableText: the text has repeated keys, or a number that Python cannot represent.
    """
    # Each key has a colon: if there are as many colons as keys, no key was repeated.
    if type(value) is dict:
        keys = _count_keys(value.values(), len(value))
    else:
        keys = _count_keys((value,), 0)
    if type(text) is bytes:
        colons = text.count(b":")
    else:
        colons = count_colons(text)
    if keys == colons or has_keys(text, keys) or keys == _number_of_keys(text):
        return value
    return _decode_slowly(text)


def _count_keys(values: Iterable[Any], keys: int) -> int:
    """Return `keys` plus the number of keys of all objects in the values.

    Return a negative number if a number is infinite.
    """
    for value in values:
        if type(value) is str or type(value) is int:
            continue
        if type(value) is dict:
            keys = _count_keys(value.values(), keys + len(value))
        elif type(value) is list:
            keys = _count_keys(value, keys)
        elif type(value) is float and value - value != 0:
            return _OVERFLOW
    return keys


def count_colons(text: str | bytes) -> int:
    """Return the number of colons in a text, inside and outside strings."""
    if isinstance(text, str):
        return text.count(":")
    return text.count(b":")


def has_keys(text: str | bytes, keys: int) -> bool:
    """Return True if well-formed JSON text certainly has this number of keys, counting repeated ones."""
    if isinstance(text, str):
        data = text.encode()
    else:
        data = text
    # Without whitespace before colons each key ends in `":`; strings can only add to the count.
    return keys == data.count(b'":') and data.find(b" :") < 0 and not (10 in data or 9 in data or 13 in data)


def _number_of_keys(text: str | bytes) -> int:
    """Return the number of keys in a well-formed JSON text, counting repetitions."""
    global _find_strings
    if _find_strings is None:
        import re

        _find_strings = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\n\r]*+(:?)').findall
    return _find_strings(text.encode() if isinstance(text, str) else text).count(b":")


def _decode_slowly(text: str | bytes) -> Any:
    from toolgen_runtime.validation.json_scan import scan, scan_bytes

    value, issues = scan(text) if isinstance(text, str) else scan_bytes(text)
    if issues:
        raise UnreadableText(issues)
    return value
