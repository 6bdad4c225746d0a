"""Words that mean the same as values: `remove` and `delete`, `md` and `markdown`, `done` and `completed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.words import words_of

_SYNONYMS = "delete remove erase destroy rm|markdown md"
_SAME: dict[str, set[str]] = {}
"""Each word with those that mean the same, itself included."""
for _group in _SYNONYMS.split("|"):
    _words = {"".join(words_of(_word)) for _word in _group.split()}
    for _word in _words:
        _SAME.setdefault(_word, set()).update(_words)


def synonym(got: str, allowed: Sequence[Any]) -> Any:
    """Return the one allowed value that is another word for a text; None where there is none, or more than one.

    >>> synonym("remove", ["get", "delete"]), synonym("md", ["markdown", "html"])
    ('delete', 'markdown')
    """
    others = _SAME.get("".join(words_of(got)))
    if others is None:
        return None
    found = [v for v in allowed[:200] if isinstance(v, str) and "".join(words_of(v)) in others]
    return found[0] if len(found) == 1 else None
