"""Which text of the right form a wrong one was meant to be: dates, times, addresses, identifiers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.values.dates import Moment, as_date, as_date_time, as_time
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.values.time_formats import iso_time
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING

_HOST = re.compile(r"(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,}(?:[/:?#]\S*)?")
_LINK = re.compile(r"\[[^\]\n]*\]\((https?://[^\s()]+)\)|<(https?://[^\s<>]+)>")
_ADDRESS = re.compile(r"(?:mailto:)?([^\s<>@:]+@[^\s<>@]+)|[^<>@]*<([^\s<>@]+@[^\s<>@]+)>")
_HEX = re.compile(
    r"\{?(?:urn:uuid:)?([0-9a-fA-F]{8})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{12})\}?"
)
_DURATION = re.compile(
    r"(\d{1,6})\s?(s|sec|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)", re.IGNORECASE
)
_DATE_PATTERN = re.compile(r"\^?\(?(?:\\d|\[0-9\])\{4\}-(?:\\d|\[0-9\])\{2\}-(?:\\d|\[0-9\])\{2\}\)?\$?")
"""Patterns of a date, which name no format."""


def readings_of_form(problem: Problem, got: str) -> Iterator[Reading]:
    """Yield the text that was meant where a format or pattern does not admit the one that was sent."""
    trimmed = got.strip()
    if len(trimmed) > 2 and trimmed[0] == trimmed[-1] and trimmed[0] in "\"'`":
        trimmed = trimmed[1:-1].strip()
    if trimmed != got and trimmed:
        yield Reading("set", trimmed, True, "spelling")
        return
    node = problem.node
    read = _FORMS.get(_format_of(node))
    if read is not None:
        moments = [m for m in read(got) if m.text != got]
        if not moments and trimmed.isdigit() and (time := iso_time(node, int(trimmed))) is not None:
            moments = [Moment(time, False)]
        yield from _reading(moments)


def _reading(found: Sequence[Moment]) -> Iterator[Reading]:
    if found:
        other = found[1].text if len(found) == 2 else MISSING
        yield Reading("set", found[0].text, found[0].certain and len(found) == 1, "spelling", other=other)


def _format_of(node: SchemaNode) -> str:
    name = node.first("format", str)
    if name is None and _DATE_PATTERN.fullmatch(node.first("pattern", str) or ""):
        return "date"
    return name or ""


def _time(text: str) -> list[Moment]:
    found = as_time(text)
    return [] if found is None else [found]


def _uri(text: str) -> list[Moment]:
    if (match := _LINK.fullmatch(text)) is not None:
        return [Moment(match[1] or match[2], False)]
    return [Moment(f"https://{text}", False)] if _HOST.fullmatch(text) else []


def _email(text: str) -> list[Moment]:
    match = _ADDRESS.fullmatch(text)
    return [] if match is None else [Moment(match[1] or match[2], False)]


def _uuid(text: str) -> list[Moment]:
    match = _HEX.fullmatch(text)
    return [] if match is None else [Moment("-".join(match.groups()), False)]


def _duration(text: str) -> list[Moment]:
    match = _DURATION.fullmatch(text)
    if match is None:
        return []
    unit = match[2][0].upper()
    return [Moment(f"P{'T' if unit in 'SMH' else ''}{match[1]}{unit}", False)]


_FORMS: dict[str, Callable[[str], list[Moment]]] = {
    "date": as_date,
    "date-time": as_date_time,
    "time": _time,
    "uri": _uri,
    "url": _uri,
    "email": _email,
    "uuid": _uuid,
    "duration": _duration,
}
