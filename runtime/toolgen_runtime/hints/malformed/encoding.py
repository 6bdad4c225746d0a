"""Bytes that are no text in UTF-8, in a sentence."""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.hints.text import clean
from toolgen_runtime.validation.issues import Secret, ValidationIssue, revealed

MAX_SHOWN = 20
_BYTE = re.compile(r"UTF-8, not byte (0x[0-9a-f]{2}) at offset (\d+)")
_SEND = "Send the same JSON in UTF-8."


def sentence(issue: ValidationIssue, payload: Any) -> str | None:
    """Return what is said of an issue of bytes that are not UTF-8; None for any other."""
    if isinstance(payload, bytes | bytearray) and b"\0" in payload[:4]:
        return f"the arguments are in UTF-16 or UTF-32, not in UTF-8. {_SEND}"
    expected = issue.expected if isinstance(issue.expected, str) else ""
    if issue.constraint != "json" or (found := _BYTE.fullmatch(expected)) is None:
        return None
    before, _, _ = str(revealed(issue.got)).partition("\ufffd")
    is_shown = before.strip() and not isinstance(issue.got, Secret)
    shown = clean(before[-MAX_SHOWN:]).replace("`", "'")
    place = f"after `{shown}`" if is_shown else f"at byte {int(found[2]) + 1:,}"
    return f"the arguments are not UTF-8 (byte {found[1]} {place}). {_SEND}"
