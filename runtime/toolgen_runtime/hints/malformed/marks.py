"""Slips in the marks of JSON: braces, quotes, colons and spaces that are others, doubled or escaped."""

from __future__ import annotations

import re
import unicodedata

from toolgen_runtime.hints.malformed.broken_text import BrokenText

_NAME = r"[\w$.-]{1,60}"
_PLACEHOLDER = re.compile(r"\{\{[\w .$-]{1,60}\}\}|<[A-Za-z][\w -]{0,60}>|\$\{[^{}]{1,60}\}|\$[A-Za-z_]\w*")
_HALF_KEY = re.compile(rf"{_NAME}\"\s*[:=]")
_UNCLOSED_KEY = re.compile(rf"\"{_NAME}\s*:[^\"]*\"\Z")
_LAST_KEY = re.compile(rf"[{{,]\s*(\"{_NAME}\s*:[^\"]*[}}\]])\s*\Z")
_FULL_WIDTH = "\uff0c\uff1a\uff1b\u3001\uff3b\uff3d\uff5b\uff5d\uff08\uff09"
_KEY = "a key in double quotes"
_COLON = '":" after the key'
_VALUE = "a JSON value"


def placeholder(text: BrokenText) -> str | None:
    """Return a variable of a template in the place of a value."""
    start = text.text[max(text.fault.at - 1, 0) :][:200] if text.fault.expected == _KEY else text.rest
    found = _PLACEHOLDER.match(start)
    if found is None or text.fault.expected not in (_KEY, _VALUE) or not text.place:
        return None
    return f"a placeholder stands{text.place}{text.seen(found[0])}. Send its value."


def braces(text: BrokenText) -> str | None:
    """Return braces that are doubled, as in templates."""
    if text.fault.expected != _KEY or text.before[-1:] != "{" or text.rest[:1] != "{":
        return None
    return f"the braces are doubled{text.place}{text.seen('{' + text.rest, 20)}. Send each brace once."


def half_key(text: BrokenText) -> str | None:
    """Return a key with one quote."""
    if text.fault.expected == _KEY and _HALF_KEY.match(text.rest):
        return f"a key has no opening quote{text.seen(text.rest, 20)}. Put each key in double quotes."
    if text.fault.expected == _COLON and (found := _UNCLOSED_KEY.search(text.before)) is not None:
        return (
            f"a key has no closing quote{text.seen(found[0] + text.rest, 20)}. Put each key in double quotes."
        )
    return None


def unclosed_last_key(text: BrokenText) -> str | None:
    """Return a key without its closing quote that makes the rest of a text look cut off."""
    found = _LAST_KEY.search(text.text[-200:])
    if text.is_excerpt or text.fault.expected != "string" or found is None:
        return None
    return f"a key has no closing quote{text.seen(found[1])}. Put each key in double quotes."


def colon(text: BrokenText) -> str | None:
    """Return what stands for a colon, a colon too many, and a key or a value that is missing."""
    expected, first = text.fault.expected, text.rest[:1]
    seen = text.seen(text.rest, 20, ", before ")
    if expected == _COLON and first == "=":
        return f'"=" stands after a key{seen}. Send a colon there.'
    if expected == _COLON and first in ("}", ","):
        return f"a key has no value{seen}. Send a value for it, or leave it out."
    if expected == _VALUE and first == ":":
        return f"there is a colon too many{text.place}{seen}. Leave it out."
    if expected == _VALUE and first in ("}", ",", "]") and text.before.endswith(":"):
        return f"a value is missing{text.place}{seen}. Send one, or leave the field out."
    return None


def full_width(text: BrokenText) -> str | None:
    """Return punctuation of Chinese or Japanese, and spaces that JSON does not know."""
    first = text.rest[:1]
    if first and first in _FULL_WIDTH:
        return f"full-width punctuation is used{text.place}{text.seen(text.rest, 20)}. Send the plain marks of JSON."
    if first and unicodedata.category(first) in ("Zs", "Zl", "Zp", "Cf"):
        return f"the character U+{ord(first):04X} stands outside of strings{text.place}. Send plain spaces there."
    return None


def escaped(text: BrokenText) -> str | None:
    """Return marks that are escaped, for a JSON string or for HTML."""
    if text.fault.expected == "an escape that JSON knows":
        return None
    if text.rest.startswith('\\"'):
        return f'the quotes are escaped{text.place}{text.seen(text.rest, 20)}. Send plain double quotes, not \\".'
    if text.rest.startswith("\\"):
        return f"a backslash stands outside of strings{text.place}{text.seen(text.rest, 12)}. Leave it out."
    if text.rest.startswith("&"):
        return (
            f"characters are written as in HTML{text.place}{text.seen(text.rest, 20)}. Send them as they are."
        )
    return None


def tuples(text: BrokenText) -> str | None:
    """Return a tuple in the place of a list."""
    if text.fault.expected != _VALUE or re.match(r"\([^()*/+]{0,60}[,)]", text.rest) is None:
        return None
    return f"a tuple stands{text.place or ' for a list'}{text.seen(text.rest, 20)}. Send a list, in [ ]."
