"""Compare a failed call with the one before: what is the same, what has changed, and when to give up."""

from __future__ import annotations

import re
from marshal import dumps
from typing import Any
from zlib import crc32

from toolgen_runtime.hints.retry_hint import RetryHint
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.printing import is_printable

GIVE_UP_AFTER = 3
"""Identical failures in a row after which the recovery is `give_up`."""
_PLAIN = 2
"""A version of `marshal` whose output depends only on the values, not on shared references."""
_INDEX = re.compile(r"\[[\d,\-…]+\]")


def with_progress(previous: RetryHint, hint: RetryHint) -> RetryHint:
    """Add to a hint what has changed since the `previous` one, and return it.

    After repeated failures, its recovery becomes `ask_user` and later `give_up`.
    """
    count, recovery = attempts(previous, hint), hint.recovery
    if count >= GIVE_UP_AFTER:
        recovery = "give_up"
    elif count > 1 and hint.clarifying_question is not None:
        recovery = "ask_user"
    if previous.tool == hint.tool:
        changed = progress(previous, hint)
    else:
        changed = ""
    if recovery == "give_up":
        corrected = None
    else:
        corrected = hint.corrected
    return hint._replace(
        attempts=count,
        failures=previous.failures + 1,
        progress=changed,
        recovery=recovery,
        corrected=corrected,
    )


def fingerprint(payload: Any) -> str:
    """Return a checksum of the arguments as they were sent; an empty string if there are none or they are too
    large.
    """
    if payload is MISSING or not is_printable(payload):
        return ""
    try:
        spelt = dumps(payload, _PLAIN)
    except ValueError:  # too deep, or of subclasses of JSON's types
        try:
            spelt = repr(payload).encode("utf-8", "surrogatepass")
        except Exception:  # raised by the `repr` of some object in the payload
            return ""
    return hex(crc32(spelt, len(spelt)))


def progress(previous: RetryHint, hint: RetryHint) -> str:
    """Return a sentence about what has changed since the previous hint; an empty string if this is unknown."""
    if hint.reason == previous.reason and hint.fingerprint and hint.fingerprint == previous.fingerprint:
        return "You sent the same arguments again."
    if hint.reason == previous.reason == "truncated":
        return "They were cut off before, too: send less in one call, and the rest in further calls."
    before, now = ({_INDEX.sub("[]", field): None for field, _ in h.problems} for h in (previous, hint))
    # unreadable arguments have no known fields
    fixed = [field for field in before if now and field not in now]
    if not fixed:
        if now and previous.problems == hint.problems:
            return "Nothing was fixed since the last call."
        return ""
    left = sum(field in before for field in now)
    rest = [_there(left, "still there"), _there(len(now) - left, "new")]
    others = " and ".join(filter(None, rest))
    one = "1 problem" if len(fixed) == 1 else f"{len(fixed)} problems"
    return f"You fixed {one}; {others}."


def _there(count: int, word: str) -> str:
    if count == 0:
        return ""
    return f"{count} {'is' if count == 1 else 'are'} {word}"


def attempts(previous: RetryHint | None, hint: RetryHint) -> int:
    """Return how many calls in a row have failed in the same way, including this one."""
    if previous is None or previous.tool != hint.tool or previous.reason != hint.reason:
        return 1
    same_arguments = hint.fingerprint and hint.fingerprint == previous.fingerprint
    same_problems = hint.problems == previous.problems and hint.detail == previous.detail
    same_values = [f.got for f in hint.fields] == [f.got for f in previous.fields]
    if same_arguments or (same_problems and same_values):
        return previous.attempts + 1
    return 1
