"""`uuid` (RFC 4122), `json-pointer` (RFC 6901) and `relative-json-pointer` (its draft of 2020)."""

from __future__ import annotations

import re

_uuid = re.compile("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}").fullmatch
_steps_up = re.compile("(?:0|[1-9][0-9]*+)(?:[+-](?:0|[1-9][0-9]*+))?").match


def is_uuid(text: str) -> bool:
    """The hyphenated form; any version and variant."""
    return _uuid(text) is not None


def is_json_pointer(text: str) -> bool:
    """The string form (not the URI fragment): empty or led by `/`, each `~` followed by `0` or `1`."""
    if text and text[0] != "/":
        return False
    return text.count("~") == text.count("~0") + text.count("~1")


def is_relative_json_pointer(text: str) -> bool:
    """Levels up, perhaps an index to move by (`0-1`), then a JSON pointer or `#`."""
    match = _steps_up(text)
    if match is None:
        return False
    rest = text[match.end() :]
    return rest == "#" or is_json_pointer(rest)
