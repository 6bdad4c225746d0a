"""Dates and times in other notations: `05/25/2026`, `May 1, 2026`, `2026-05-01 10:00`, `20260501`, Unix times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING

MAX_TEXT = 60
_QUOTED = re.compile(r"\s*(['\"`]?)\s*(\S|\S.*\S)\s*\1\s*", re.DOTALL)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s+)?"
_DATES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})([-/._])(?P<month>\d{1,2})\2(?P<day>\d{1,2})",
        r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)",
        rf"{_WEEKDAY}{_NAME}\s+{_DAY},?\s+{_YEAR}",
        rf"{_WEEKDAY}{_DAY}[\s-]+{_NAME}[\s,-]+{_YEAR}",
        r"(?P<month>\d{1,2})([-/.])(?P<day>\d{1,2})\2(?P<year>\d{4})",
    )
]
"""The forms of a date; in the last one, day and month may be swapped."""
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?P<part>[.,]\d{1,9})?)?)?"
    r"\s?(?P<half>[ap]\.?m\.?)?\s?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"(.*?\d)(?:T|[\s_,]+(?:at\s+)?)(\d{1,2}(?::.*|\s?[ap]\.?m\.?.*|\d{4}.*))", re.IGNORECASE)
_ISO = re.compile(
    r"\bISO[ -]?8601|\bISO (?:format|date|time)|\bRFC[ -]?3339|YYYY-MM-DD|\bdate-?time\b", re.IGNORECASE
)
_YEAR_2000, _YEAR_2100 = 946_684_800, 4_102_444_800
_DATE_PATTERN = re.compile(r"\^?\(?(?:\\d|\[0-9\])\{4\}-(?:\\d|\[0-9\])\{2\}-(?:\\d|\[0-9\])\{2\}\)?\$?")
"""Matches the `pattern` of a date in a schema without a `format`."""


def readings_of_form(node: SchemaNode, got: str) -> Iterator[Reading]:
    """Yield the texts that may be meant by one that fails a format or pattern."""
    if (quoted := _QUOTED.fullmatch(got)) is not None and quoted[2] != got:
        yield Reading("set", quoted[2])
        return
    name = node.first("format", str) or ""
    if not name and _DATE_PATTERN.fullmatch(node.first("pattern", str) or ""):
        name = "date"
    if len(got) > MAX_TEXT or name not in ("date", "date-time", "time"):
        return
    found = [text for text in written(got, name) if text != got]
    if not found and got.isdigit() and (time := iso_time(node, int(got))) is not None:
        found = [time]
    if found:
        yield Reading("set", found[0], len(found) == 1, other=found[1] if len(found) == 2 else MISSING)


def written(text: str, name: str) -> list[str]:
    """Return the dates or times of a format that a text may mean: two if day and month may be swapped.

    A time without a zone is in UTC; a date without a time means midnight.

    >>> written("May 1, 2026", "date"), written("05/01/2026", "date"), written("2026-05-01 at 4 pm", "date-time")
    (['2026-05-01'], ['2026-05-01', '2026-01-05'], ['2026-05-01T16:00:00Z'])
    """
    text = text.strip()
    if name == "time":
        return [time] if (time := _time(text)) else []
    parts = _SPLIT.fullmatch(text)
    if name == "date":
        return [*_dates(text)] or [*_dates(parts[1] if parts else "")]
    if parts is None:
        return [f"{day}T00:00:00Z" for day in _dates(text)]
    time = _time(parts[2].strip())
    return [f"{day}T{time}" for day in _dates(parts[1])] if time else []


def _time(text: str) -> str:
    """Return the time of day of a text in RFC 3339's form, or `""` if it is not a time."""
    match = _CLOCK.fullmatch(text)
    if match is None or not (match["half"] or (match["minute"] and (":" in text or match["second"]))):
        return ""
    hour, minute, second = int(match["hour"]), match["minute"] or "00", match["second"] or "00"
    if match["half"]:
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0) if 1 <= hour <= 12 else 24
    if hour > 23 or int(minute) > 59 or int(second) > 59:
        return ""
    zone, part = match["zone"] or "", (match["part"] or "").replace(",", ".")
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = f"{zone[0]}{digits[:2]}:{digits[2:]}" if zone[:1] in ("+", "-") and digits != "0000" else "Z"
    return f"{hour:02}:{minute}:{second}{part}{offset}"


def _dates(text: str) -> Iterator[str]:
    """Yield the valid dates that a text may mean, in RFC 3339's form."""
    text = text.strip(" ,")
    match = next((match for form in _DATES if (match := form.fullmatch(text)) is not None), None)
    if match is None:
        return
    said, day = match["month"].lower()[:3], int(match["day"])
    month = int(said) if said.isdigit() else _MONTHS.index(said) + 1
    orders = [(month, day)]
    if match.re is _DATES[-1]:
        orders = [(month, day), (day, month)] if "/" in text else [(day, month), (month, day)]
    for order in dict.fromkeys(orders):
        try:
            yield date(int(match["year"]), *order).isoformat()
        except ValueError:
            continue


def iso_time(node: SchemaNode, number: Any) -> str | None:
    """Return a Unix time (seconds or milliseconds) as a date or time, if the schema asks for one; else None."""
    if type(number) not in (int, float) or not _YEAR_2000 <= number < 1000 * _YEAR_2100:
        return None
    name = node.first("format", str)
    if name not in ("date", "date-time") and not _ISO.search(node.first("description", str) or ""):
        return None
    seconds = number / 1000 if number >= 1000 * _YEAR_2000 else number
    if not _YEAR_2000 <= seconds < _YEAR_2100:
        return None
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="auto").replace("+00:00", "Z")
    return text[:10] if name == "date" else text
