"""Texts in the parts that APIs give them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def joined_text(parts: Any, separator: str = "") -> str | None:
    """Return the texts of a list of `{"text": ...}` parts in one; None where it has anything else, or nothing."""
    if not isinstance(parts, list) or not parts:
        return None
    texts = [part.get("text") if isinstance(part, Mapping) else None for part in parts]
    return separator.join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def search_result_text(result: Mapping[str, Any]) -> str | None:
    """Return a search result (Bedrock, Anthropic) as a text: its title, where it is from, what it says."""
    text = joined_text(result.get("content"), "\n")
    if text is None:
        return None
    lines = [line for line in (result.get("title"), result.get("source")) if isinstance(line, str) and line]
    return "\n".join([*lines, text])
