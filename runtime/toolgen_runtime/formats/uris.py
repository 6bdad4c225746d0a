"""`uri`, `uri-reference` (RFC 3986), `iri`, `iri-reference` (RFC 3987) and `uri-template` (RFC 6570).

Each grammar is one regular expression without a choice to go back on: runs are possessive, so that time is
linear. The address in an IP literal is left to `ipv6`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from toolgen_runtime.formats.addresses import is_ipv6

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Matcher = Callable[[str], re.Match[str] | None]

_UCSCHAR = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane << 16 | first)}-{chr(plane << 16 | 0xFFFD)}"
    for plane in range(1, 15)
    for first in (0x1000 if plane == 14 else 0,)
)
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_PERCENT = "%[0-9A-Fa-f]{2}"
_SUB_DELIMS = "!$&'()*+,;="


def _run(chars: str) -> str:
    """Any number of these characters and percent-encoded octets."""
    return f"(?:[{chars}]++|{_PERCENT})*+"


@lru_cache(maxsize=4)
def _grammar(*, reference: bool, non_ascii: str = "", private: str = "") -> Matcher:
    """The rule `URI` or `URI-reference`; group `ip` is what looks like an IPv6 address."""
    name = rf"A-Za-z0-9._~\-{_SUB_DELIMS}{non_ascii}"
    start = "[A-Za-z][A-Za-z0-9+.-]*+:"
    if reference:  # Without a scheme, the first segment must not look like one.
        start = f"(?:{start}|(?![^:/?#]*+:))"
    path = _run(name + ":@/")
    future_ip = rf"[Vv][0-9A-Fa-f]++\.[A-Za-z0-9._~\-{_SUB_DELIMS}:]++"
    host = rf"(?:\[(?:(?P<ip>[0-9A-Fa-f:.]++)|{future_ip})\]|{_run(name)})"
    authority = f"(?:{_run(name + ':')}@)?{host}(?::[0-9]*+)?"
    query = _run(name + ":@/?" + private)
    fragment = _run(name + ":@/?")
    return re.compile(
        rf"{start}(?://{authority}(?:/{path})?|(?!//){path})(?:\?{query})?(?:#{fragment})?"
    ).fullmatch


def _matches(grammar: Matcher, text: str) -> bool:
    match = grammar(text)
    return match is not None and (match["ip"] is None or is_ipv6(match["ip"]))


def is_uri(text: str) -> bool:
    """`URI`: has a scheme, ASCII only."""
    return _matches(_grammar(reference=False), text)


def is_uri_reference(text: str) -> bool:
    """`URI-reference`: a URI or a relative reference, perhaps empty."""
    return _matches(_grammar(reference=True), text)


def is_iri(text: str) -> bool:
    """`IRI`: a URI in which `ucschar` may stand, and `iprivate` in the query."""
    return _matches(_grammar(reference=False, non_ascii=_UCSCHAR, private=_IPRIVATE), text)


def is_iri_reference(text: str) -> bool:
    """`IRI-reference`: an IRI or a relative reference, perhaps empty."""
    return _matches(_grammar(reference=True, non_ascii=_UCSCHAR, private=_IPRIVATE), text)


@lru_cache(maxsize=1)
def _template() -> Matcher:
    # Section 2.1 with erratum 6937, which lets the apostrophe be a literal.
    literal = rf"[!#$&-;=?-\[\]_a-z~{_UCSCHAR}{_IPRIVATE}]++|{_PERCENT}"
    name_part = f"(?:[A-Za-z0-9_]++|{_PERCENT})++"
    variable = rf"{name_part}(?:\.{name_part})*+(?::[1-9][0-9]{{0,3}}|\*)?"
    expression = rf"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*+\}}"
    return re.compile(f"(?:{literal}|{expression})*+").fullmatch


def is_uri_template(text: str) -> bool:
    """`URI-Template` of any level; the operators kept for extensions (`=,!@|`) belong to its grammar."""
    return _template()(text) is not None
