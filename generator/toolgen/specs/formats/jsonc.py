"""JSON with comments and trailing commas, as editors write their settings, -> JSON of the same length."""

from __future__ import annotations

import re
from typing import Final

_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENTS: Final = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMAS: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_SHOWN: Final = re.compile(r"[^\r\n]")


def as_json(text: str) -> str:
    """Return a text with spaces for its comments and for commas before a closing bracket; the rest keeps its place."""
    return _COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith('"') else _SHOWN.sub(" ", match[0])
