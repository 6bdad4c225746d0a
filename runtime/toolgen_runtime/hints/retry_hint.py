"""`RetryHint` and `FieldHint`: what a model is told about a call that was not run, and what changed since the last.

Both are named tuples: frozen dataclasses of as many fields take three times as long to make, a fifth of a hint's
time (docs/speed.md). They are not meant to be unpacked or compared by order. `build` alone makes them by position,
which takes half as long as by keyword.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from marshal import dumps
from typing import Any, Literal, NamedTuple
from zlib import crc32

from toolgen_runtime.calls.errors import Recovery
from toolgen_runtime.calls.policy import MAX_CHARS
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.render import render
from toolgen_runtime.hints.text import Sentence
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.printing import is_printable

Reason = Literal[
    "invalid_arguments", "malformed_response", "malformed_json", "truncated", "unknown_tool", "tool_failed"
]


@dataclass(frozen=True, slots=True)
class Caps:
    """How much a hint says; what goes beyond is counted."""

    missing: int = 3
    """Names in `missing_fields`."""
    question: int = 3
    """Fields in the clarifying question."""
    values: int = 5
    """Allowed values, or near names, per field."""
    fields: int = 5
    """Field lines."""
    give_up_after: int = 3
    """Identical failures in a row after which the recovery is `give_up`."""


DEFAULT_CAPS = Caps()


class FieldHint(NamedTuple):
    """One place to correct; one line of the rendering."""

    field: str
    """The dotted path; equal problems of many items share one, `rows[0-29].qty`."""
    constraint: str
    """The first broken constraint: a JSON Schema keyword, or `reported` if only an error message mentions it."""
    description: str | None = None
    """The schema's description, its first 100 characters."""
    type: str | None = None
    """The schema's type: `string`, `array of integers`, ..."""
    expects: str = ""
    """Type and limits in brief: `string, max 80`, `integer >= 1`."""
    allowed_values: tuple[Any, ...] | None = None
    """At most `Caps.values`, then `…`; for an unknown key the valid keys nearest to it."""
    pattern: str | None = None
    minimum: int | float | None = None
    """The minimum value of a number, length of a string (code points), or number of items."""
    maximum: int | float | None = None
    format: str | None = None
    got: Any = MISSING
    """The invalid scalar, at most 60 characters of it; `MISSING` for containers, secrets and missing values."""
    did_you_mean: Any = None
    """The allowed value or the valid key that was most likely meant."""
    rename_from: str | None = None
    """The unknown key whose value belongs here."""
    count: int = 1  # type: ignore[assignment]  # the contract's name; tuple.count has no use here
    """How many items share this line."""
    choice: str = ""
    """The branch of a union that the value was compared with, and the reason: `kind="slack"`."""
    sentence: Sentence = Sentence("")
    """The parts of `advice`; a shorter text contains fewer of them."""

    @property
    def advice(self) -> str:
        """The problem and its correction, in one line of bounded length."""
        return self.sentence.whole()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; unknown facts are left out."""
        out: dict[str, Any] = {"field": self.field, "constraint": self.constraint}
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None and value != "" and value is not MISSING and (name != "count" or value > 1):
                out[name] = list(value) if isinstance(value, tuple) else value
        if self.got is None:
            out["got"] = None
        return out


_OPTIONAL = ("advice", *[n for n in FieldHint._fields if n not in ("field", "constraint", "sentence")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What changed since the previous hint, in fields."""

    fixed: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    same_arguments: bool = False


