"""`decode` and `read`: the text of a payload to its value, or to the issues that say why it is none.

Nearly every text is read by pydantic's parser. What that parser cannot tell (where a text was cut off, which
key stands twice, a number that no float holds) is found by the careful pass in `jsonscan`, so both have
the same idea of JSON: RFC 8259, UTF-8, a leading byte order mark ignored, no NaN or Infinity.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from toolgen_runtime.validation.issues import ValidationIssue

_OVERFLOW: Final = -(1 << 62)

parse: Callable[..., Any] | None = None
"""pydantic's parser, once it is loaded."""
_find_strings: Callable[[bytes], list[bytes]] | None = None


class UnreadableText(Exception):  # noqa: N818  not an error of the program
    """A text that stands for no value; `issues`, at least one, say why."""

    def __init__(self, issues: list[ValidationIssue]) -> None:
        self.issues = issues


def read(text: str | bytes) -> tuple[Any, list[ValidationIssue]]:
    """The value of a JSON text and no issues, or None and the issues.

    - `truncated`: the text stops before its end, and more text could make it valid; so does an empty one.
    - `json`: the text is malformed, no UTF-8, nests deeper than `jsonscan.MAX_DEPTH` or holds a number that
      Python cannot; `expected` says what and where, `got` is at most 60 characters around the place.
    - `duplicate_key`: one issue for each time that a key is repeated in its object, `got` the key.

    A number that no float can hold is read as the integer that it stands for (`1e400`), up to
    `jsonscan.MAX_DIGITS` digits. A lone surrogate escape is legal and stays what it is.
    """
    try:
        return decode(text), []
    except UnreadableText as unreadable:
        return None, unreadable.issues


def load_parser() -> Callable[..., Any]:
    """Load `parse`, which takes a quarter of what pydantic takes."""
    global parse
    from pydantic_core import from_json

    parse = from_json
    return from_json


def decode(text: str | bytes) -> Any:
    """The value that `read` gives, at less cost; raises `UnreadableText` where it gives issues."""
    try:
        value = (parse or load_parser())(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # TypeError: a lone surrogate that is no escape.
        return _decode_carefully(text)
    return confirmed(text, value)


def confirmed(text: str | bytes, value: Any) -> Any:
    """What a text stands for: the value that `parse` gave, if it has lost nothing of the text.

    Raises:
        UnreadableText: it has, and what the text says is no value.
    """
    # Each key takes a colon: with no more colons than keys, no key was lost to a later one.
    keys = _count_keys(value.values(), len(value)) if type(value) is dict else _count_keys((value,), 0)
    colons = text.count(b":") if type(text) is bytes else count_colons(text)
    if keys == colons or has_keys(text, keys) or keys == _find_keys(text):
        return value
    return _decode_carefully(text)


def _count_keys(values: Iterable[Any], keys: int) -> int:
    """The keys of all objects in some values, and `keys`; negative where a number is infinite."""
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
    """Every colon of a text, in strings and elsewhere."""
    return text.count(":") if isinstance(text, str) else text.count(b":")


def has_keys(text: str | bytes, keys: int) -> bool:
    """Whether a well-formed JSON text surely has so many keys, repeated ones included, and no more."""
    data = text.encode() if isinstance(text, str) else text
    # Without blanks before colons each key ends in `":`; strings may add to the count, never take from it.
    return keys == data.count(b'":') and data.find(b" :") < 0 and not (10 in data or 9 in data or 13 in data)


def _find_keys(text: str | bytes) -> int:
    """The keys that a well-formed JSON text has, repeated ones included."""
    global _find_strings
    if _find_strings is None:
        import re

        _find_strings = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\n\r]*+(:?)').findall
    return _find_strings(text.encode() if isinstance(text, str) else text).count(b":")


def _decode_carefully(text: str | bytes) -> Any:
    from toolgen_runtime.validation.json_scan import scan, scan_bytes

    value, issues = scan(text) if isinstance(text, str) else scan_bytes(text)
    if issues:
        raise UnreadableText(issues)
    return value
