"""Go: Goa's service errors (`"title" is missing from body`), and encoding/json's."""

from __future__ import annotations

import re

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import MAX_MESSAGE, phrases, read_phrase

_NAME = r"(?<![\w.\-\[\]])[\w.\-\[\]]{1,200}"
_PLACED = [
    ("minLength", rf"length of (?P<place>{_NAME}) must be greater or equal than (?P<limit>\d+)"),
    ("maxLength", rf"length of (?P<place>{_NAME}) must be lesser or equal than (?P<limit>\d+)"),
    ("required", rf'"(?P<place>{_NAME})" is missing from (?P<root>[\w.\-\[\]]{{1,200}})'),
    ("enum", rf"value of (?P<place>{_NAME}) must be one of .{{1,1000}} but got value (?P<got>.{{0,300}})"),
    ("enum", rf'invalid value (?P<got>.{{0,300}}?) for "?(?P<place>{_NAME})"?,? must be one of '),
    ("type", rf'invalid value (?P<got>.{{0,300}}?) for "?(?P<place>{_NAME})"?,? must be an? '),
    ("format", rf"(?P<place>{_NAME}) must be formatted as an? "),
    ("pattern", rf"(?P<place>{_NAME}) must match the regexp "),
    ("minimum", rf"(?P<place>{_NAME}) must be greater or equal than (?P<limit>\S{{1,60}})"),
    ("maximum", rf"(?P<place>{_NAME}) must be lesser or equal than (?P<limit>\S{{1,60}})"),
    ("exclusiveMinimum", rf"(?P<place>{_NAME}) must be greater than (?P<limit>\S{{1,60}})"),
    ("exclusiveMaximum", rf"(?P<place>{_NAME}) must be lesser than (?P<limit>\S{{1,60}})"),
    ("additionalProperties", r'json: unknown field (?P<names>"[^"]{1,200}")'),
    (
        "type",
        r"json: cannot unmarshal \w{1,40} into Go (?:struct field \w{1,100}\.)"
        r"(?P<place>[\w.\-\[\]]{1,200}) of type ",
    ),
]
MAX_TEXT = 5_000
_ROWS = [(re.compile(pattern), phrases([(keyword, pattern)])) for keyword, pattern in _PLACED]
_ROOTS = ("body", "payload", "request", "args", "arguments", "message")


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of a Goa error, which joins several with `;`."""
    found = [_read_one(part.strip()) for part in text[:MAX_TEXT].split(";", 100)[:100]]
    return [foreign for foreign in found if foreign is not None]


def _read_one(text: str) -> ForeignIssue | None:
    for pattern, table in _ROWS:
        match = pattern.search(text)
        if match is None:
            continue
        groups = match.groupdict()
        path = _below_root(groups.get("place") or "")
        if groups.get("root"):
            above = _below_root(groups["root"])
            above = "" if above.strip(".") in _ROOTS else above
            name = groups["place"].rpartition(".")[2]
            return ForeignIssue("required", above, names=(name,), message=text[:MAX_MESSAGE])
        return read_phrase(table, match[0], path)
    return None


def _below_root(name: str) -> str:
    first, _, rest = name.partition(".")
    return f".{rest}" if first in _ROOTS and rest else f".{name}" if name else ""
