"""Read text that is not valid JSON, and return its value and its mistakes (slips). Nothing else reads such
text.

Text is never completed: a truncated text, or one that contains different objects, has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.malformed.around_json import sole_object, unframed
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
_UNMEANT = re.compile(r"(?<![\w\\])(?:[A-Za-z]:|\\\\[\w.$-]+)\\[bfnrt]")
"""Matches the start of a path in which an escape may not be meant: `C:\\new`."""
Certain = Literal["always", "if fields", "if valid", "never"]
"""`if fields`: the keys at the slip are declared fields; `if valid`: the value passes the check."""


class Kind(NamedTuple):
    """The sentence about one kind of slip, and when a value that was read in spite of it is certain.

    The sentence has placeholders for parts of the text.
    """

    sentence: str
    certain: Certain = "always"


KINDS = {
    # Slips around the JSON.
    "encoded": Kind("the JSON is in a string. Send the JSON object alone."),
    "escaped": Kind("there is a backslash before each quote. Send the JSON object without them."),
    "thoughts": Kind("the arguments begin with your thoughts. Send the JSON object alone, without them."),
    "fence": Kind("the arguments are in a code fence. Send the JSON object alone."),
    "tags": Kind("there are tags around the arguments{seen}. Send the JSON object alone."),
    "call": Kind("the arguments are written as a call{seen}. Send the JSON object alone."),
    "introduction": Kind("the arguments begin with words{seen}. Send the JSON object alone."),
    "words": Kind(
        "there is text around the JSON of the arguments{seen}. If the call is meant, send the JSON object alone.",
        "never",
    ),
    "repeated": Kind("the arguments contain the same JSON object more than once. Send it once."),
    "repetition cut off": Kind("the arguments contain the JSON object more than once. Send it once.", "never"),
    "empty object": Kind("there is an empty object, {{}}, next to the arguments. Send the other object alone."),
    "parts": Kind("the arguments are split into several JSON objects. Send one object with all fields.", "never"),
    "bracket": Kind("there is a closing bracket too many at the end. Leave it out."),
    "semicolon": Kind("there is a semicolon after the JSON. Leave it out."),
    "no opening brace": Kind("the opening brace is missing{seen}. Send a JSON object, in {{ }}.", "if fields"),
    # Slips inside the JSON.
    "comma": Kind("there is a comma too many{place}{before}. Leave it out."),
    "quotes": Kind("keys and strings are not in double quotes{seen}. Use double quotes."),
    "backslash": Kind(
        "there is a backslash in other quotes{place}{seen}. Use double quotes, and \\\\ for each backslash.", "never"
    ),
    "escape": Kind("If a backslash is meant, write it as \\\\.", "never"),  # besides another slip
    "line break": Kind("{subject} has a raw line break{after}. Write it as \\n."),
    "tab": Kind("{subject} has a raw tab{after}. Write it as \\t."),
    "key": Kind("the keys have no quotes{seen}. Put each key in double quotes."),
    "no comma": Kind("a comma is missing{place}{before}. Put it there.", "if fields"),
    "two at a key": Kind("a comma is missing{place}{before}. Put it there.", "never"),
    "constant": Kind("a constant of Python is used{place}{seen}. Send JSON: true, false, null."),
    "word": Kind(
        "a word that is not JSON is used{place}{seen}. If it is a string, put it in double quotes; if not, send true,"
        " false or null.",
        "never",
    ),
    "plus": Kind("a number has a plus before it{place}{seen}. Leave it out.", "if valid"),
    "comment": Kind("there is a comment, which JSON does not have{seen}. Leave it out.", "never"),
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
        if issues:
            frame = unframed(text.strip())
            inner = _core(frame.value)
            slips = (*slips, *frame.slips, *inner.slips)
            if inner.value is not MISSING and _UNMEANT.search(text):
                slips = (*slips, "escape")
            return inner._replace(slips=slips, calls=frame.calls | inner.calls)
        if not isinstance(value, str):
            return TextReading(value, slips)
        text, slips = value, ("encoded",)
    return TextReading()


def _core(core: str) -> TextReading:
    """Read a text without a frame: as JSON with slips, or as the only object among words."""
    whole, end = read_loosely(core)
    rest = core[end:]
    if whole.value is not MISSING and not rest.strip(_AFTER):
        if ";" in rest:
            return whole._replace(slips=(*whole.slips, "semicolon"))
        return whole
    if _ESCAPED.fullmatch(core):
        value, faults = read(core.replace('\\"', '"'))
        if not faults:
            return TextReading(value, ("escaped",))
    whole = TextReading(slips=whole.slips)
    _, issues = read(core)
    if any(issue.constraint == "truncated" for issue in issues):
        return whole
    inner, end = read_loosely("{" + core)
    if inner.value and end == len(core) + 1:
        names = inner.names | {next(iter(inner.value))}
        return inner._replace(slips=("no opening brace", *inner.slips), names=names)
    return sole_object(core) or whole


def has_value(reading: TextReading, check: Check | None) -> bool:
    """Return whether a text has a value.

    Several objects are the arguments of one call if only the object with all their fields is valid.
    """
    if not reading.parts:
        return reading.value is not MISSING
    return check is not None and not check(reading.value) and all(map(check, reading.parts))


def is_certain(reading: TextReading, facts: SchemaFacts, check: Check | None, tool: str) -> bool:
    """Return whether a text can mean no other value, given the tool's name, schema and check.

    Each slip must be certain (`KINDS`) or meet its condition; a tool named in the text must be this tool, and a
    label before the object must not be a field.
    """
    if reading.value is MISSING:
        return False
    conditions = {KINDS[slip].certain for slip in reading.slips}
    if "never" in conditions or reading.calls - {tool, f"functions.{tool}"}:
        return False
    if "if valid" in conditions and (check is None or check(reading.value)):
        return False
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
    if isinstance(value, str) and isinstance(read(value)[0], str):  # the issue is about the innermost text
        inner = read_text(value).value
        if isinstance(inner, dict | list):
            value = inner
    if faults or any(not i.path and revealed(i.got) == payload for i in issues):
        return payload, ()
    return value, (Edit("set", (), value=Secret(value) if has_secrets else value, certain=True),)


def text_edits(payload: str | bytes, facts: SchemaFacts, check: Check | None, tool: str) -> tuple[Edit, ...]:
    """Return the edit that replaces a text with its value; an empty tuple if the text cannot be read."""
    reading = read_text(payload)
    if not has_value(reading, check):
        return ()
    value = reading.value
    if facts.has_secrets:
        value = Secret(value)
    return (Edit("set", (), value=value, certain=is_certain(reading, facts, check, tool)),)
