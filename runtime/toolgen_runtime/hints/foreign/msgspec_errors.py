"""msgspec: ``Expected `int`, got `str` - at `$.rows[0].qty` ``, one problem a text."""

from __future__ import annotations

import re

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import phrases, read_phrase

_AT = re.compile(r" - at `(?:key in )?\$([^`]{0,300})`$")
_LENGTH = r"Expected `{0}` of length {1} (?P<limit>\d+)"
_BODY = phrases(
    [
        ("required", r"Object missing required field (?P<names>`.*?`)"),
        ("additionalProperties", r"Object contains unknown field (?P<names>`.*?`)"),
        ("enum", r"Invalid (?:enum )?value (?P<got>['\"\d-].*)$"),
        ("minLength", _LENGTH.format("str", ">=")),
        ("maxLength", _LENGTH.format("str", "<=")),
        ("minItems", _LENGTH.format("array", ">=")),
        ("maxItems", _LENGTH.format("array", "<=")),
        ("minProperties", _LENGTH.format("object", ">=")),
        ("maxProperties", _LENGTH.format("object", "<=")),
        ("pattern", r"Expected `str` matching regex "),
        ("minimum", r"Expected `\w+` >= (?P<limit>\S+)"),
        ("maximum", r"Expected `\w+` <= (?P<limit>\S+)"),
        ("exclusiveMinimum", r"Expected `\w+` > (?P<limit>\S+)"),
        ("exclusiveMaximum", r"Expected `\w+` < (?P<limit>\S+)"),
        ("multipleOf", r"Expected `\w+` that's a multiple of (?P<limit>\S+)"),
        ("type", r"Expected `[^`]+`, got `[^`]+`"),
        (
            "format",
            r"Invalid (?:RFC3339 encoded (?:datetime|date|time)|ISO8601 duration|UUID|base64 encoded|decimal string)",
        ),
        ("truncated", r"Input data was truncated"),
        ("json", r"JSON is malformed"),
    ]
)


def read(text: str) -> list[ForeignIssue]:
    """Return the problem of one exception's text."""
    text = text.strip()
    at = _AT.search(text)
    body = text[: at.start()] if at else text
    foreign = read_phrase(_BODY, body, at[1] if at else "")
    return [foreign] if foreign is not None else []
