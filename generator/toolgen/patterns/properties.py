"""The properties that `\\p{...}` names.

Of a script only the form of its name is checked, since new ones are added every year: the engine decides whether
the script exists.
"""

from __future__ import annotations

import re

from toolgen.patterns.charsets import EVERYTHING, Ranges
from toolgen.patterns.nodes import Property
from toolgen_runtime.validation.formats.unicode_names import BINARY_PROPERTIES, GENERAL_CATEGORIES

_ASCII_HEX: Ranges = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
FIXED: dict[str, Ranges] = {
    "Any": EVERYTHING,
    "ASCII": ((0, 0x7F),),
    "ASCII_Hex_Digit": _ASCII_HEX,
    "AHex": _ASCII_HEX,
}
"""Properties that are the same in every version of Unicode."""

_SCRIPT_SHAPE = re.compile(r"[A-Z][A-Za-z]*(_[A-Z][A-Za-z]*)*")


def lookup(text: str) -> Ranges | Property | None:
    """Return the property that the text in the braces of a `\\p{...}` names; None if ECMA-262 has no such property."""
    name, equals, value = text.partition("=")
    if not equals:
        if name in FIXED:
            return FIXED[name]
        if name in GENERAL_CATEGORIES:
            return Property("gc", GENERAL_CATEGORIES[name])
        return Property("binary", name) if name in BINARY_PROPERTIES else None
    if name in ("General_Category", "gc"):
        return Property("gc", GENERAL_CATEGORIES[value]) if value in GENERAL_CATEGORIES else None
    if not _SCRIPT_SHAPE.fullmatch(value):
        return None
    if name in ("Script", "sc"):
        return Property("sc", value)
    return Property("scx", value) if name in ("Script_Extensions", "scx") else None
