"""Read text that is not valid JSON, and return its value and its mistakes (slips). Nothing else reads such
text.

Text is never completed: a truncated text, or one that contains different objects, has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.malformed import around_json
from toolgen_runtime.hints.malformed.loose_json import TextReading, read_loosely
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, revealed
from toolgen_runtime.validation.json_text import read

Check = Callable[[Any], list[ValidationIssue]]
MAX_ARGUMENTS_TEXT = 2_000_000
"""The most characters of a text that is read."""
MAX_TEXT_LEVELS = 3
"""The most levels of JSON strings inside each other."""
_AFTER = "; \t\r\n\u200b\ufeff"
_ESCAPED = re.compile(r'[\[{](?:[^"\\]|\\")++(?<=[\]}])')
"""JSON in which each quote, and nothing else, has a backslash before it."""
Certain = Literal["always", "if fields", "if valid", "never"]
"""`if fields`: the keys at the slip are declared fields; `if valid`: the value passes the check."""


class Kind(NamedTuple):
    """The sentence about one kind of slip, and when a value that was read in spite of it is certain.

    The sentence has placeholders for parts of the text.
    """

    sentence: str
    certain: Certain = "always"


_ALONE, _ONCE, _OUT = "Send the JSON object alone.", "Send it once.", "Leave it out."
_PUT = "Put it there."
KINDS = {
    # Slips around the JSON.
    "encoded": Kind(f"the JSON is in a string. {_ALONE}"),
    "escaped": Kind("there is a backslash before each quote. Send the JSON object without them."),
    "thoughts": Kind("the arguments begin with your thoughts. Send the JSON object alone, without them."),
    "fence": Kind(f"the arguments are in a code fence. {_ALONE}"),
    "tags": Kind(f"there are tags around the arguments{{seen}}. {_ALONE}"),
    "call": Kind(f"the arguments are written as a call{{seen}}. {_ALONE}"),
    "introduction": Kind(f"the arguments begin with words{{seen}}. {_ALONE}"),
    "words": Kind(
        "there is text around the JSON of the arguments{seen}. If the call is meant, send the JSON object alone.",
        "never",
    ),
    "repeated": Kind(f"the arguments contain the same JSON object more than once. {_ONCE}"),
    "repetition cut off": Kind(f"the arguments contain the JSON object more than once. {_ONCE}", "never"),
    "empty object": Kind("there is an empty object, {{}}, next to the arguments. Send the other object alone."),
    "parts": Kind("the arguments are split into several JSON objects. Send one object with all fields.", "never"),
    "bracket": Kind(f"there is a closing bracket too many at the end. {_OUT}"),
    "semicolon": Kind(f"there is a semicolon after the JSON. {_OUT}"),
    "no opening brace": Kind("the opening brace is missing{seen}. Send a JSON object, in {{ }}.", "if fields"),
    # Slips inside the JSON.
    "comma": Kind(f"there is a comma too many{{place}}{{before}}. {_OUT}"),
    "quotes": Kind("keys and strings are not in double quotes{seen}. Use double quotes."),
    "backslash": Kind(
        "there is a backslash in other quotes{place}{seen}. Use double quotes, and \\\\ for each backslash.", "never"
    ),
    "line break": Kind("{subject} has a raw line break{after}. Write it as \\n."),
    "tab": Kind("{subject} has a raw tab{after}. Write it as \\t."),
    "key": Kind("the keys have no quotes{seen}. Put each key in double quotes."),
    "no comma": Kind(f"a comma is missing{{place}}{{before}}. {_PUT}", "if fields"),
    "two at a key": Kind(f"a comma is missing{{place}}{{before}}. {_PUT}", "never"),
    "constant": Kind("a constant of Python is used{place}{seen}. Send JSON: true, false, null."),
    "word": Kind(
        "a word that is not JSON is used{place}{seen}. Send true, false or null, or put it in double quotes.", "never"
    ),
    "plus": Kind(f"a number has a plus before it{{place}}{{seen}}. {_OUT}", "if valid"),
    "comment": Kind(f"there is a comment, which JSON does not have{{seen}}. {_OUT}", "never"),
    "space": Kind("a space that JSON does not know is outside of strings{place}. Send plain spaces."),
}  # fmt: skip
"""The closed list of slips: a reading is certain only if each of its slips is."""


def read_text(text: str | bytes) -> TextReading:
    """Return the value and the slips of a text. The value is `MISSING` if the text has no value or several."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return TextReading()
    if len(text) > MAX_ARGUMENTS_TEXT:
        return TextReading()
    slips: tuple[str, ...] = ()
    for _ in range(MAX_TEXT_LEVELS):
        value, issues = read(text)
        if any(issue.constraint == "duplicate_key" for issue in issues):
            return TextReading()
        if issues:
            return _after(slips, _framed(text.strip()))
        if not isinstance(value, str):
            return TextReading(value, slips)
        text, slips = value, ("encoded",)
    return TextReading()


