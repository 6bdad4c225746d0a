"""Sentences that consist of several parts, some of which are left out in shorter versions of a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolgen_runtime.hints.quoting import MAX_KEYS_SHOWN, choice

FULL, BRIEF, BARE = range(3)
"""The levels of detail of a line: with descriptions, without them, and also without listed values."""


class Sentence(NamedTuple):
    """The parts of a sentence that says what is wrong and what to send."""

    core: str
    asks: bool = False
    """Whether `core` is a question."""
    orders: bool = False
    """Whether `core` begins with an order, so that another order can precede it."""
    listed: str = ""
    """A list with its label: `Allowed: low, high`."""
    description: str = ""
    """The description from the schema."""
    short: str = ""
    """What replaces `core`, with a list in it, in the shortest text."""
    subject: str | None = None
    """What precedes the sentence, if not the field with what it takes."""

    def text(self, level: int = FULL) -> str:
        """Return the parts that belong to a level of detail, without a period at the end."""
        core = self.core
        if self.short and level == BARE:
            core = self.short
        elif core and self.asks:
            core = f"{core}?"
        if not self.listed and not self.description:
            return core  # the usual case
        parts = [core, self.listed, self.description and described(self.description)]
        return joined([part for part in parts[: 3 - level] if part])  # each level has one part less

    def whole(self) -> str:
        """Return all parts, with a period at the end unless that is a question mark."""
        text = self.text()
        if not text or text.endswith("?"):
            return text
        return f"{text}."


def described(description: str) -> str:
    """Return a schema's description as a hint quotes it."""
    quoted = description.replace('"', "'")
    return f'Description: "{quoted}"'


def joined(parts: list[str]) -> str:
    """Return the parts as one text, with a period after each part that does not end with a question mark."""
    return " ".join([*(p if p.endswith("?") else f"{p}." for p in parts[:-1]), *parts[-1:]])


def keys_text(keys: Sequence[str]) -> str:
    """Return keys as a list in words, such as `title, body and labels`."""
    return enumerated([*map(choice, keys)])


def enumerated(texts: Sequence[str], most: int = MAX_KEYS_SHOWN) -> str:
    """Join texts by commas and a final "and". If there are more than `most`, the rest is only counted."""
    parts = [*texts[:most]]
    if len(texts) > most:
        parts.append(f"{len(texts) - most} more")
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
