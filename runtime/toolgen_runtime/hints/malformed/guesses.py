"""Arguments in other notations: calls, tags, lines of `key: value`. What they hold is likely, not certain.

Types are guessed: `3` is a number, though it may have been meant as a text.
"""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.hints.malformed.relaxed import to_json
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.json_text import read

MAX_TEXT = 100_000
MAX_FIELDS = 100

_CALL = re.compile(r"[A-Za-z_][\w.]*\s?\((.*)\)[\s;]*", re.DOTALL)
_KEYWORD = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*=(?!=)")
_STRING = re.compile(r"(\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+')", re.DOTALL)
_PARAMETER = re.compile(r"<parameter(?: name)?=[\"']?([\w.-]{1,100})[\"']?>")
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)>([^<>]*)</\1>")
_LINE = re.compile(r"(?:-[ \t]+)?[\"']?([A-Za-z_][\w.-]*)[\"']?[ \t]*(?::(?=[ \t]|\Z)|=)[ \t]*(.*)")


def guess(text: str) -> dict[str, Any] | None:
    """Return the fields that a text in another notation gives; None where it gives none, or one twice."""
    text = text.strip()
    if len(text) > MAX_TEXT:
        return None
    if (call := _CALL.fullmatch(text)) is not None:
        return _keywords(call[1])
    if text.startswith("<"):
        return _fields(_parameters(text) or _ELEMENT.findall(text))
    lines = [line for line in re.split(r"[\n&]" if "\n" not in text else r"\n", text) if line.strip()]
    found = [_LINE.fullmatch(line) for line in lines[: MAX_FIELDS + 1]]
    return _fields([(line[1], line[2]) for line in found if line is not None]) if all(found) else None


def _parameters(text: str) -> list[tuple[str, str]]:
    """Return the parameters of a call in tags."""
    *parts, _ = text.split("</parameter>")
    tagged = [(part, tag) for part in parts if (tag := _PARAMETER.search(part)) is not None]
    return [(tag[1], part[tag.end() :]) for part, tag in tagged]


def _keywords(text: str) -> dict[str, Any] | None:
    """Return the arguments of a call that are given by name, each a literal."""
    pieces = _outside_of_strings("{" + text + "}")
    strict = to_json("".join(_KEYWORD.sub(r'\1"\2":', p) if is_code else p for p, is_code in pieces))
    value, issues = read(strict) if strict is not None else (None, True)
    return value if not issues and isinstance(value, dict) and value else None


def _outside_of_strings(text: str) -> list[tuple[str, bool]]:
    """Return the parts of a text, and whether each is code, not a string."""
    return [(piece, n % 2 == 0) for n, piece in enumerate(_STRING.split(text))]


def _fields(pairs: list[tuple[str, str]]) -> dict[str, Any] | None:
    if not pairs or len(pairs) > MAX_FIELDS or len({name for name, _ in pairs}) < len(pairs):
        return None
    values = {name: _value(text.strip()) for name, text in pairs}
    return None if MISSING in values.values() else values


def _value(text: str) -> Any:
    """Return a value as JSON or Python write it, or a text; `MISSING` where it begins as what it is not."""
    strict = to_json(text) if text else None
    value, issues = read(strict) if strict else (text, True)
    if not issues:
        return value
    return MISSING if text[:1] in tuple("{[\"'") else text
