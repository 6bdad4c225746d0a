"""`ipv4` (RFC 2673 section 3.2, the dotted quad) and `ipv6` (RFC 4291 section 2.2, grammar of RFC 3986)."""

from __future__ import annotations

import re

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_QUAD = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_GROUP = "[0-9A-Fa-f]{1,4}"

_ipv4 = re.compile(_QUAD).fullmatch
_full = re.compile(f"(?:{_GROUP}:){{6}}(?:{_GROUP}:{_GROUP}|{_QUAD})").fullmatch
_compressed = re.compile(f"(?:{_GROUP}(?::{_GROUP})*+)?::(?:(?:{_GROUP}:)*+(?:{_QUAD}|{_GROUP}))?").fullmatch


def is_ipv4(text: str) -> bool:
    """Four decimal octets, no leading zeros."""
    return _ipv4(text) is not None


def is_ipv6(text: str) -> bool:
    """Eight groups, some perhaps left to a `::`, the last two perhaps a dotted quad; no zone, no mask."""
    if "::" not in text:
        return _full(text) is not None
    # As many groups as colons, but for those of a `::` at either end; a dotted quad is two.
    groups = text.count(":") - text.startswith("::") - text.endswith("::") + ("." in text)
    return groups < 8 and _compressed(text) is not None
