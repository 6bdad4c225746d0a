"""What a new schema means to those who send what the old one takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolgen.diff.conjunction import Conjunction
from toolgen.diff.containment import is_contained
from toolgen.diff.samples import payloads
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen_runtime.validation.issues import ValidationIssue

MAX_PAYLOADS: Final = 3_000
"""Payloads that are tried before nothing is said."""
Meaning = Literal["breaking", "unknown", "safe", "annotation"]
Check = Callable[[Any], list[ValidationIssue]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a lowered schema, and its exact check."""

    root: Schema
    validate: Check


@dataclass(frozen=True, slots=True)
class Verdict:
    """`safe`: all that the old schema takes is proved to be taken; `breaking`: `witness` is not; else `unknown`.

    A change of words alone is an `annotation`; `judge` does not ask for that.
    """

    meaning: Meaning
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def judge(old: Side, new: Side, also: tuple[Side, Side] | None = None) -> Verdict:
    """Return the verdict on what the old side takes.

    With `also`, a payload is to break the change between two other sides, too: one of several changes breaks where
    all of them together do.
    """
    if is_contained(old.root, new.root):
        return Verdict("safe")
    listed = Conjunction.of(facts.conjuncts(old.root)).values
    found: Verdict | None = None
    size, breaks_alone = 0, False
    for payload in payloads(old.root, new.root, MAX_PAYLOADS) if listed is None else listed:
        if old.validate(payload):
            continue
        issues = new.validate(payload)
        if issues and (found is None or len(repr(payload)) < size):
            if also is not None and (also[0].validate(payload) or not also[1].validate(payload)):
                breaks_alone = True
                continue
            found, size = Verdict("breaking", payload, tuple(issues)), len(repr(payload))
    return found or Verdict("unknown" if listed is None or breaks_alone else "safe")
