"""`uri`, `uri-reference` (RFC 3986), `iri`, `iri-reference` (RFC 3987) and `uri-template` (RFC 6570).

Each grammar is one regular expression without a choice to go back on: runs are possessive, so that time is
linear. It takes `%` for one character among others, and what is in an IP literal for an address: both are
looked into only where there is one.
"""

from __future__ import annotations

import re

from toolgen_runtime.validation.formats.addresses import is_ipv6
from toolgen_runtime.validation.lazy import full_match

_UCSCHAR = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane << 16 | first)}-{chr(plane << 16 | 0xFFFD)}"
    for plane in range(1, 15)
    for first in (0x1000 if plane == 14 else 0,)
)
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_UNESCAPED = r"A-Za-z0-9._~\-!$&'()*+,;="
_IP_LITERAL = rf"\[(?:[0-9A-Fa-f:.]++|[Vv][0-9A-Fa-f]++\.[{_UNESCAPED}:]++)\]"


def _grammar(*, reference: bool, non_ascii: str = "", private: str = "") -> str:
    """The rule `URI` or `URI-reference`."""
    name = f"{_UNESCAPED}%{non_ascii}"
    start = "[A-Za-z][A-Za-z0-9+.-]*+:"
    if reference:  # Without a scheme, the first segment must not look like one.
        start = f"(?:{start}|(?![^:/?#]*+:))"
    port = "(?::[0-9]*+|)"
    host = f"(?:{_IP_LITERAL}|[{name}]*+){port}"
    # What follows a name and a colon is a port, unless an `@` shows that it was user information.
    authority = f"(?:{_IP_LITERAL}{port}|[{name}]*+(?::(?:[{name}:]*+@{host}|[0-9]*+)|@{host}|))"
    path = f"[{name}:@/]*+"
    query = f"[{name}:@/?{private}]*+"
    fragment = f"[{name}:@/?]*+"
    return rf"{start}(?://{authority}(?:/{path}|)|(?!//){path})(?:\?{query}|)(?:#{fragment}|)"


_uri = full_match(lambda: _grammar(reference=False))
_uri_reference = full_match(lambda: _grammar(reference=True))
_iri = full_match(lambda: _grammar(reference=False, non_ascii=_UCSCHAR, private=_IPRIVATE))
_iri_reference = full_match(lambda: _grammar(reference=True, non_ascii=_UCSCHAR, private=_IPRIVATE))


def is_uri(text: str) -> bool:
    """`URI`: has a scheme, ASCII only."""
    return _uri(text) is not None and (("%" not in text and "[" not in text) or _is_sound_inside(text))


def is_uri_reference(text: str) -> bool:
    """`URI-reference`: a URI or a relative reference, perhaps empty."""
    return _uri_reference(text) is not None and _is_sound_inside(text)


def is_iri(text: str) -> bool:
    """`IRI`: a URI in which `ucschar` may stand, and `iprivate` in the query."""
    if text.isascii():
        return is_uri(text)
    return _iri(text) is not None and _is_sound_inside(text)


def is_iri_reference(text: str) -> bool:
    """`IRI-reference`: an IRI or a relative reference, perhaps empty."""
    if text.isascii():
        return is_uri_reference(text)
    return _iri_reference(text) is not None and _is_sound_inside(text)


_stray_percent = re.compile("%(?![0-9A-Fa-f]{2})").search


def _is_sound_inside(text: str) -> bool:
    """Whether a text of the grammar encodes octets after each `%`, and has an address in an IP literal."""
    if "%" in text and _stray_percent(text) is not None:
        return False
    if "[" not in text:
        return True
    address = text[text.index("[") + 1 : text.index("]")]
    return address[0] in "Vv" or is_ipv6(address)


def _template() -> str:
    # Section 2.1 with erratum 6937, which lets the apostrophe be a literal.
    literals = rf"[!#$%&-;=?-\[\]_a-z~{_UCSCHAR}{_IPRIVATE}]*+"
    name = r"[A-Za-z0-9_%]++(?:\.[A-Za-z0-9_%]++)*+"
    variable = rf"{name}(?::[1-9][0-9]{{0,3}}+|\*|)"
    expression = rf"\{{(?:[+#./;?&=,!@|]|){variable}(?:,{variable})*+\}}"
    return f"{literals}(?:{expression}{literals})*+"


_uri_template = full_match(_template)


def is_uri_template(text: str) -> bool:
    """`URI-Template` of any level; the operators kept for extensions (`=,!@|`) belong to its grammar."""
    return _uri_template(text) is not None and ("%" not in text or _stray_percent(text) is None)
