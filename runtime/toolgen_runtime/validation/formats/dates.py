"""`date`, `time` and `date-time` (RFC 3339 section 5.6)."""

from __future__ import annotations

from datetime import date, datetime

from toolgen_runtime.validation.lazy_functions import full_match

# datetime reads the common forms correctly, in C and without `re`; the patterns decide the rest.
_read_date = date.fromisoformat
_read_date_time = datetime.fromisoformat

_DAY = (
    r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"|(?:0[13-9]|1[0-2])-(?:29|30)"
    r"|(?:0[13578]|1[02])-31"
    r"|02-29)"
)
_DATE = rf"[0-9]{{4}}-{_DAY}"
_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]++|)"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)

_date = full_match(lambda: _DATE)
_time = full_match(lambda: _TIME)
_date_time = full_match(lambda: f"{_DATE}[Tt]{_TIME}")


def is_date(text: str) -> bool:
    """Return whether a text is a `full-date`: a day of the Gregorian calendar, years 0000 to 9999."""
    try:
        _read_date(text)
        if text[7] == "-":  # true for YYYY-MM-DD only, among the forms of ISO 8601
            return True
    except (ValueError, IndexError):
        pass
    return _date(text) is not None and ("-02-29" not in text or _is_leap_year(text))


def is_time(text: str) -> bool:
    """Return whether a text is a `full-time`, with an offset; second 60 is only valid at 23:59 UTC."""
    return _time(text) is not None and (":60" not in text or _minute_in_utc(text) == _LAST_MINUTE)


def is_date_time(text: str) -> bool:
    """Return whether a text is a `date-time`.

    Second 60 is only valid in the last minute of a month in UTC (section 5.7, appendix D).
    """
    # YYYY-MM-DDThh:mm:ss with Z, milliseconds and Z, or an offset. Of these, datetime wrongly accepts minutes
    # above 59 in an offset, and 24:00:00.
    size = len(text)
    if (
        (size == 20 and text[4::3] == "--T::Z")
        or (size == 24 and text[4:20:3] == "--T::." and text[23] == "Z")
        or (size == 25 and text[4::3] in ("--T::+:", "--T::-:") and text[23] < "6")
    ) and "T24" not in text:
        try:
            _read_date_time(text)
            return True
        except ValueError:
            pass
    if _date_time(text) is None or ("-02-29" in text and not _is_leap_year(text)):
        return False
    return ":60" not in text or _ends_a_month(text)


_LAST_MINUTE = 23 * 60 + 59


def _is_leap_year(date: str) -> bool:
    year = int(date[:4])
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _minute_in_utc(time: str) -> int:
    """Return the minute of the UTC day, 0 to 1439, of a well-formed `full-time`."""
    return _minutes_since_midnight(time) % (24 * 60)


def _minutes_since_midnight(time: str) -> int:
    """Return the minutes in UTC since the local midnight: below 0 or above 1439 if UTC has another day."""
    minutes = int(time[:2]) * 60 + int(time[3:5])
    if time[-1] in "Zz":
        return minutes
    offset = int(time[-5:-3]) * 60 + int(time[-2:])
    return minutes - offset if time[-6] == "+" else minutes + offset


def _ends_a_month(text: str) -> bool:
    """Return whether a well-formed `date-time` is in the last minute of a month in UTC."""
    days, minute = divmod(_minutes_since_midnight(text[11:]), 24 * 60)
    if minute != _LAST_MINUTE:
        return False
    # The next day in UTC must be the first of a month; the local date differs by at most one day.
    month, day = int(text[5:7]), int(text[8:10]) + days + 1
    return day in (1, _days_in(month, text) + 1)


def _days_in(month: int, date: str) -> int:
    if month == 2:
        return 29 if _is_leap_year(date) else 28
    return 30 if month in (4, 6, 9, 11) else 31
