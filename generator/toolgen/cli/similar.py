"""Ask whether the user meant another, similar word."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], most: int, cutoff: float = 0.6) -> str:
    """Return a question that names the most similar known words; an empty string if none is similar."""
    import difflib  # late: only a misspelled word needs it

    near = difflib.get_close_matches(word, list(known), most, cutoff)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""
