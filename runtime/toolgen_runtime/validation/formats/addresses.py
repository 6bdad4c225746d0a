"""`ipv4` (RFC 2673 section 3.2, the dotted quad) and `ipv6` (RFC 4291 section 2.2, grammar of RFC 3986)."""

from __future__ import annotations

import re

from toolgen_runtime.validation.lazy_functions import full_match

_OCTET = "(?:1[0-9]{0,2}+|2(?:[0-4][0-9]?+|5[0-5]?+|[6-9]|)|[3-9][0-9]?+|0)"
_GROUP = "[0-9A-Fa-f]{1,4}+"


def _up_to(groups: int) -> str:
    return f"{_GROUP}(?::{_up_to(groups - 1)}|)" if groups > 1 else _GROUP


is_ipv4 = re.compile(r"\.".join([_OCTET] * 4)).fullmatch
"""Matches four decimal octets without leading zeros."""

_full = full_match(lambda: ":".join([_GROUP] * 8))
_compressed = full_match(lambda: f"(?:{_up_to(7)}|)::(?:{_up_to(7)}|)")


def is_ipv6(text: str) -> bool:
    """Return whether a text is an IPv6 address, without zone or mask.

    It has eight groups; `::` may replace some, a dotted quad the last two.
    """
    if "." in text:
        head, _, quad = text.rpartition(":")
        return is_ipv4(quad) is not None and is_ipv6(head + ":0:0")
    if "::" not in text:
        return _full(text) is not None
    # `::` leaves at most seven groups, as many as colons without those of a `::` at either end.
    colons = text.count(":")
    return _compressed(text) is not None and (
        colons < 8 or colons - text.startswith("::") - text.endswith("::") < 8
    )
