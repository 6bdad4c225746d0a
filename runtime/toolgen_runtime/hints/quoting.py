"""Quote untrusted values and texts safely, on one short line.

Payloads and schemas come from untrusted sources: they may contain line breaks, terminal escapes and direction marks,
and they may be enormous. The functions of this module read little more of a value than they show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of, json_type
from toolgen_runtime.validation.issues import key_text

MAX_ECHO = 60
"""The most characters of a payload's value that are shown."""
MAX_ALLOWED_VALUE = 200
"""The most characters of an allowed value, which comes from the schema."""
MAX_PATTERN = 60
"""The most characters of a pattern."""
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
_QUOTED = ("true", "false", "null", "and", "or")
"""Texts that mean something else without quotes: JSON's literals, and the words between the values of a list."""


def clean(text: str) -> str:
    """Return a text on one line. Control, format and surrogate characters are escaped as in JSON."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def prose(text: str, limit: int) -> str:
    """Return a description on one line. If it has more than `limit` characters, cut it at the end of a word.

    Repeated spaces are joined, and unprintable characters are dropped.

    >>> prose("unbreakable", 8)
    'unbreak…'
    """
    line = "".join(filter(str.isprintable, " ".join(text[: limit * 4].split())))
    if len(line) <= limit:
        return line
    end = line.rfind(" ", limit // 2, limit - 1)
    if end < 0:
        end = limit - 1  # a very long word
    return line[:end].rstrip(" ,;:.") + "…"


def shown(value: Any) -> str:
    """Return a value as JSON in at most `MAX_ECHO` characters. For an object or array, return only its type.

    >>> shown("a\\nb"), shown({"a": 1}), shown(None)
    ('"a\\\\nb"', 'an object', 'null')
    """
    if isinstance(value, str):
        value = str(value)  # this masks a secret key
        if value.isalnum() and value.isascii() and len(value) <= _HEAD:
            return f'"{value}"'  # the usual case, in a tenth of the time
        if len(value) > _HEAD:
            return f'"{clean(value[:_HEAD])[: MAX_ECHO - 3]}…"'
        text = clean(_COMPACT.encode(value))
        if len(text) <= MAX_ECHO:
            return text
        return f'{text[: MAX_ECHO - 2]}…"'
    if isinstance(value, dict) and value:
        return "an object"
    if isinstance(value, list) and value:
        return "an array"
    kind = json_type(value)
    if kind and (text := compact(value)):
        return text
    if type(value) is float:
        return repr(value)  # JSON has no NaN
    return f"a {kind or clean(type(value).__name__[:_HEAD])}"


def bounded(value: Any, most: int = MAX_ECHO) -> Any:
    """Return a value of limited size, for hints as data.

    Strings are cleaned and shortened; other large values become the text from `shown`.
    """
    if isinstance(value, str):
        return clean(value[:most])[:most]
    if compact(value, most):
        return value
    return shown(value)


def compact(value: Any, limit: int = MAX_ECHO) -> str:
    """Return a value as JSON; an empty string if that has more than `limit` characters or is not possible."""
    if type(value) is int and value.bit_length() < 64:
        return str(value)  # the usual case
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
    return shown(key_text(name))


def choice(value: Any) -> str:
    """Return an allowed value as text: without quotes if it is a plain word or a `…`, otherwise as JSON."""
    if type(value) is not str or not 0 < len(value) <= _HEAD:
        return compact(value, _HEAD) or shown(value)
    is_word = value[0].isalpha() or value[0] in "_/."
    is_plain = _MARKS.isdisjoint(value) and value[-1] not in " ." and value.isprintable()
    if value == "…" or (is_word and is_plain and value not in _QUOTED):
        return value
    return shown(value)


def cut(text: str, limit: int) -> str:
    """Return a text, with `…` at its end if it had more than `limit` characters."""
    if len(text) <= limit:
        return text
    return text[: limit - 1] + "…"


def pattern_shown(pattern: str) -> str:
    """Return a pattern on one line, shortened."""
    return cut(clean(pattern[: MAX_PATTERN + 1]), MAX_PATTERN)


def choices(values: Iterable[Any]) -> str:
    """Return allowed values as text, separated by commas. A `…` at the end of an incomplete list is kept.

    >>> print(choices(["low", "a, b", 3, "…"]))
    low, "a, b", 3, …
    """
    return ", ".join(map(choice, values))


def first(texts: Sequence[str], most: int) -> list[str]:
    """Return the first texts, followed by `…` if there are more than `most`."""
    if len(texts) > most:
        return [*texts[:most], "…"]
    return [*texts]


def skeleton(value: Any, node: SchemaNode, depth: int = 0) -> str:
    """Return a value's structure as text, such as `{"kind": "a", "to": {"name": …}}`.

    It shows the keys and the values of enums. For a list, it shows the first items.
    """
    if depth == MAX_SKELETON_DEPTH:
        return "…"
    if isinstance(value, dict) and value:
        members = [
            f"{name_shown(k)}: {skeleton(v, node.child(k), depth + 1)}"
            for k, v in [*value.items()][: MAX_KEYS_SHOWN + 1]
        ]
        return f"{{{', '.join(first(members, MAX_KEYS_SHOWN))}}}"
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        items = [skeleton(v, node.child(i), depth + 1) for i, v in enumerate(value[: MAX_ITEMS_SHOWN + 1])]
        return f"[{', '.join(first(items, MAX_ITEMS_SHOWN))}]"
    is_listed = isinstance(value, str) and is_one_of(value, node.allowed)
    if is_listed and not node.schema.has_secrets:
        return shown(value)
    return "…"
