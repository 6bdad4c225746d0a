"""Values and foreign texts as one short, harmless line, and sentences as parts that are joined once.

Payloads and schemas are hostile: they hold line breaks, terminal escapes and direction marks, and they can
be enormous. Nothing here looks at more of a value than it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.validation.issues import key_text

MAX_ECHO = 60
"""Most characters of a payload's value that are ever shown."""
MAX_VALUE = 200
"""Most characters of an allowed value, which comes from the schema."""
MAX_SHOWN = 12
"""Keys of one object that a line names."""
MAX_LEVELS = 4
NO_VALUE = frozenset(("", "null", "none", "nil", "undefined", "n/a", "nan"))
"""Texts that say that there is no value."""
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
    if kind is dict:
        return "an object" if value else "{}"
    if kind is list:
        return "an array" if value else "[]"
    return f"a {_cut(clean(kind.__name__), _HEAD)}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def bounded(value: Any, most: int = MAX_ECHO) -> Any:
    """Return a value for use as data: strings cleaned and cut, containers if they are small, else what `shown` says."""
    if type(value) is str:
        return value if len(value) <= most and value.isprintable() else _cut(clean(value[:most]), most)
    if value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() < 80):
        return value
    return value if isinstance(value, (dict, list)) and compact(value, most) else shown(value)


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


def says_nothing(value: Any) -> bool:
    """Return whether a value is a text that says that there is no value."""
    return isinstance(value, str) and len(value) < 12 and value.strip().lower() in NO_VALUE


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


FULL, BRIEF, BARE = range(3)
"""How much a line says: with descriptions; without; without the listed values, too."""


class Sentence(NamedTuple):
    """What is wrong and what to send."""

    core: str
    asks: bool = False
    """Whether it is a question."""
    orders: bool = False
    """Whether it begins with what to do, so that another order can go before it."""
    listed: str = ""
    """A list, with what it is of: `Allowed: low, high`."""
    description: str = ""
    """What the schema says of the place."""

    def text(self, level: int = FULL) -> str:
        """Return the parts that a level has, without a stop at the end."""
        core = f"{self.core}?" if self.asks and self.core else self.core
        listed = self.listed if level < BARE else ""
        quoted = described(self.description) if self.description and level == FULL else ""
        return joined([part for part in (core, listed, quoted) if part])

    def whole(self) -> str:
        """Return all of it, with its stop."""
        text = self.text()
        only = not self.listed and not self.description
        return text if not text or (self.asks and only) else f"{text}."


def described(description: str) -> str:
    """Return a schema's description as a part of a line."""
    quoted = description.replace('"', "'")
    return f'Description: "{quoted}"'


def joined(parts: list[str]) -> str:
    """Return parts with stops between them; a question has its own mark."""
    return " ".join([*(p if p.endswith("?") else f"{p}." for p in parts[:-1]), *parts[-1:]])


def keys_text(keys: Sequence[str]) -> str:
    """Return `title, body and labels`."""
    return enumerated([*map(choice, keys)])


def enumerated(texts: Sequence[str], most: int = MAX_SHOWN) -> str:
    """Return texts with commas and a last "and"; of more than `most`, how many more."""
    more = len(texts) - most
    parts = [*texts[:most], f"{more} more"] if more > 0 else texts
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def skeleton(value: Any, node: SchemaNode, depth: int = 0) -> str:
    """Return a value's keys, and what the schema lists: `{"kind":"a","to":{"name":…}}`; of lists the first item."""
    if depth < MAX_LEVELS and isinstance(value, dict) and value:
        members = [
            f"{name_shown(k)}:{skeleton(v, node.child(k), depth + 1)}"
            for k, v in [*value.items()][:MAX_SHOWN]
        ]
        return f"{{{','.join(members)}{',…' if len(value) > MAX_SHOWN else ''}}}"
    if depth < MAX_LEVELS and isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return f"[{skeleton(value[0], node.child(0), depth + 1)}{',…' if len(value) > 1 else ''}]"
    listed = (
        isinstance(value, str)
        and node.allowed
        and not node.schema.has_secrets
        and is_one_of(value, node.allowed)
    )
    return shown(value) if listed else "…"
