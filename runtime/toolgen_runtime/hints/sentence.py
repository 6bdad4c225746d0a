"""`Sentence`: what a line says, in parts that are joined once; a shorter line leaves parts out."""

from __future__ import annotations

from typing import NamedTuple

FULL, BRIEF, SHORT, BARE = range(4)
"""How much a line says: with descriptions; without; with a few of the listed values; with none of them."""


class Sentence(NamedTuple):
    """What is wrong and what to send."""

    core: str
    asks: bool = False
    """Whether it is a question."""
    orders: bool = False
    """Whether it begins with what to do, so that another order can go before it."""
    label: str = ""
    """What the list is of: `Allowed`, `Fields`."""
    listed: str = ""
    few: str = ""
    """The first of what is listed."""
    description: str = ""
    """What the schema says of the place."""

    def text(self, level: int = FULL) -> str:
        """Return the parts that a level has, without a stop at the end."""
        parts = [self.core] if self.core else []
        listed = self.listed if level < SHORT else self.few if level == SHORT else ""
        if listed:
            parts.append(f"{self.label}: {listed}")
        if self.description and level == FULL:
            parts.append(described(self.description))
        if self.asks and parts:
            parts[0] += "?"
        return joined(parts)

    def whole(self) -> str:
        """Return all of it, with its stop."""
        text = self.text()
        only = not self.listed and not self.description
        return text if not text or (self.asks and only) else f"{text}."


def described(description: str) -> str:
    """Return a schema's description as a part of a line."""
    quoted = description.replace('"', "'")
    return f'Description: "{quoted}"'


def joined(parts: list[str]) -> str:
    """Return parts with stops between them; a question has its own mark."""
    return " ".join([*(p if p.endswith("?") else f"{p}." for p in parts[:-1]), *parts[-1:]])
