"""fastjsonschema: `data.rows[3].qty must be integer`, one problem a text."""

from __future__ import annotations

import re
from itertools import islice

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import phrases, read_phrase

BODY = phrases(
    [
        ("required", r"must contain \[(?P<names>.*)\] properties"),
        ("additionalProperties", r"must not contain \{(?P<names>.*)\} properties"),
        ("additionalProperties", r"must contain only specified properties"),
        ("propertyNames", r"must be named by propertyName definition"),
        ("not", r"must not be there"),
        ("not", r"must NOT match a disallowed definition"),
        ("anyOf", r"cannot be validated by any definition"),
        ("oneOf", r"must be valid exactly by one definition"),
        ("enum", r"must be one of \["),
        ("const", r"must be same as const definition: (?P<limit>.*)"),
        ("minLength", r"must be longer than or equal to (?P<limit>\d+) characters"),
        ("maxLength", r"must be shorter than or equal to (?P<limit>\d+) characters"),
        ("pattern", r"must match pattern "),
        ("minimum", r"must be bigger than or equal to (?P<limit>\S+)"),
        ("maximum", r"must be smaller than or equal to (?P<limit>\S+)"),
        ("exclusiveMinimum", r"must be bigger than (?P<limit>\S+)"),
        ("exclusiveMaximum", r"must be smaller than (?P<limit>\S+)"),
        ("multipleOf", r"must be multiple of (?P<limit>\S+)"),
        ("minItems", r"must contain at least (?P<limit>\d+) items"),
        (
            "maxItems",
            r"must contain (?:less than or equal to|only) (?P<limit>\d+) items|must contain only specified items",
        ),
        ("minProperties", r"must contain at least (?P<limit>\d+) properties"),
        ("maxProperties", r"must contain less than or equal to (?P<limit>\d+) properties"),
        ("uniqueItems", r"must contain unique items"),
        ("contains", r"must contain one of contains definition"),
        ("type", r"must be (?:(?:string|number|integer|boolean|null|array|object)(?: or )?)+$"),
        ("format", r"must be (?P<limit>\S+)$"),
    ]
)
MAX_SPLITS = 8
"""Ends of a path that are tried; keys hold such words rarely."""
_SPLIT = re.compile(r" (?=must (?:be|contain|not|NOT|match) |cannot be validated by )")


def read(text: str) -> list[ForeignIssue]:
    """Return the problem of one exception's text; its variable is called `data` by default."""
    text = text.strip()
    if not text.startswith("data") or text[4:5] not in (".", "[", " "):
        return []
    for split in islice(_SPLIT.finditer(text), MAX_SPLITS):
        foreign = read_phrase(BODY, text[split.end() :], text[4 : split.start()])
        if foreign is not None:
            return [foreign]
    return []
