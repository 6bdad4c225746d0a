"""The formats for host names and IP addresses.

The formats are `hostname` (RFC 1123, section 2.1; A-labels as in RFC 5891), `idn-hostname` (RFC 5890, 5891), `ipv4`
(RFC 2673, section 3.2, the dotted quad) and `ipv6` (RFC 4291, section 2.2).
"""

from __future__ import annotations

import re
from _socket import AF_INET6, inet_pton  # `socket` would load other modules too

_LABEL = "[A-Za-z0-9][A-Za-z0-9-]{0,62}+(?<!-)"
LABELS = rf"{_LABEL}(?:\.{_LABEL})*+"
"""Dotted labels of letters, digits and inner hyphens, in the syntax of `re`."""

_hostname = re.compile(LABELS).fullmatch
# The characters that count as full stops (RFC 3490 section 3.1).
_split_at_dots = re.compile("[.\u3002\uff0e\uff61]").split

_MAX_HOST_LENGTH = 253
"""The maximum length of a DNS name in characters (255 octets when sent), with A-labels as written."""


def is_ldh_hostname(text: str) -> bool:
    """Return whether a string consists of dotted labels of ASCII letters, digits and hyphens.

    The whole string must also be short enough for DNS.
    """
    return len(text) <= _MAX_HOST_LENGTH and _hostname(text) is not None


def is_hostname(text: str) -> bool:
    """Return whether a string is an ASCII host name. A label that starts with `xn--` must be an A-label."""
    if len(text) > _MAX_HOST_LENGTH or _hostname(text) is None:
        return False
    return "--" not in text or "xn--" not in text.lower() or _is_domain(text.split("."))


def is_idn_hostname(text: str) -> bool:
    """Return whether a string is a host name of ASCII labels, A-labels and U-labels (IDNA 2008 without mapping)."""
    if len(text) > _MAX_HOST_LENGTH:
        return False
    if text.isascii() and "--" not in text:
        return _hostname(text) is not None
    labels = _split_at_dots(text)
    # Other prefixes than `xn--` are reserved (RFC 5891, 4.2.3.1).
    return all(label[2:4] != "--" or label[:2].lower() == "xn" for label in labels) and _is_domain(labels)


def _is_domain(labels: list[str]) -> bool:
    from toolgen_runtime.validation.formats.idna import ascii_and_unicode, satisfy_bidi_rule

    forms = []
    for label in labels:
        form = ascii_and_unicode(label)
        if form is None:
            return False
        forms.append(form)
    if sum(len(ascii_form) + 1 for ascii_form, _ in forms) - 1 > _MAX_HOST_LENGTH:
        return False
    return satisfy_bidi_rule([unicode_form for _, unicode_form in forms])


_OCTET = "(?:1[0-9]{0,2}+|2(?:[0-4][0-9]?+|5[0-5]?+|[6-9]|)|[3-9][0-9]?+|0)"

is_ipv4 = re.compile(r"\.".join([_OCTET] * 4)).fullmatch
"""Matches four decimal octets without leading zeros."""


def is_ipv6(text: str) -> bool:
    """Return whether a string is an IPv6 address without a zone or mask. It may end in dotted IPv4 notation."""
    if "." in text:
        head, _, quad = text.rpartition(":")
        return is_ipv4(quad) is not None and is_ipv6(head + ":0:0")
    try:
        inet_pton(AF_INET6, text)
    except (OSError, ValueError):  # ValueError: a null character, or a surrogate
        return False
    return "%" not in text
