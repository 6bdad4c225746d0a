"""Values and foreign texts as one short, harmless line.

Payloads and schemas are hostile: they hold line breaks, terminal escapes and direction marks, and they can
be enormous. Nothing here looks at more of a value than it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any

from toolgen_runtime.validation.issues import key_text

MAX_ECHO = 60
"""Most characters of a payload's value that are ever shown."""
MAX_VALUE = 200
"""Most characters of an allowed value, which comes from the schema."""
_HEAD = 40
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MARKS = frozenset(",\"'…")
_SPACES = str.maketrans(dict.fromkeys("\t\n\v\f\r\x85\u2028\u2029", " "))


def clean(text: str) -> str:
    """Return the text with every control, format and surrogate character written as an escape; one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def prose(text: str, limit: int) -> str:
    """Return a description as one line: spaces folded, what cannot be printed dropped, cut at a word after `limit`."""
    if len(text) <= limit and "  " not in text and text.isprintable() and text.strip(" ") == text:
        return text  # as most are: a space is the only blank that can be printed
    line = " ".join(text[: limit * 4].translate(_SPACES).split())
    if not line.isprintable():
        line = "".join(c for c in line if c.isprintable())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:.") + "…"


def first_sentence(text: str, limit: int) -> str:
    """Return the first sentence of a description, without its stop, as `prose`."""
    line = prose(text, 4 * limit)
    stop = line.find(". ")
    return prose(line[:stop] if stop > 0 else line, limit).rstrip(".")


def shown(value: Any) -> str:
    """Return a value as JSON, of at most `MAX_ECHO` characters; of containers only their kind.

    >>> shown("a\\nb"), shown({"a": 1}), shown(None)
    ('"a\\\\nb"', 'an object', 'null')
    """
    kind = type(value)
    if kind is str:
        if len(value) <= _HEAD:
            if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
                return f'"{value}"'
            text = _cut(clean(json.dumps(value, ensure_ascii=False)), MAX_ECHO)
            return text if text.endswith('"') else text + '"'
        return f'"{_cut(clean(value[:_HEAD]), MAX_ECHO - 3)}…"'
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value) if value.bit_length() < 80 else f"a {value.bit_length()}-bit number"
    if kind is float:
        return repr(value)
    if kind is dict or kind is list:
        return _container(value)
    return f"a {_cut(clean(kind.__name__), _HEAD)}"


def _container(value: dict[Any, Any] | list[Any]) -> str:
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    return "an object" if isinstance(value, dict) else "an array"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def bounded(value: Any) -> Any:
    """Return a scalar for use as data: strings cleaned and cut to `MAX_ECHO`, of the rest what `shown` says."""
    if type(value) is str:
        return (
            value if len(value) <= _HEAD and value.isprintable() else _cut(clean(value[:MAX_ECHO]), MAX_ECHO)
        )
    if value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() < 80):
        return value
    return shown(value)


def compact(value: Any, limit: int = MAX_ECHO) -> str:
    """Return a small value as compact JSON; `""` where that takes more than `limit` characters or is not JSON."""
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if (kind is int and value.bit_length() < 80) or (kind is float and isfinite(value)):
        return repr(value)
    try:
        text = clean(_COMPACT.encode(value))
    except (TypeError, ValueError, RecursionError):
        return ""
    return text if len(text) <= limit else ""


def small(value: Any) -> Any:
    """Return an allowed value of a schema as it is, unless it is too large to hand on."""
    if type(value) is str and len(value) <= MAX_VALUE:
        return value
    if isinstance(value, (str, dict, list)):
        return value if not isinstance(value, str) and compact(value, MAX_VALUE) else shown(value)
    return value


def name_shown(name: str) -> str:
    """Return a key in quotes, cleaned and cut."""
    return shown(name if type(name) is str else key_text(name))


def choice(value: Any) -> str:
    """Return one allowed value of a schema: bare where it cannot be mistaken, JSON otherwise."""
    if type(value) is str and value and value.isprintable() and len(value) <= _HEAD:
        first = value[0]
        plain = (first.isalpha() or first in "_/.") and value not in ("true", "false", "null")
        if plain and _MARKS.isdisjoint(value) and value[-1] not in " .":
            return value
    return shown(value) if not isinstance(value, (dict, list)) else (compact(value, _HEAD) or shown(value))


def choices(values: Iterable[Any]) -> str:
    """Return allowed values side by side; `…`, the mark of a list that goes on, stays as it is.

    >>> print(choices(["low", "a, b", 3, "…"]))
    low, "a, b", 3, …
    """
    return ", ".join(v if v == "…" else choice(v) for v in values)
