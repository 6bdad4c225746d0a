"""What `translate` raises."""

from __future__ import annotations


class PatternError(ValueError):
    """Text that is no ECMA-262 regular expression; `position` counts code points from its start."""

    def __init__(self, message: str, position: int = 0) -> None:
        """`message` is one sentence, without the position."""
        self.message = message
        self.position = position
        super().__init__(f"{message} (at character {position})")


class UnsupportedPattern(PatternError):  # noqa: N818  a sort of PatternError, named for what it says
    """A regular expression of ECMA-262 that neither engine can run with exactly its meaning."""