class RetryHint(NamedTuple):
    """The reason why a call failed, and the recommended next step.

    `clarifying_question` is for the user, everything else for the model. The next hint uses `problems` and
    `fingerprint` to describe the changes.
    """

    tool: str
    reason: Reason
    recovery: Recovery
    missing_fields: tuple[str, ...] = ()
    fields: tuple[FieldHint, ...] = ()
    clarifying_question: str | None = None
    example_input: dict[str, Any] | None = None
    """Only the missing fields, at their places; None if no field is missing."""
    omitted: int = 0
    """The number of problems (lines) that the limits left out, and of issues beyond the first 10,000."""
    edits: tuple[Edit, ...] = ()
    """The hint's advice as data: `apply_edits(payload, hint.edits)`."""
    detail: str = ""
    """One line about the problem, if it does not belong to a field."""
    suggestions: tuple[str, ...] = ()
    """Names of tools that resemble an unknown one."""
    progress: Progress | None = None
    attempts: int = 1
    """Identical failures in a row, this one included."""
    problems: tuple[tuple[str, str], ...] = ()
    """(field, constraint) of every line before the caps, at most 64."""
    fingerprint: str = ""
    """A checksum of the arguments; `""` if there are none."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; `example_input` is shared with the hint."""
        out: dict[str, Any] = {
            "tool": self.tool,
            "reason": self.reason,
            "recovery": self.recovery,
            "missing_fields": list(self.missing_fields),
            "fields": [f.to_dict() for f in self.fields],
            "clarifying_question": self.clarifying_question,
            "example_input": self.example_input,
            "omitted": self.omitted,
            "edits": [e.to_dict() for e in self.edits],
            "attempts": self.attempts,
        }
        if self.detail:
            out["detail"] = self.detail
        if self.suggestions:
            out["suggestions"] = list(self.suggestions)
        if self.progress:
            p = self.progress
            out["progress"] = {
                "fixed": list(p.fixed),
                "remaining": list(p.remaining),
                "new": list(p.new),
                "same_arguments": p.same_arguments,
            }
        return out

    def render(self, max_chars: int = MAX_CHARS) -> str:
        """Return the text for the model: at most `max_chars` characters, with one line for each field."""
        return render(self, max_chars)

    def __str__(self) -> str:
        return self.render()


Problems = Sequence[tuple[str, str]]
_PLAIN = 2
"""The version of `marshal` that writes values and nothing of how they lie in memory."""
_SPAN = re.compile(r"\[[\d,\-…]*[,\-…][\d,\-…]*\]")
_INDEX = re.compile(r"\[[\d,\-…]+\]")


def fingerprint(payload: Any) -> str:
    """Return a checksum of the arguments as they are spelt; `""` where there are none, or they are too large for it."""
    if payload is MISSING or not is_printable(payload):
        return ""
    try:
        spelt = dumps(payload, _PLAIN)
    except ValueError:  # too deep, or of subclasses of JSON's types
        spelt = _spelt(payload)
    return hex(crc32(spelt, len(spelt))) if spelt else ""


def _spelt(payload: Any) -> bytes:
    try:
        return repr(payload).encode("utf-8", "surrogatepass")
    except Exception:  # of any object in the payload
        return b""


def compare(previous: RetryHint, problems: Problems, digest: str) -> Progress:
    """Return which of the previous problems are fixed, which remain, which are new, in fields."""
    same_arguments = bool(digest) and digest == previous.fingerprint
    now = [_FieldSpan(field) for field, _ in problems]
    before = [_FieldSpan(field) for field, _ in previous.problems]
    remaining = [p for p in now if any(p.is_at(q) for q in before)]
    # Of arguments that could not be read, no field is known.
    fixed = [q.field for q in before if now and not any(q.is_at(p) for p in now)]
    return Progress(
        fixed=tuple(dict.fromkeys(fixed)),
        remaining=tuple(dict.fromkeys(p.field for p in remaining)),
        new=tuple(dict.fromkeys(p.field for p in now if p not in remaining)),
        same_arguments=same_arguments,
    )


class _FieldSpan:
    """The field of one problem; one that spans many items (`rows[0-29].qty`) is at each place that it covers."""

    __slots__ = ("field", "general", "spans")

    def __init__(self, field: str):
        self.field = field
        self.general = _INDEX.sub("[]", field)
        self.spans = _SPAN.search(field) is not None

    def is_at(self, other: _FieldSpan) -> bool:
        return self.field == other.field or (self.general == other.general and (self.spans or other.spans))


def attempts(previous: RetryHint | None, hint: RetryHint) -> int:
    """How many identical failures there have been in a row: the same arguments, or the same problems with them."""
    if previous is None or previous.tool != hint.tool or previous.reason != hint.reason:
        return 1
    same_arguments = hint.fingerprint and hint.fingerprint == previous.fingerprint
    same_problems = hint.problems == previous.problems and hint.detail == previous.detail
    same_values = [f.got for f in hint.fields] == [f.got for f in previous.fields]
    return previous.attempts + 1 if same_arguments or (same_problems and same_values) else 1
