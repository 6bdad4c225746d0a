"""Tables of phrases: a pattern for each wording, and the keyword that it comes down to."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.embedded import unescaped
from toolgen_runtime.validation.issues import MISSING

MAX_MESSAGE = 400
"""Characters of a library's own sentence."""
MAX_NAMES = 4_000
"""Characters that are searched for quoted names."""

Phrases = Sequence[tuple[str, re.Pattern[str]]]


def phrases(table: Sequence[tuple[str, str]]) -> Phrases:
    """Compile (keyword, pattern) rows. Groups: `names` quoted keys, `got` the value as printed, `limit` a number."""
    return [(keyword, re.compile(pattern, re.DOTALL)) for keyword, pattern in table]


def read_phrase(table: Phrases, body: str, path: Path | str | None) -> ForeignIssue | None:
    """Return the foreign issue of a message body, by the first row that matches its beginning; None without one."""
    for keyword, pattern in table:
        match = pattern.match(body)
        if match is not None:
            found = match.groupdict()
            return ForeignIssue(
                keyword,
                path,
                names=names_in(found.get("names") or ""),
                expected=literal(found.get("limit")),
                got=literal(found.get("got"), MISSING),
                message=body[:MAX_MESSAGE],
            )
    return None


_QUOTED = re.compile(r"""'((?:[^'\\]|\\.){0,300}+)'|"((?:[^"\\]|\\.){0,300}+)"|`([^`]{0,300}+)`""", re.DOTALL)


def names_in(text: str) -> tuple[str, ...]:
    """Return the quoted keys of a text, unescaped."""
    return tuple(unescaped(m[1] or m[2] or m[3] or "") for m in _QUOTED.finditer(text[:MAX_NAMES]))


_NUMERIC = re.compile(r"-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$")


def literal(text: str | None, default: Any = None) -> Any:
    """Return the scalar that a text prints, in Python or JSON; `default` where it prints none."""
    if text is None or len(text) > 10_000:
        return default
    words: dict[str, Any] = {
        "null": None,
        "None": None,
        "true": True,
        "True": True,
        "false": False,
        "False": False,
    }
    if text in words:
        return words[text]
    if _NUMERIC.match(text):
        return (
            json.loads(text)
            if not text.lstrip("-").startswith("0") or "." in text or len(text) == 1
            else default
        )
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return unescaped(text[1:-1])
    return default


_BRACKET = re.compile(r"""\[(?:(\d{1,9})|('(?:[^'\\]|\\.){0,300}+'|"(?:[^"\\]|\\.){0,300}+"))\]""")


def bracket_path(text: str) -> Path:
    """Return `['a'][0]["b"]` as a path."""
    return tuple(int(m[1]) if m[1] else str(literal(m[2], m[2][1:-1])) for m in _BRACKET.finditer(text))
