"""Texts of specs in declarations: on one line, without what would end a comment."""

from __future__ import annotations

import re
from typing import Final

from toolgen.compiled_check import CompiledChecks
from toolgen.described import Described
from toolgen.python.models.views import FieldView
from toolgen.short_text import cut, short_json

MAX_VALUES: Final = 80
"""Characters of a pattern, or of allowed values that are no strings."""
_UNPRINTABLE: Final = re.compile("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\u202a-\u202e\u2066-\u2069]")
"""Half surrogates, control characters, and characters that turn the direction of a text."""


def printable(text: str) -> str:
    """Return a text without characters that cannot be seen or written."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def about(field: FieldView) -> str:
    """Return the description of a field and its constraints on one line."""
    words = " ".join(printable(field.about).split())
    limits = " ".join(printable(", ".join(_constraints(field))).split())
    return f"{words} ({limits})" if words and limits else words or limits


def _constraints(field: FieldView) -> list[str]:
    value = Described(field.schemas, CompiledChecks())
    texts = [cut(text, MAX_VALUES) for text in value.constraint_texts()]
    if value.values and not all(isinstance(each, str) for each in value.values):
        texts.append(cut(f"one of {', '.join(short_json(each) for each in value.values)}", MAX_VALUES))
    return texts
