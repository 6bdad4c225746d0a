"""The formats `uri`, `uri-reference` (RFC 3986), `iri`, `iri-reference` (RFC 3987) and `uri-template` (RFC
6570).

Each grammar is one regular expression with possessive repetitions, so that it takes linear time. The expression treats
`%` as an ordinary character and accepts any digits in an IP literal; strings that contain either are checked further.
"""

from __future__ import annotations

import re

from toolgen_runtime.validation.formats.hosts import is_ipv6
from toolgen_runtime.validation.patterns import full_match

_UCSCHAR = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane << 16 | first)}-{chr(plane << 16 | 0xFFFD)}"
    for plane in range(1, 15)
    for first in (0x1000 if plane == 14 else 0,)
)
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_UNESCAPED = r"A-Za-z0-9._~\-!$&'()*+,;="
_IP_LITERAL = rf"\[(?:[0-9A-Fa-f:.]++|[Vv][0-9A-Fa-f]++\.[{_UNESCAPED}:]++)\]"


def _grammar(*, reference: bool, non_ascii: str = "", private: str = "") -> str:
    """Return the regular expression of `URI` or `URI-reference`."""
    name = f"{_UNESCAPED}%{non_ascii}"
    start = "[A-Za-z][A-Za-z0-9+.-]*+:"
    if reference:  # Without a scheme, the first segment must not have a colon.
        start = f"(?:{start}|(?![^:/?#]*+:))"
    port = "(?::[0-9]*+|)"
    host = f"(?:{_IP_LITERAL}|[{name}]*+){port}"
    # After a name and a colon comes a port, or user information if there is an `@` later.
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
    """Return whether a string is a `URI`, which has a scheme and only ASCII characters."""
    return _uri(text) is not None and (("%" not in text and "[" not in text) or _is_sound_inside(text))


def is_uri_reference(text: str) -> bool:
    """Return whether a string is a `URI-reference`: a URI, or a relative reference (which may be empty)."""
    return _uri_reference(text) is not None and _is_sound_inside(text)


def is_iri(text: str) -> bool:
    """Return whether a string is an `IRI`: a URI that may also contain `ucschar`, and `iprivate` in the query."""
    return _iri(text) is not None and _is_sound_inside(text)


def is_iri_reference(text: str) -> bool:
    """Return whether a string is an `IRI-reference`: an IRI, or a relative reference (which may be empty)."""
    return _iri_reference(text) is not None and _is_sound_inside(text)


_stray_percent = re.compile("%(?![0-9A-Fa-f]{2})").search


def _is_sound_inside(text: str) -> bool:
    """Return whether each `%` is followed by two hexadecimal digits and an IP literal contains a valid address."""
    if "%" in text and _stray_percent(text) is not None:
        return False
    if "[" not in text:
        return True
    address = text[text.index("[") + 1 : text.index("]")]
    return address[0] in "Vv" or is_ipv6(address)


def _template() -> str:
    # Section 2.1 with erratum 6937, which makes the apostrophe a literal.
    literals = rf"[!#$%&-;=?-\[\]_a-z~{_UCSCHAR}{_IPRIVATE}]*+"
    name = r"[A-Za-z0-9_%]++(?:\.[A-Za-z0-9_%]++)*+"
    variable = rf"{name}(?::[1-9][0-9]{{0,3}}+|\*|)"
    expression = rf"\{{(?:[+#./;?&=,!@|]|){variable}(?:,{variable})*+\}}"
    return f"{literals}(?:{expression}{literals})*+"


_uri_template = full_match(_template)


def is_uri_template(text: str) -> bool:
    """Return whether a string is a `URI-Template` of any level, including the reserved operators (`=,!@|`)."""
    return _uri_template(text) is not None and ("%" not in text or _stray_percent(text) is None)
