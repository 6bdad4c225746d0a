"""Texts of specs in comments: on one line, without what would end the comment."""

from __future__ import annotations

import re

from toolgen.python.models.views import FieldView
from toolgen.schema.constraint_text import constraint_texts

_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\u202a-\u202e\u2066-\u2069]")
"""Half surrogates, control characters, and characters that turn the direction of a text."""


def printable(text: str) -> str:
    """Return a text without characters that cannot be seen or written."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def about(field: FieldView) -> str:
    """Return the description of a field and its constraints on one line."""
    words = " ".join(printable(field.about).split())
    limits = ", ".join(dict.fromkeys(text for schema in field.schemas for text in constraint_texts(schema)))
    limits = " ".join(printable(limits).split())
    return f"{words} ({limits})" if words and limits else words or limits
