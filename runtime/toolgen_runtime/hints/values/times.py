"""Dates and times in other notations: `05/25/2026`, `May 1, 2026`, `2026-05-01 10:00`, `20260501`, Unix times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING

MAX_TEXT = 60
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
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
    )
]
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
"""Day and month in either order."""
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?P<part>[.,]\d{1,9})?)?)?\s?(?P<half>[ap]\.?m\.?)?"
    r"\s?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.IGNORECASE,
)
_BASIC_TIME = re.compile(r"(\d\d)(\d\d)(\d\d)(Z|[+-]\d\d:?\d\d)?")
_SPLIT = re.compile(r"(.*?\d)(?:T|[\s_,]+(?:at\s+)?)(\d{1,2}(?::.*|\s?[ap]\.?m\.?.*|\d{4}.*))", re.IGNORECASE)
_ISO = re.compile(
    r"\bISO[ -]?8601|\bISO (?:format|date|time)|\bRFC[ -]?3339|YYYY-MM-DD|\bdate-?time\b", re.IGNORECASE
)
_YEAR_2000, _YEAR_2100 = 946_684_800, 4_102_444_800
_DATE_PATTERN = re.compile(r"\^?\(?(?:\\d|\[0-9\])\{4\}-(?:\\d|\[0-9\])\{2\}-(?:\\d|\[0-9\])\{2\}\)?\$?")
"""Patterns of a date, which name no format."""


class Moment(NamedTuple):
    """A date or time as RFC 3339 writes it."""

    text: str
    certain: bool
    """Whether nothing but the notation was another."""


def as_date(text: str) -> list[Moment]:
    """Return the dates that a text may mean: two where day and month may be either.

    >>> [m.text for m in as_date("May 1, 2026")], [m.text for m in as_date("05/01/2026")]
    (['2026-05-01'], ['2026-05-01', '2026-01-05'])
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        return []
    found = [*_dates(text)]
    if not found and (parts := _SPLIT.fullmatch(text)) is not None:
        found = [*_dates(parts[1])]
    return [Moment(date, False) for date in found]


def as_date_time(text: str) -> list[Moment]:
    """Return the times that a text may mean, in UTC where it names no zone; midnight where it is a date alone."""
    text = text.strip()
    if len(text) > MAX_TEXT:
        return []
    parts = _SPLIT.fullmatch(text)
    if parts is None:
        return [Moment(f"{date}T00:00:00Z", False) for date in _dates(text)]
    time = as_time(parts[2].strip())
    if time is None:
        return []
    dates = [*_dates(parts[1])]
    certain = time.certain and len(dates) == 1 and dates[0] == parts[1]
    return [Moment(f"{date}T{time.text}", certain) for date in dates]


def as_time(text: str) -> Moment | None:
    """Return the time of day that a text means; None where it is none."""
    if (basic := _BASIC_TIME.fullmatch(text)) is not None:
        text = f"{basic[1]}:{basic[2]}:{basic[3]}{basic[4] or ''}"
    match = _TIME.fullmatch(text)
    if match is None or not (match["minute"] or match["half"]):
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
    minute, second = match["minute"] or "00", match["second"] or "00"
    if hour > 23 or int(minute) > 59 or int(second) > 59:
        return None
    zone = match["zone"] or ""
    part = (match["part"] or "").replace(",", ".")
    return Moment(f"{hour:02}:{minute}:{second}{part}{_offset(zone)}", bool(zone and match["minute"]))


def _offset(zone: str) -> str:
    if not zone or zone[0] not in "+-":
        return "Z"
    digits = zone[1:].replace(":", "").ljust(4, "0")
    if digits == "0000":
        return "Z"
    return f"{zone[0]}{digits[:2]}:{digits[2:]}"


def _dates(text: str) -> Iterator[str]:
    """Yield the valid dates that a text is, in RFC 3339's form."""
    text = text.strip(" ,")
    for form in _DATES:
        if (match := form.fullmatch(text)) is not None:
            month = match["month"].lower()[:3]
            number = int(month) if month.isdigit() else _MONTHS.index(month) + 1
            yield from _valid(int(match["year"]), number, int(match["day"]))
            return
    if (match := _NUMERIC.fullmatch(text)) is not None:
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        orders = [(first, second), (second, first)] if match[2] == "/" else [(second, first), (first, second)]
        for month, day in dict.fromkeys(orders):
            yield from _valid(year, month, day)


def _valid(year: int, month: int, day: int) -> Iterator[str]:
    try:
        yield date(year, month, day).isoformat()
    except ValueError:
        return


def iso_time(node: SchemaNode, number: Any) -> str | None:
    """Return a Unix time, in seconds or milliseconds, as the date or time that a place wants; else None."""
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


def readings_of_form(node: SchemaNode, got: str) -> Iterator[Reading]:
    """Yield the text that was meant where a format or pattern does not admit the one that was sent."""
    trimmed = got.strip()
    if len(trimmed) > 2 and trimmed[0] == trimmed[-1] and trimmed[0] in "\"'`":
        trimmed = trimmed[1:-1].strip()
    if trimmed != got and trimmed:
        yield Reading("set", trimmed, True, "spelling")
        return
    read = _FORMS.get(_format_of(node))
    if read is None:
        return
    moments = [m for m in read(got) if m.text != got]
    if not moments and trimmed.isdigit() and (time := iso_time(node, int(trimmed))) is not None:
        moments = [Moment(time, False)]
    if moments:
        other = moments[1].text if len(moments) == 2 else MISSING
        yield Reading(
            "set", moments[0].text, moments[0].certain and len(moments) == 1, "spelling", other=other
        )


def _format_of(node: SchemaNode) -> str:
    name = node.first("format", str)
    if name is None and _DATE_PATTERN.fullmatch(node.first("pattern", str) or ""):
        return "date"
    return name or ""


def _time(text: str) -> list[Moment]:
    found = as_time(text)
    return [] if found is None else [found]


_FORMS: dict[str, Callable[[str], list[Moment]]] = {"date": as_date, "date-time": as_date_time, "time": _time}
