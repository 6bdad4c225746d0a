"""The formats `email` (the Mailbox of RFC 5321, section 4.1.2) and `idn-email` (with the extension of RFC
6531, section 3.3).
"""

from __future__ import annotations

import re

from toolgen_runtime.validation.formats.hosts import (
    LABELS,
    is_idn_hostname,
    is_ipv4,
    is_ipv6,
    is_ldh_hostname,
)
from toolgen_runtime.validation.patterns import full_match

_MAX_MAILBOX = 254
"""The maximum number of octets (RFC 5321, section 4.5.3.1.3, allows 256 for a path, including two angle brackets)."""
_MAX_LOCAL_PART = 64
"""The maximum number of octets (section 4.5.3.1.1)."""


_ATEXT = "A-Za-z0-9!#$%&'*+/=?^_`{|}~-"

# The common mailbox: a dot-string and a host name. It also matches two dots in a row, which the caller excludes.
_plain = re.compile(rf"(?!\.)[.{_ATEXT}]{{1,{_MAX_LOCAL_PART}}}+(?<!\.)@{LABELS}").fullmatch


def _local_part(non_ascii: str) -> str:
    atom = f"[{non_ascii}{_ATEXT}]++"
    quoted = rf'"(?:[ !#-\[\]-~{non_ascii}]|\\[ -~])*+"'
    return rf"{atom}(?:\.{atom})*+|{quoted}"


_ascii_local_part = full_match(lambda: _local_part(""))
# Every character that UTF-8 can encode, that is, without surrogates.
_local_part_any = full_match(lambda: _local_part("\u0080-\ud7ff\ue000-\U0010ffff"))


def is_email(text: str) -> bool:
    """Return whether a string is a mailbox: a dot-string or quoted string, `@`, and a host name or address
    literal.
    """
    if len(text) > _MAX_MAILBOX:
        return False
    if _plain(text) is not None and ".." not in text:
        return True
    local, _, domain = text.rpartition("@")
    if len(local) > _MAX_LOCAL_PART or _ascii_local_part(local) is None:
        return False
    return is_ldh_hostname(domain) or _is_address_literal(domain)


def is_idn_email(text: str) -> bool:
    """Return whether a string is a mailbox, with Unicode allowed in the local part and the domain labels.

    The domain need not be in NFC: RFC 6531 does not require it, and a DNS lookup normalizes the domain.
    """
    if "--" not in text and is_email(text):  # "--" may be part of a prefix, which only IDNA restricts
        return True
    if len(text) > _MAX_MAILBOX:
        return False
    from unicodedata import normalize

    local, _, domain = text.rpartition("@")
    if _local_part_any(local) is None or len(local.encode()) > _MAX_LOCAL_PART:
        return False
    return is_idn_hostname(normalize("NFC", domain)) or _is_address_literal(domain)


def _is_address_literal(domain: str) -> bool:
    if domain[:1] != "[" or domain[-1:] != "]":
        return False
    address = domain[1:-1]
    if address[:5].lower() == "ipv6:":
        return is_ipv6(address[5:])
    return is_ipv4(address) is not None
