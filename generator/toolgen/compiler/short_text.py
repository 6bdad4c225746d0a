"""Texts and values cut to a length, for messages and tables."""

from __future__ import annotations

import json
from typing import Any


def cut(text: str, most: int = 60) -> str:
    """Return a text cut to at most `most` characters; a cut text ends in an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def short_json(value: Any, most: int = 60) -> str:
    """Return a value as JSON, cut to a length."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), most)
