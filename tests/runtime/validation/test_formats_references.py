"""The `format` predicates that are more than one pattern against plain references, written without haste."""

from __future__ import annotations

import ipaddress
import json
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from helpers.support import TEST_DATA
from hypothesis import given, strategies as st

from toolgen_runtime.validation.formats import format_check

TABLE: dict[str, dict[str, list[str]]] = json.loads((TEST_DATA / "formats.json").read_text("utf-8"))


def is_date(text: str) -> bool:
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    year, month, day = map(int, text.split("-"))
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 2000, month)[1]  # the year 0 is a leap year


def is_time(text: str) -> bool:
    return _minute_in_utc("2001-01-01", text) is not None


def is_date_time(text: str) -> bool:
    date, time = text[:10], text[11:]
    if not is_date(date) or text[10:11] not in ("T", "t"):
        return False
    moment = _minute_in_utc(date, time)
    return moment is not None and (":60" not in time or (moment + timedelta(minutes=1)).day == 1)


def _minute_in_utc(date: str, time: str) -> datetime | None:
    """When a well-formed time is; None where it is none, or has second 60 at another minute than 23:59."""
    found = re.fullmatch(
        r"([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|([+-])([0-9]{2}):([0-9]{2}))", time
    )
    if found is None:
        return None
    hour, minute, second = map(int, found.group(1, 2, 3))
    away_hours, away_minutes = map(int, found.group(7, 8)) if found[6] else (0, 0)
    if max(hour, away_hours) > 23 or max(minute, away_minutes) > 59 or second > 60:
        return None
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
    # Other years have the same calendar, and neighbours that datetime knows.
    local = datetime(year % 400 + 2000, month, day, hour, minute, tzinfo=UTC)
    away = timedelta(hours=away_hours, minutes=away_minutes)
    moment = local - away if found[6] == "+" else local + away
    return moment if second < 60 or (moment.hour, moment.minute) == (23, 59) else None


def is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(part in map(str, range(256)) for part in parts)


def is_ipv6(text: str) -> bool:
    if "%" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _uri_grammar() -> tuple[str, str]:
    """`URI` and `relative-ref` of RFC 3986 appendix A; group `ip` is the address of a literal."""
    unreserved, sub_delims, percent = r"A-Za-z0-9\-._~", "!$&'()*+,;=", "%[0-9A-Fa-f]{2}"
    pchar = f"(?:[{unreserved}{sub_delims}:@]|{percent})"
    segment_nz_nc = f"(?:[{unreserved}{sub_delims}@]|{percent})+"
    reg_name = f"(?:[{unreserved}{sub_delims}]|{percent})*"
    literal = rf"\[(?:(?P<ip>[0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[{unreserved}{sub_delims}:]+)\]"
    userinfo = f"(?:[{unreserved}{sub_delims}:]|{percent})*"
    authority = f"(?:{userinfo}@)?(?:{literal}|{reg_name})(?::[0-9]*)?"
    abempty, absolute = f"(?:/{pchar}*)*", f"/(?:{pchar}+(?:/{pchar}*)*)?"
    rootless, noscheme = f"{pchar}+(?:/{pchar}*)*", f"{segment_nz_nc}(?:/{pchar}*)*"
    rest = rf"(?:\?(?:{pchar}|[/?])*)?(?:#(?:{pchar}|[/?])*)?"
    hier = f"(?://{authority}{abempty}|{absolute}|{rootless}|){rest}"
    return f"[A-Za-z][A-Za-z0-9+.-]*:{hier}", f"(?://{authority}{abempty}|{absolute}|{noscheme}|){rest}"


_URI, _RELATIVE = map(re.compile, _uri_grammar())


def _is_uri_of(grammar: re.Pattern[str], text: str) -> bool:
    found = grammar.fullmatch(text)
    return found is not None and (found["ip"] is None or is_ipv6(found["ip"]))


def is_uri(text: str) -> bool:
    return _is_uri_of(_URI, text)


def is_uri_reference(text: str) -> bool:
    return _is_uri_of(_URI, text) or _is_uri_of(_RELATIVE, text)


REFERENCES: dict[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "time": is_time,
    "uri": is_uri,
    "uri-reference": is_uri_reference,
}

_PIECES = (
    "0 1 2 3 5 6 9 00 24 60 a f g z A Z - + . , : / ? # [ ] @ % %41 %4 ~ ~0 ~2 { } ( ) \\ ; = T t D M H W S Y "
    'é ٣ \ud800 \n \x00 -- .. 02-29 02-30 :60 23:59:60 24:00:00 Z .5Z +23:59 :: ::1 1.2.3.4 256 // user@ v1.x " * 1:2'
)
_edits = st.tuples(st.integers(0, 60), st.integers(0, 4), st.sampled_from(["", *_PIECES.split(" ")]))
_GOOD = {
    "date": ["2024-05-15", "2024-02-29", "2023-12-31", "0000-02-29"],
    "date-time": [
        *("2024-05-15T12:34:56Z", "2024-12-31T23:59:60.123Z", "2024-05-15T12:34:56.123Z"),
        *("2024-05-15T12:34:56+02:00", "2024-12-31T23:59:59.123456Z", "1999-12-31T15:59:60-08:00"),
    ],
    "ipv4": ["192.168.100.21", "255.255.255.255"],
    "ipv6": ["2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"],
    "time": ["12:34:56Z", "23:59:60Z", "12:34:56.123+02:00", "15:59:60-08:00"],
    "uri": [
        "https://www.example.com/a/b?c=d#e",
        "http://u:p@[::1]:80/%41",
        "http://a:80",
        "urn:a:b",
        "a://b@c:1/",
    ],
    "uri-reference": ["/a/b?c=d", "//u@h:1/x", "a/b:c", "http://a:b@c"],
}


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for at, cut, piece in edits:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + cut :]
    return text


@pytest.mark.parametrize("name", REFERENCES)
def test_the_predicate_says_what_the_reference_says(name: str) -> None:
    check, reference = format_check(name), REFERENCES[name]
    seeds = _GOOD[name] + TABLE[name]["valid"] + TABLE[name]["invalid"]

    @given(st.builds(edited, st.sampled_from(seeds), st.lists(_edits, max_size=3)))
    def agree(text: str) -> None:
        assert bool(check(text)) is reference(text), text

    assert all(map(check, _GOOD[name]))
    agree()
