"""What changed since the previous hint: pure comparison of two hints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from marshal import dumps
from typing import Any
from zlib import crc32

from toolgen_runtime.hints.retry_hint import Progress, RetryHint
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.printing import is_printable

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
