"""`hostname` (RFC 1123 section 2.1, A-labels as RFC 5891 wants them) and `idn-hostname` (RFC 5890, 5891)."""

from __future__ import annotations

import re

_LABEL = "[A-Za-z0-9][A-Za-z0-9-]{0,62}+(?<!-)"
LABELS = rf"{_LABEL}(?:\.{_LABEL})*+"
"""Dotted labels of letters, digits and inner hyphens, in the syntax of `re`."""

_hostname = re.compile(LABELS).fullmatch
# RFC 3490 section 3.1: what else is typed for a full stop.
_split_at_dots = re.compile("[.\u3002\uff0e\uff61]").split

_MAX_LENGTH = 253
"""Characters of a name as DNS has it (255 octets on the wire), an A-label counted as written."""


def is_ldh_hostname(text: str) -> bool:
    """`LABELS` within the length limits of DNS."""
    return len(text) <= _MAX_LENGTH and _hostname(text) is not None


def is_hostname(text: str) -> bool:
    """An ASCII host name; a label that starts with `xn--` must be a true A-label."""
    if len(text) > _MAX_LENGTH or _hostname(text) is None:
        return False
    return "--" not in text or "xn--" not in text.lower() or _is_domain(text.split("."))


def is_idn_hostname(text: str) -> bool:
    """A host name of ASCII labels, A-labels and U-labels under IDNA 2008; nothing is mapped."""
    if len(text) > _MAX_LENGTH:
        return False
    if text.isascii() and "--" not in text:
        return _hostname(text) is not None
    labels = _split_at_dots(text)
    return not any(map(_is_reserved, labels)) and _is_domain(labels)


def _is_reserved(label: str) -> bool:
    """Two hyphens after two characters mark a prefix; only `xn--` means anything (RFC 5891, 4.2.3.1)."""
    return label[2:4] == "--" and label[:2].lower() != "xn"


def _is_domain(labels: list[str]) -> bool:
    from toolgen_runtime.validation.formats.idna import ascii_and_unicode, satisfy_bidi_rule

    forms = []
    for label in labels:
        form = ascii_and_unicode(label)
        if form is None:
            return False
        forms.append(form)
    if sum(len(ascii_form) + 1 for ascii_form, _ in forms) - 1 > _MAX_LENGTH:
        return False
    return satisfy_bidi_rule([unicode_form for _, unicode_form in forms])
