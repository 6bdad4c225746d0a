"""Slips within a text that begins as JSON: what stands at its fault."""

from __future__ import annotations

import re

from toolgen_runtime.hints.malformed import tokens
from toolgen_runtime.hints.malformed.broken_text import BrokenText

MAX_SCANNED = 10_000
MAX_DIGITS = 25
_WORD = re.compile(r"[A-Za-z_$][\w$.-]*")
_NUMBER = re.compile(r"[+-]*\.?\d")
_OF_NUMBERS = tuple("._xXoObBeE0123456789")
_DIGITS = re.compile(r"\d{1,20}")
_GROUPS = re.compile(r"(?:\A|[^\d.])\d{1,3},\d{3}\Z")
_VALUE_END = re.compile(r",\s*\"\Z")
_KEY_END = re.compile(r"[\w$.-]{1,60}\"\s*:")
_OPERAND = re.compile(r"[\w.\"']")
_WORDS = {
    "none": "null",
    "nil": "null",
    "true": "true",
    "false": "false",
    "null": "null",
}
_NO_NUMBERS = frozenset(("nan", "infinity", "-infinity", "inf", "-inf"))
_CURLY = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb"
"""Typographic quotes."""
_KEY = "a key in double quotes"
_COLON = '":" after the key'
_VALUE = "a JSON value"
_CONTROLS = {"\\u000a": ("line break", "\\n"), "\\u000d": ("line break", "\\n"), "\\u0009": ("tab", "\\t")}


def control(text: BrokenText) -> str | None:
    """Return a line break, or another control character, in a string."""
    code, found, _ = text.fault.expected.partition(" in place of the bare control character")
    if not found:
        return None
    name, escape = _CONTROLS.get(code, ("control character", code))
    seen = text.seen(text.before[-20:], lead=", after ")
    return f"a string has a bare {name}{text.place}{seen}. Write it as {escape}."


def escape(text: BrokenText) -> str | None:
    """Return a backslash that begins no escape, as in Windows paths and patterns."""
    if text.fault.expected != "an escape that JSON knows":
        return None
    seen = text.seen(text.rest, 12)
    as_it_is = "' as it is, " if text.rest.startswith("\\'") else ""
    return f"a backslash begins no escape{text.place}{seen}. Write {as_it_is}each backslash as \\\\."


def comment(text: BrokenText) -> str | None:
    """Return a comment."""
    if not text.rest.startswith(("//", "/*", "#", "<!--")):
        return None
    return f"JSON has no comments{text.seen(text.rest)}. Leave it out."


def ellipsis(text: BrokenText) -> str | None:
    """Dots for what was left out."""
    if not text.rest.startswith(("...", "…")):
        return None
    return f'the arguments are shortened with "..."{text.place}. Send them in full.'


def comma(text: BrokenText) -> str | None:
    """Return a comma before a closing bracket, before another comma, or after an opening bracket."""
    first, before = text.rest[:1], text.before[-1:]
    if before == "," and first in ("}", "]", ","):
        what = "another comma" if first == "," else f'the closing "{first}"'
        return f"there is a comma before {what}. Leave it out."
    if before in ("{", "[") and first == ",":
        return f'there is a comma after the opening "{before}". Leave it out.'
    return None


def quotes(text: BrokenText) -> str | None:
    """Single, typographic or back quotes."""
    first = text.rest[:1]
    if first and first in _CURLY:
        return f"typographic quotes are used{text.seen(text.rest, 20)}. Send plain double quotes."
    if first not in ("'", "`") or text.fault.expected not in (_KEY, _VALUE):
        return None
    seen = text.seen(text.rest, 20)
    if re.search(r"\b(?:True|False|None)\b", text.text[:MAX_SCANNED]) is not None:
        return f"the arguments are a Python literal{seen}. Send JSON: double quotes, true, false, null."
    return f"keys and strings take double quotes{seen}. Send them so."


