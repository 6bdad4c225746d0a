"""`Reading`: what a wrong value can mean, and how sure that is."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from toolgen_runtime.validation.issues import MISSING


class Reading(NamedTuple):
    """One way to correct a value in its place."""

    op: Literal["set", "remove", "wrap", "unwrap"]
    value: Any = MISSING
    """What would stand there then; `MISSING` where nothing would."""
    certain: bool = False
    """Whether it is the only reading."""
    rule: str = "parsed"
    """What a repair calls the change."""
    above: int = 0
    """How many steps above the place the edit is made."""
    other: Any = MISSING
    """What is about as likely; of a reading that is not certain."""
