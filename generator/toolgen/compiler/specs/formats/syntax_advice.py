"""Say how to fix text that is not valid JSON or YAML.

It is based on the parser's message and the text at the error.
"""

from __future__ import annotations

import re
from json import JSONDecodeError
from typing import Final

_NUMBER: Final = re.compile(r"[+.][0-9]")
_MORE_OF_NUMBER: Final = re.compile(r"[0-9a-zA-Z_.]")
_NOT_A_NUMBER: Final = ("not a JSON number", "write it as 5, -5, 0.5 or 1e3")
_CLOSES: Final = {"}": ("a list", "]"), "]": ("an object", "}")}
"""The container that is open when a closing bracket of the other kind comes, and its own closing bracket."""

_WRONG_STARTS: Final = tuple(
    (re.compile(pattern), (problem, fix))
    for pattern, problem, fix in (
        (r"\s*\Z", "the text ends early", "complete it, or export the file again"),
        (r"'", "single quotes", "use double quotes"),
        (r"//|/\*|#", "a comment", "remove it: JSON has no comments"),
        (r"True\b", "True, as Python writes it", "write true"),
        (r"False\b", "False, as Python writes it", "write false"),
        (r"None\b", "None, as Python writes it", "write null"),
        (r"undefined\b", "undefined, as JavaScript writes it", "write null"),
        ("[\u201c\u201d\u201e\u2018\u2019]", "curly quotes", "use straight double quotes"),
        (r";", "a semicolon", "write a comma, or remove it"),
    )
)
"""Texts that may wrongly stand in place of a key or value, each with the problem and the change to make."""

_JSON_PROBLEMS: Final = {
    "Expecting ',' delimiter": ("two values without a comma between them", "put a comma before this"),
    "Expecting ':' delimiter": ("a key without a colon after it", "put a colon after the key"),
    "Unterminated string starting at": ("a string that is not closed", "close it with a double quote"),
    "Invalid control character at": ("a line break or tab in a string", "write it as \\n or \\t"),
    "Invalid \\escape": ("a backslash that does not begin an escape", "write the backslash twice"),
    "Invalid \\uXXXX escape": ("\\u without four hexadecimal digits", "write four digits after \\u"),
    "Extra data": ("a second value after the first", "put the values into one list"),
}
"""The messages of the `json` module: the problem, and the change to make."""

_YAML_PROBLEMS: Final = (
    ("cannot start any token", "quote the text; indent with spaces, never with tabs"),
    (
        "mapping values are not allowed",
        "quote text with a colon and a space in it; align keys with each other",
    ),
    ("could not find expected ':'", "put a colon after the key"),
    ("expected ',' or", "close the bracket before this, or put a comma"),
    ("did not find expected", "align this line with the entries above it; quote text with quotes in it"),
    ("expected <block end>", "align this line with the entries above it; quote text with quotes in it"),
    ("unexpected end of stream", "close the quote"),
    ("unknown escape character", "write the backslash twice, or use single quotes"),
)
"""Parts of PyYAML's and libyaml's messages, and the change to make."""


def at_fault(error: JSONDecodeError) -> JSONDecodeError:
    """For a trailing comma, return an error at the bracket after it, as CPython 3.11 and 3.12 report it."""
    if not error.msg.startswith("Illegal trailing comma"):
        return error
    after = error.doc[error.pos + 1 :].lstrip(" \t\r\n")
    return JSONDecodeError(error.msg, error.doc, len(error.doc) - len(after))


def of_json(error: JSONDecodeError) -> tuple[str, str]:
    """Return what an error of the JSON parser means, and how to fix it."""
    rest = error.doc[error.pos :]
    if error.doc[: error.pos].rstrip().endswith(",") and rest[:1] in ("}", "]"):
        return f"a comma before {rest[0]!r}", "remove the comma"
    for pattern, found in _WRONG_STARTS:
        if pattern.match(rest):
            return found
    if (slip := _of_brackets_and_numbers(error, rest)) is not None:
        return slip
    known = next((text for start, text in _JSON_PROBLEMS.items() if error.msg.startswith(start)), None)
    if known is not None:
        return known
    if error.msg.startswith("Expecting property name"):
        return "a key that is not in double quotes", "put the key in double quotes"
    return "not a JSON value", "put text in double quotes, or correct the value"


def of_yaml(problem: str) -> str:
    """Return how to fix an error of the YAML parser."""
    return next((fix for part, fix in _YAML_PROBLEMS if part in problem), "correct the text here")


def _of_brackets_and_numbers(error: JSONDecodeError, rest: str) -> tuple[str, str] | None:
    first, before = rest[:1], error.doc[: error.pos][-1:]
    is_comma_missing = error.msg.startswith("Expecting ','")
    is_value_missing = error.msg.startswith(("Expecting value", "Expecting property name"))
    if first == "," and is_value_missing:
        return "a comma without a value before it", "remove the comma"
    if first in _CLOSES and is_comma_missing:
        what, bracket = _CLOSES[first]
        return f"{what} that is not closed before {first!r}", f"close it with {bracket!r}"
    if first in ("}", "]") and error.msg.startswith("Extra data"):
        return f"{first!r} without an opening bracket", "remove it"
    is_rest_of_number = before.isdigit() and _MORE_OF_NUMBER.match(rest)
    if (is_value_missing and _NUMBER.match(rest)) or (not is_value_missing and is_rest_of_number):
        return _NOT_A_NUMBER
    return None
