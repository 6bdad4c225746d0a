"""`date`, `time`, `date-time` (RFC 3339 section 5.6) and `duration` (its appendix A)."""

from __future__ import annotations

import re
from datetime import date, datetime

# What datetime reads of the common forms it reads right, and in C; all else is for the patterns to tell.
_read_date = date.fromisoformat
_read_date_time = datetime.fromisoformat

_DAY = (
    r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|[12][0-9]))"
)
_DATE = rf"[0-9]{{4}}-{_DAY}"
_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]++)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)

_date = re.compile(_DATE).fullmatch
_time = re.compile(_TIME).fullmatch
_date_time = re.compile(f"{_DATE}[Tt]{_TIME}").fullmatch

_TIME_PART = r"T(?:[0-9]++H(?:[0-9]++M(?:[0-9]++S)?)?|[0-9]++M(?:[0-9]++S)?|[0-9]++S)"
_DATE_PART = r"(?:[0-9]++Y(?:[0-9]++M(?:[0-9]++D)?)?|[0-9]++M(?:[0-9]++D)?|[0-9]++D)"
# The letters of an ABNF may stand in either case (RFC 5234 section 2.3).
_duration = re.compile(
    rf"P(?:[0-9]++W|{_DATE_PART}(?:{_TIME_PART})?|{_TIME_PART})", re.ASCII | re.IGNORECASE
).fullmatch


def is_date(text: str) -> bool:
    """`full-date`: a day of the Gregorian calendar, years 0000 to 9999."""
    if len(text) == 10 and text[4] == "-" == text[7]:
        try:
            _read_date(text)
        except ValueError:
            pass
        else:
            return True
    return _date(text) is not None and (text[5:] != "02-29" or _is_leap_year(text))


def is_time(text: str) -> bool:
    """`full-time`: a time with its offset; second 60 only where it is 23:59 in UTC."""
    return _time(text) is not None and (text[6:8] != "60" or _minute_in_utc(text) == _LAST_MINUTE)


def is_date_time(text: str) -> bool:
    """`date-time`; second 60 only in the last minute, in UTC, of a month (section 5.7, appendix D)."""
    if _is_common(text):
        try:
            _read_date_time(text)
        except ValueError:
            pass
        else:
            return True
    if _date_time(text) is None:
        return False
    if text[5:10] == "02-29" and not _is_leap_year(text):
        return False
    return text[17:19] != "60" or _ends_a_month(text)


def _is_common(text: str) -> bool:
    """Whether a text is spelt `YYYY-MM-DDThh:mm:ssZ`, as far as its length and punctuation tell."""
    return (
        len(text) == 20
        and text[10] == "T"
        and text[19] == "Z"
        and text[4] == "-" == text[7]
        and text[13] == ":" == text[16]
        and text[11:13] != "24"  # midnight as 24:00:00 is ISO 8601 and not RFC 3339
    )


def is_duration(text: str) -> bool:
    """`duration`: units in order, none left out in between, no fractions, weeks alone."""
    return _duration(text) is not None


_LAST_MINUTE = 23 * 60 + 59


def _is_leap_year(date: str) -> bool:
    year = int(date[:4])
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _minute_in_utc(time: str) -> int:
    """The minute of the UTC day, 0 to 1439, of a well-formed `full-time`."""
    return _minutes_since_midnight(time) % (24 * 60)


def _minutes_since_midnight(time: str) -> int:
    """UTC minutes since midnight of the local day: negative or above 1439 where UTC has another day."""
    minutes = int(time[:2]) * 60 + int(time[3:5])
    if time[-1] in "Zz":
        return minutes
    offset = int(time[-5:-3]) * 60 + int(time[-2:])
    return minutes - offset if time[-6] == "+" else minutes + offset


def _ends_a_month(text: str) -> bool:
    """Whether a well-formed `date-time` lies in the last minute of a month of UTC."""
    days, minute = divmod(_minutes_since_midnight(text[11:]), 24 * 60)
    if minute != _LAST_MINUTE:
        return False
    # The day after in UTC must be a first: the local date is at most one day off.
    month, day = int(text[5:7]), int(text[8:10]) + days + 1
    return day in (1, _days_in(month, text) + 1)


def _days_in(month: int, date: str) -> int:
    if month == 2:
        return 29 if _is_leap_year(date) else 28
    return 30 if month in (4, 6, 9, 11) else 31
