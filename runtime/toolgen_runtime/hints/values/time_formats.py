"""Unix times and ISO 8601 times as readings of each other, where the schema says which of them it wants."""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.schema.node import SchemaNode

_ISO = re.compile(
    r"\bISO[ -]?8601|\bISO (?:format|date|time)|\bRFC[ -]?3339|YYYY-MM-DD|\bdate-?time\b", re.IGNORECASE
)
_UNIX = re.compile(r"\bunix\b|\bepoch\b|\btimestamps?\b", re.IGNORECASE)
_MILLISECONDS = re.compile(r"millisecond|\bms\b", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_YEAR_2000, _YEAR_2100 = 946_684_800, 4_102_444_800


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
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="auto").replace("+00:00", "Z")
    return text[:10] if name == "date" else text


def unix_time(node: SchemaNode, text: str) -> int | None:
    """Return an ISO 8601 time, UTC where it does not say, as the Unix time that a place wants; else None."""
    if len(text) > 40 or not _TIME.fullmatch(text):
        return None
    described = node.first("description", str) or ""
    if not _UNIX.search(described) or _ISO.search(described):
        return None
    from datetime import UTC, datetime

    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    seconds = int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    return 1000 * seconds if _MILLISECONDS.search(described) else seconds
