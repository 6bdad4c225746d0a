"""The formats `date`, `time` and `date-time` (RFC 3339 section 5.6)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from sys import version_info

from toolgen_runtime.validation.patterns import full_match

# datetime reads the common forms correctly, in C and without `re`; the patterns decide the rest.
_read_date = date.fromisoformat
_read_date_time = datetime.fromisoformat
_READS_24 = version_info >= (3, 13)
"""Whether `datetime` may read 24:00:00, which RFC 3339 does not have."""

_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]++|)"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_year_0 = full_match(lambda: "0000-[0-9]{2}-[0-9]{2}")
_time = full_match(lambda: _TIME)
_date_time = full_match(lambda: f"[0-9-]{{10}}[Tt]{_TIME}")


def is_date(text: str) -> bool:
    """Return whether a string is a `full-date`: a day of the Gregorian calendar in the years 0000 to 9999."""
    try:
        _read_date(text)
        return text[7] == "-"  # true for YYYY-MM-DD only, among the forms of ISO 8601
    except (ValueError, IndexError):
        return _year_0(text) is not None and is_date("2000" + text[4:])


def is_time(text: str) -> bool:
    """Return whether a string is a `full-time` with an offset. Second 60 is valid only at 23:59 UTC."""
    return _time(text) is not None and (":60" not in text or _next_minute("2000-01-01", text)[1] == 0)


def is_date_time(text: str) -> bool:
    """Return whether a string is a `date-time`.

    Second 60 is valid only in the last minute of a month in UTC (section 5.7, appendix D).
    """
    try:
        _read_date_time(text)
        # `datetime` reads more, such as other separators and minutes above 59 in an offset. Every third character shows
        # YYYY-MM-DDThh:mm:ss with Z, milliseconds and Z, or an offset. The pattern decides the rest.
        shape = text[7::3]
        if _READS_24 and "T24" in text:
            return False
        if shape == "-T::Z":
            if len(text) == 20:  # `datetime` reads "Z\0"
                return True
        elif shape == "-T::+:" or shape == "-T::-:":
            if text[23] < "6":
                return True
        elif "-T::." in shape and len(text) == 24 and text[23] == "Z":
            return True
    except ValueError:
        pass
    if _date_time(text) is None or not is_date(text[:10]):
        return False
    return ":60" not in text or _next_minute(text[:10], text[11:]) == (1, 0)


def _next_minute(date: str, time: str) -> tuple[int, int]:
    """Return the day of the month and the minute of the day in UTC that follow a well-formed time."""
    if time[-1] in "Zz":
        offset = "Z"
    else:
        offset = time[-6:]
    # A year of the same calendar, whose neighbours `datetime` supports too.
    local = datetime.fromisoformat(f"{int(date[:4]) % 400 + 2000}{date[4:]}T{time[:5]}{offset}")
    after = local.astimezone(UTC) + timedelta(minutes=1)
    return after.day, after.hour * 60 + after.minute
