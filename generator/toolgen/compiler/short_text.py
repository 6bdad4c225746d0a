"""Shorten texts and values for messages and tables."""

from __future__ import annotations

import json
import re
from typing import Any, Final


def cut(text: str, most: int = 60) -> str:
    """Shorten a text to at most `most` characters. A shortened text ends in an ellipsis."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…"


def short_json(value: Any, most: int = 60) -> str:
    """Return a value as JSON of limited length."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), most)


_HIDDEN: Final = re.compile(
    "[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Lone surrogates, control characters, and characters that are invisible (tags of Unicode among them, in which a text
can be smuggled) or that change the direction of a text. The joiner of emoji is none of them."""


LOG_COMMAND: Final = re.compile(r"##(\w*\[)")
"""Matches the beginning of a command in any line of a log: `##[group]` on GitHub, `##vso[...]` on Azure."""


def json_for_logs(text: str) -> str:
    """Escape JSON so that a CI service does not take a line of its log for a command."""
    return LOG_COMMAND.sub(r"#\\u0023\1", text)


def printable(text: str) -> str:
    """Replace characters that are invisible or cannot be encoded."""
    return _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
