"""What a text can mean where a number is wanted: with units, signs and words, as far as the schema explains them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.values.time_formats import unix_time
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type

MAX_TEXT = 40
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
_ABOUT_A_NUMBER = re.compile(
    r"[$€£~#]?\s*(-?[0-9]{1,3}(?:,[0-9]{3})+|-?[0-9]{1,15})(\.[0-9]{1,15})?\s*([a-zA-Z%°]{0,12})"
)
_TIMES = {
    "ms": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
_SIZES = {"byte": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}
_ALIASES = {
    alias: unit
    for unit, aliases in {
        "ms": "msec milli millis millisecond milliseconds",
        "second": "s sec secs seconds",
        "minute": "m min mins minutes",
        "hour": "h hr hrs hours",
        "day": "d days",
        "week": "w weeks",
        "byte": "b bytes",
        "kb": "k",
    }.items()
    for alias in aliases.split()
}
_UNITS = frozenset((*_TIMES, *_SIZES, *_ALIASES, "month", "months", "year", "years", "y", "g"))
"""Units of which a field can have another one."""
_UNIT_SAID = re.compile(
    r"\b(milliseconds?|millis|ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|bytes|[KMG]B)\b",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"[$€£]|[A-Za-z]")
_MONEY = frozenset(("", "usd", "eur", "gbp", "dollar", "dollars", "euro", "euros"))
_CENTS = re.compile(
    r"\bcents?\b|\bsmallest (?:currency )?unit|\bminor (?:currency )?units?\b|\bpence\b", re.IGNORECASE
)


def readings_of_number_text(
    node: SchemaNode, text: str, wanted: Sequence[str], name: str
) -> Iterator[Reading]:
    """Yield what a text can mean as a number; `name` is the field's."""
    number = number_in(text, wanted)
    if number is not None and text.endswith("%") and node.first("maximum", (int, float)) == 1:
        yield Reading("set", number.value / 100)
    elif number is not None and not number.certain and _in_cents(node, name):
        cents = cents_of(node, number.value, name)
        first, other = (cents, number.value) if _CURRENCY.search(text) else (number.value, cents)
        yield number._replace(value=first, other=other)
    elif number is not None:
        yield number
    elif (time := unix_time(node, text)) is not None:
        yield Reading("set", time)
    elif len(text) <= MAX_TEXT and (value := _explained(node, text, wanted, name)) is not None:
        yield Reading("set", value)


def number_in(text: str, wanted: Sequence[str]) -> Reading | None:
    """Return the number that a text says by itself, where one is wanted."""
    certain = _NUMBER.fullmatch(text) is not None
    if not certain:
        match = _ABOUT_A_NUMBER.fullmatch(text) if len(text) < MAX_TEXT else None
        if match is None:
            return None
        if match[1].lstrip("-").startswith("0") != (match[1].lstrip("-") == "0"):
            return None
        if match[3] and match[3].lower() in _UNITS:
            return None  # The field may be in another unit.
        text = match[1].replace(",", "") + (match[2] or "")
    return _reading(int(text) if _INTEGER.fullmatch(text) else float(text), wanted, certain=certain)


def _reading(value: float, wanted: Sequence[str], *, certain: bool) -> Reading | None:
    if "number" not in wanted:
        if json_type(value) != "integer" or "integer" not in wanted:
            return None
        value = int(value)
    return Reading("set", value, certain, "parsed")


def cents_of(node: SchemaNode, amount: float, name: str) -> int | None:
    """Return an amount of money in the hundredths that a field is in; None where it does not say so."""
    hundredths = amount * 100
    if not (math.isfinite(hundredths) and _in_cents(node, name)):
        return None
    cents = round(hundredths)
    return cents if abs(cents - hundredths) < 1e-6 else None


def _in_cents(node: SchemaNode, name: str) -> bool:
    return "cent" in words_of(name) or _CENTS.search(node.first("description", str) or "") is not None


def _explained(node: SchemaNode, text: str, wanted: Sequence[str], name: str) -> int | float | None:
    """Return the number that a text means by what the schema says: another unit, or a word for a number."""
    if (coded := _coded(node.first("description", str) or "", text)) is not None:
        return coded if admits(tuple(wanted), "integer") else None
    match = _ABOUT_A_NUMBER.fullmatch(text)
    if match is None:
        return None
    amount, unit = float(match[1].replace(",", "") + (match[2] or "")), match[3].lower()
    value = cents_of(node, amount, name) if unit in _MONEY else _converted(amount, unit, _unit_of(node, name))
    if value is None or ("number" not in wanted and value != int(value)):
        return None
    return int(value) if value == int(value) else value


def _converted(amount: float, unit: str, wanted: str) -> float | None:
    unit = _ALIASES.get(unit, unit)
    for table in (_TIMES, _SIZES):
        if unit in table and wanted in table:
            return amount * table[unit] / table[wanted]
    return None


def _unit_of(node: SchemaNode, name: str) -> str:
    """Return the unit that a field is in, by its name or description; `""` where neither says one."""
    last = words_of(name)[-1:]
    named = _ALIASES.get(last[0], last[0]) if last and len(last[0]) > 1 else ""
    if named in _TIMES or named in _SIZES:
        return named
    said: set[str] = {u.lower() for u in _UNIT_SAID.findall((node.first("description", str) or "")[:400])}
    units = {_ALIASES.get(u, u) for u in said}
    return units.pop() if len(units) == 1 else ""


def _coded(described: str, word: str) -> int | None:
    """Return the number that a description gives a word: `2 high`, `high=2`, `2 - high`, `high (2)`."""
    if len(described) > 4000 or word.casefold() not in described.casefold():
        return None
    if not re.fullmatch(r"[A-Za-z][\w -]{1,30}", word):
        return None
    name = re.escape(word)
    before = re.findall(rf"(?<![\w.])(\d{{1,6}})\s?[=:)(\u2013-]?\s?['\"]?{name}\b", described, re.IGNORECASE)
    after = re.findall(
        rf"\b{name}['\"]?\s?(?:[=:(\u2013-]|is)\s?(\d{{1,6}})(?![\w.])", described, re.IGNORECASE
    )
    found: set[Any] = {int(n) for n in (after or before)}
    return found.pop() if len(found) == 1 else None
