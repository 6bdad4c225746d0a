"""The exceptions of `translate`."""

from __future__ import annotations


class PatternError(ValueError):
    """A text that is not an ECMA-262 regular expression; `position` counts code points from its start."""

    def __init__(self, message: str, position: int = 0) -> None:
        """Make an error; `message` is one sentence, without the position."""
        self.message = message
        self.position = position
        super().__init__(f"{message} (at character {position})")


class UnsupportedPattern(PatternError):  # noqa: N818  its base class is named an error
    """An ECMA-262 regular expression that neither engine can run with exactly its meaning."""
