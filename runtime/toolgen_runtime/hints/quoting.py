"""Quote untrusted values and texts safely, on one short line.

Payloads and schemas come from untrusted sources: they may contain line breaks, terminal escapes and direction marks,
and they may be enormous. The functions of this module read little more of a value than they show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.validation.issues import key_text

MAX_ECHO = 60
"""The most characters of a payload's value that are shown."""
MAX_ALLOWED_VALUE = 200
"""The most characters of an allowed value, which comes from the schema."""
MAX_KEYS_SHOWN = 12
"""The most keys of one object in a line."""
MAX_ITEMS_SHOWN = 3
"""The most items of one list in a line."""
MAX_SKELETON_DEPTH = 6
NO_VALUE = frozenset(("", "null", "none", "nil", "undefined", "n/a", "nan"))
"""Texts that mean "no value"."""
_HEAD = 40
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
_MARKS = frozenset(",\"'…")
_SPACES = str.maketrans(dict.fromkeys("\t\n\v\f\r\x85\u2028\u2029", " "))


def clean(text: str) -> str:
    """Return a text on one line, with all control, format and surrogate characters escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def prose(text: str, limit: int) -> str:
    """Return a description on one line. If it has more than `limit` characters, cut it at the end of a word.

    Repeated spaces are joined, and unprintable characters are dropped.

    >>> prose("unbreakable", 8)
    'unbreak…'
    """
    if len(text) <= limit and "  " not in text and text.isprintable() and text.strip(" ") == text:
        return text  # the usual case: the space is the only printable white space
    line = " ".join(text[: limit * 4].translate(_SPACES).split())
    if not line.isprintable():
        line = "".join(c for c in line if c.isprintable())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:.") + "…"


def shown(value: Any) -> str:
    """Return a value as JSON in at most `MAX_ECHO` characters. For an object or array, return only its type.

    >>> shown("a\\nb"), shown({"a": 1}), shown(None)
    ('"a\\\\nb"', 'an object', 'null')
    """
    if isinstance(value, str):
        if len(value) > _HEAD:
            return f'"{_cut(clean(value[:_HEAD]), MAX_ECHO - 3)}…"'
        if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
            return f'"{value}"'  # the usual case
        text = _cut(clean(json.dumps(value, ensure_ascii=False)), MAX_ECHO)
        if text.endswith('"'):
            return text
        return text + '"'
    if isinstance(value, dict):
        if value:
            return "an object"
        return "{}"
    if isinstance(value, list):
        if value:
            return "an array"
        return "[]"
    if type(value) is int and value.bit_length() >= 80:
        return f"a {value.bit_length()}-bit number"
    if type(value) in (int, float):
        return repr(value)
    if value is None or type(value) is bool:
        return json.dumps(value)
    return f"a {_cut(clean(type(value).__name__), _HEAD)}"


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1] + "…"


def bounded(value: Any, most: int = MAX_ECHO) -> Any:
    """Return a value of limited size, for hints as data.

    Strings are cleaned and shortened; other large values become the text from `shown`.
    """
    if isinstance(value, str):
        if len(value) <= most and value.isprintable():
            return value  # the usual case
        return _cut(clean(value[:most]), most)
    if value is None or isinstance(value, bool | int | float):
        if not isinstance(value, int) or value.bit_length() < 80:
            return value
        return shown(value)
    if isinstance(value, (dict, list)) and compact(value, most):
        return value
    return shown(value)


def compact(value: Any, limit: int = MAX_ECHO) -> str:
    """Return a value as JSON; an empty string if that has more than `limit` characters or is not possible."""
    try:
        text = _COMPACT.encode(value)
        if not text.isprintable():
            text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return ""
    if len(text) <= limit:
        return text
    return ""


def says_nothing(value: Any) -> bool:
    """Return whether a value is a string that means "no value", such as `none`."""
    return isinstance(value, str) and len(value) < 12 and value.strip().lower() in NO_VALUE


def name_shown(name: str | int) -> str:
    """Return a key in quotes, escaped and shortened."""
    if type(name) is str:
        return shown(name)
    return shown(key_text(name))


def choice(value: Any) -> str:
    """Return an allowed value as text: without quotes if it is a plain word, otherwise as JSON."""
    if type(value) is str and 0 < len(value) <= _HEAD and _is_plain_word(value):
        return value
    return compact(value, _HEAD) or shown(value)


@lru_cache(maxsize=1024)
def _is_plain_word(text: str) -> bool:
    is_word = text[0].isalpha() or text[0] in "_/."
    is_plain = _MARKS.isdisjoint(text) and text[-1] not in " ." and text.isprintable()
    return is_word and is_plain and text not in ("true", "false", "null")


def choices(values: Iterable[Any]) -> str:
    """Return allowed values as text, separated by commas. A `…` at the end of an incomplete list is kept.

    >>> print(choices(["low", "a, b", 3, "…"]))
    low, "a, b", 3, …
    """
    return ", ".join(v if v == "…" else choice(v) for v in values)


def skeleton(value: Any, node: SchemaNode, depth: int = 0) -> str:
    """Return a value's structure as text, such as `{"kind": "a", "to": {"name": …}}`.

    It shows the keys and the values of enums. For a list, it shows the first items.
    """
    if depth < MAX_SKELETON_DEPTH and isinstance(value, dict) and value:
        members = [
            f"{name_shown(k)}: {skeleton(v, node.child(k), depth + 1)}"
            for k, v in [*value.items()][:MAX_KEYS_SHOWN]
        ]
        return f"{{{', '.join(members)}{', …' if len(value) > MAX_KEYS_SHOWN else ''}}}"
    if (
        depth < MAX_SKELETON_DEPTH
        and isinstance(value, list)
        and value
        and isinstance(value[0], (dict, list))
    ):
        items = [skeleton(v, node.child(i), depth + 1) for i, v in enumerate(value[:MAX_ITEMS_SHOWN])]
        return f"[{', '.join(items)}{', …' if len(value) > MAX_ITEMS_SHOWN else ''}]"
    is_listed = isinstance(value, str) and node.allowed and is_one_of(value, node.allowed)
    if is_listed and not node.schema.has_secrets:
        return shown(value)
    return "…"