def _after(slips: tuple[str, ...], reading: TextReading, calls: frozenset[str] = frozenset()) -> TextReading:
    return reading._replace(slips=(*slips, *reading.slips), calls=reading.calls | calls)


def _framed(text: str) -> TextReading:
    """Read a text after removing the thoughts, the code fence and the tags of a call."""
    slips: list[str] = []
    calls = frozenset[str]()
    core = around_json.without_thoughts(text)
    if core != text:
        slips.append("thoughts")
    for frame in (around_json.fenced, around_json.untagged):
        if (found := frame(core)) is not None:
            core, calls = found.value, calls | found.calls
            slips += found.slips
    return _after((*slips,), _core(core), calls)


def _core(core: str) -> TextReading:
    value, issues = read(core)
    if not issues:
        if isinstance(value, dict | list):
            return TextReading(value)
        return TextReading()
    if _ESCAPED.fullmatch(core):
        value, faults = read(core.replace('\\"', '"'))
        if not faults and isinstance(value, dict | list):
            return TextReading(value, ("escaped",))
    whole, end = read_loosely(core)
    if core[end:].strip(_AFTER):
        whole = TextReading(slips=whole.slips)
    elif core[end:].strip() and whole.value is not MISSING:
        whole = whole._replace(slips=(*whole.slips, "semicolon"))
    if whole.value is not MISSING or any(issue.constraint == "truncated" for issue in issues):
        return whole
    inner, end = read_loosely("{" + core)
    is_whole = not core.startswith(",")  # else something before the comma is lost
    if is_whole and isinstance(inner.value, dict) and inner.value and end == len(core) + 1:
        names = inner.names | {next(iter(inner.value))}
        return inner._replace(slips=("no opening brace", *inner.slips), names=names)
    return around_json.sole_object(core) or whole


def is_split(reading: TextReading, check: Check | None) -> bool:
    """Return whether a text holds several objects that together are the arguments of one call.

    This is so if only the object with all their fields is valid.
    """
    return check is not None and not check(reading.value) and all(map(check, reading.parts))


def is_certain(reading: TextReading, facts: SchemaFacts, check: Check | None, tool: str) -> bool:
    """Return whether a text can mean no other value, given the tool's name, schema and check.

    Each slip must be certain (`KINDS`) or meet its condition; a tool named in the text must be this tool, and a
    label before the object must not be a field.
    """
    if reading.value is MISSING:
        return False
    conditions = {KINDS[slip].certain for slip in reading.slips}
    if "never" in conditions or any(name.removeprefix("functions.") != tool for name in reading.calls):
        return False
    if "if valid" in conditions and (check is None or check(reading.value)):
        return False
    if not reading.names and not reading.label:
        return True
    declared = facts.declared_names
    return reading.names <= declared and reading.label not in declared


def parsed_text(
    payload: str | bytes, issues: Sequence[ValidationIssue], has_secrets: bool
) -> tuple[Any, tuple[Edit, ...]]:
    """Return the value of a JSON text, with the edit that replaces the text with it.

    If the issues are about the text itself, which was sent instead of the object, return the text unchanged and no
    edit.
    """
    value, faults = read(payload)
    if isinstance(value, str) and isinstance(inner := read_text(value).value, str | dict | list):
        deepest, _ = read(value)
        value = inner if isinstance(deepest, str) else value  # The issue is about the innermost text.
    if faults or any(not i.path and revealed(i.got) == payload for i in issues):
        return payload, ()
    return value, (Edit("set", (), value=Secret(value) if has_secrets else value, certain=True),)


def text_edits(payload: str | bytes, facts: SchemaFacts, check: Check | None, tool: str) -> tuple[Edit, ...]:
    """Return the edit that replaces a text with its value; an empty tuple if the text cannot be read."""
    reading = read_text(payload)
    if reading.value is MISSING or (reading.parts and not is_split(reading, check)):
        return ()
    if facts.has_secrets:
        value = Secret(reading.value)
    else:
        value = reading.value
    return (Edit("set", (), value=value, certain=is_certain(reading, facts, check, tool)),)
