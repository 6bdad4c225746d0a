"""`ipv4` (RFC 2673 section 3.2, the dotted quad) and `ipv6` (RFC 4291 section 2.2, grammar of RFC 3986)."""

from __future__ import annotations

import re

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_QUAD = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_GROUP = "[0-9A-Fa-f]{1,4}"
_LAST = f"(?:{_GROUP}:{_GROUP}|{_QUAD})"


def _compressed(before: int) -> str:
    """Addresses with at most `before` groups ahead of their `::`, and as many behind it as that leaves."""
    head = f"(?:(?:{_GROUP}:){{0,{before - 1}}}{_GROUP})?" if before else ""
    behind = 7 - before
    if behind == 0:
        return f"{head}::"
    if behind == 1:
        return f"{head}::{_GROUP}"
    return f"{head}::(?:{_GROUP}:){{{behind - 2}}}{_LAST}"


_FULL = f"(?:{_GROUP}:){{6}}{_LAST}"

_ipv4 = re.compile(_QUAD).fullmatch
_ipv6 = re.compile("|".join([_FULL, *map(_compressed, range(8))])).fullmatch


def is_ipv4(text: str) -> bool:
    """Four decimal octets, no leading zeros."""
    return _ipv4(text) is not None


def is_ipv6(text: str) -> bool:
    """Eight groups, some perhaps left to a `::`, the last two perhaps a dotted quad; no zone, no mask."""
    return _ipv6(text) is not None