def word(text: BrokenText) -> str | None:
    """Return a word that JSON lacks: a constant of another language, a name or a text without quotes, a call."""
    found = _WORD.match(text.rest.removeprefix("-"))
    if found is None or text.fault.expected not in (_KEY, _VALUE, "a number"):
        return None
    name = found[0]
    if name.lower() in _NO_NUMBERS:
        return f"{name} is not JSON: send a number{text.place}, or leave it out."
    if text.fault.expected == _KEY:
        return f"the keys have no quotes{text.seen(name)}. Put each in double quotes."
    if name == "undefined":
        return f"undefined is not JSON{text.place}: leave the field out."
    if (json_word := _WORDS.get(name.lower())) is not None:
        return f"{name} is not JSON{text.place}: it is written {json_word}."
    if text.rest[found.end() :].lstrip().startswith(("(", "+", "[")) or name == "new":
        return f"an expression stands{text.place or ' for a value'}{text.seen(text.rest)}. Send its value."
    if text.rest[found.end() :].startswith('"'):
        return (
            f"a string has no opening quote{text.place}{text.seen(text.rest, 20)}. Put it in double quotes."
        )
    return f"a value has no quotes{text.place}{text.seen(name)}. Put strings in double quotes."


def expression(text: BrokenText) -> str | None:
    """Something to compute: `3 * 5`, `"a" + b`, `1/2`."""
    first = text.rest[:1]
    if not (text.fault.expected.startswith('"," or') and _OPERAND.match(text.before[-1:])):
        return None
    if first and first in "+-*/%^|&?<>=(":
        return (
            f"an expression stands{text.place or ' for a value'}{text.seen(text.value, 20)}. Send its value."
        )
    return None


def number(text: BrokenText) -> str | None:
    """Return a number as other languages write it: signs, points, digits in groups, other bases."""
    is_after = text.fault.expected.startswith('"," or') and text.is_within and text.rest[:1] in _OF_NUMBERS
    if not _NUMBER.match(text.value) or (text.fault.expected not in (_VALUE, "a number") and not is_after):
        return None
    token = tokens.token_at(text.value)
    strict = tokens.number_of(token[0]) if token is not None and token.lastgroup == "odd" else ""
    send = f"Send {strict}." if strict and len(strict) < MAX_DIGITS else "Send its plain digits."
    return f"a number is not written as in JSON{text.place}{text.seen(text.value, 12)}. {send}"


def digits(text: BrokenText) -> str | None:
    """Return digits in the place of a key: a key without quotes, or part of a number in groups, `1,000`."""
    found = _DIGITS.match(text.rest)
    if found is None or text.fault.expected != _KEY:
        return None
    if _GROUPS.search(text.before[-5:] + found[0]):
        return f"a number has a comma in it, before `{found[0]}`. Send its plain digits."
    return f"the keys have no quotes{text.seen(found[0])}. Put each in double quotes."


def separator(text: BrokenText) -> str | None:
    """Return a comma or a colon that is missing, a quote within a string, brackets that do not match."""
    expected, first = text.fault.expected, text.rest[:1]
    seen = text.seen(text.rest, 20, ", before ")
    if expected == _COLON:
        return f"a colon is missing after a key{seen}. Put it there."
    if not expected.startswith('"," or'):
        return None
    if first == ";":
        return f"a semicolon stands after a member{text.place}{seen}. Send a comma."
    if text.before.endswith('""') and first == '"':
        return f"triple quotes are used{text.place}. Send one double quote at each end, line breaks as \\n."
    if _VALUE_END.search(text.before) and _KEY_END.match(text.rest):
        return f"a string has no closing quote{text.place}{seen}. Put it there."
    if text.before.endswith('"') and first and (first.isalnum() or first in ".!?;-'"):
        return f'a double quote ends a string too early{text.place}{seen}. Within a string, write it as \\".'
    if first in ("}", "]", ")"):
        return f'a "{first}" closes what another kind of bracket opened{text.place}. Close each with its own.'
    if text.before[-1:].isdigit() and (first == ":" or first.isalpha()):
        return f"a value has no quotes{text.place}{text.seen(text.value, 12)}. Put strings in double quotes."
    return f"a comma is missing{text.place}{seen}. Put it there."


def anything(text: BrokenText) -> str | None:
    """Return what no other rule knows: what is expected, and what is there."""
    seen = text.seen(text.rest, 20, ", not ")
    return f"the arguments are not valid JSON: {text.fault.expected} is expected{text.place}{seen}."
