"""`sole_object`: the only object of a text that holds other things, too: words, repetitions, a bracket too many."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolgen_runtime.hints.malformed.objects import Objects, same
from toolgen_runtime.hints.malformed.relaxed import Relaxed, first_value
from toolgen_runtime.validation.json_text import read

_NAMED = re.compile(r"(?:\A|\n)[ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_]\w*)[ \t]*[:=]\Z")
_NAMES_OF_ALL = frozenset((
    "arguments", "args", "input", "inputs", "parameters", "params", "payload", "json",
    "data", "output", "answer", "call", "request", "body", "here", "result",
))  # fmt: skip
"""Names that a text may give to the arguments as a whole."""
_CALL = re.compile(r"([\w.-]+)\(")
_QUOTES = ("'", "`")
_INTRODUCTION = re.compile(
    r"(?:(?:sure|ok|okay|certainly|of course)[,.:!]*\s*)?"
    r"(?:here (?:is|are) (?:the|your) (?:(?:tool|function|json) )?(?:arguments|parameters|input|call|object|json)\s*:"
    r"|here you go\s*:|(?:the )?(?:arguments|args|parameters|params|(?:action |tool )?input)\s*:)?",
    re.IGNORECASE,
)
"""Words before an object that say no more than that it follows: the narrowest kind that fair slips need."""


class Reading(NamedTuple):
    """The value that a text was meant to hold."""

    value: Any
    kind: str
    """`json`, `encoded`, `framed`, `repeated`, `brackets`, `relaxed`, `guessed`."""
    certain: bool = True
    """Whether it is the only reading, if what follows holds (`certainty.is_certain`)."""
    names: frozenset[str] = frozenset()
    """Keys that must be fields of the tool."""
    calls: frozenset[str] = frozenset()
    """Names in the text of the tool that is called: all must be the tool's."""
    has_odd_numbers: bool = False
    """Whether it must be valid as it is."""

    @property
    def rule(self) -> str:
        """What a repair calls it: `parsed` where the text is JSON, else `read`."""
        return "parsed" if self.kind == "json" else "read"


def reading_of(found: Relaxed, kind: str) -> Reading | None:
    """Return the reading of a text that was relaxed; None where it is no object or list, or names a key twice."""
    value, issues = read(found.json)
    if issues or not isinstance(value, dict | list):
        return None
    return Reading(value, kind, found.certain, found.names, has_odd_numbers=found.has_odd_numbers)


def sole_object(core: str) -> Reading | None:
    """Return the only object in a text, as JSON has it or relaxed; None where there are none, or several."""
    return _strict_object(core) or _relaxed_object(core)


def _strict_object(core: str) -> Reading | None:
    objects = Objects(core)
    before, after = objects.rest[0], objects.rest[-1]
    values = [value for value in objects.values if value] or objects.values[:1]
    if not values or not same(values):
        return None
    kind = "framed" if len(objects.values) == 1 else "repeated"
    if any(part.strip(" \t\r\n,;") for part in objects.rest[1:-1]):
        return None
    if objects.is_whole:
        return _within(Reading(values[0], kind), before, after)
    if _is_bracket_too_many(before, after):
        return Reading(values[0], "brackets")
    cut, whole = "".join(after.split()), "".join(core[slice(*objects.spans[0])].split())
    is_repeated = len(cut) > 1 and cut.startswith("{") and whole.startswith(cut) and not before.strip()
    return Reading(values[0], "repeated", certain=False) if is_repeated else None


def _relaxed_object(core: str) -> Reading | None:
    start = core.find("{")
    found = first_value(core, start) if start >= 0 else None
    if found is None:
        return None
    before, after = core[:start], core[found.end :]
    if _is_bracket_too_many(before, after):
        return reading_of(found, "brackets")
    reading = reading_of(found, "framed")
    if reading is None or "{" in after or "}" in after:
        return None
    return _within(reading, before, after)


def _is_bracket_too_many(before: str, after: str) -> bool:
    """Return whether one closing bracket, and nothing else, follows an object."""
    is_closing = not before.strip() and set(after) <= set("}] \t\r\n;")
    return is_closing and sum(c in "}]" for c in after) == 1


def _within(reading: Reading, before: str, after: str) -> Reading | None:
    """Return the reading of an object between two texts; None if they may be parts of what it belongs to.

    Words may take back, quote or condition the call. It is certain only behind what names it and says nothing else,
    and with nothing after it.
    """
    if '":' in "".join((before + after).split()) or "<" in before or after.lstrip()[:1] in (",", ":"):
        return None
    before, after = before.strip(), after.strip(" \t\r\n;")
    if (call := _CALL.fullmatch(before)) is not None or before.endswith("("):
        if after != ")":
            return None
        names = frozenset((call[1],)) if call is not None else frozenset[str]()
        return reading._replace(calls=reading.calls | names, certain=reading.certain and call is not None)
    if is_introduction(before) or (before in _QUOTES and after == before):
        return reading if after == before or not after else reading._replace(certain=False)
    if (named := _NAMED.search(before)) is not None:
        is_of_all = not before[: named.start()].strip() and named[1].lower() in _NAMES_OF_ALL
        return reading._replace(certain=reading.certain and not after) if is_of_all else None
    return None if before[-1:] in ("=", ",", "[") else reading._replace(certain=False)


def is_introduction(words: str) -> bool:
    """Return whether words before an object say that it is the arguments, and nothing else.

    >>> [is_introduction(words) for words in ("", "Here are the arguments:", "Sure:", "Action Input:", "Cancel")]
    [True, True, True, True, False]
    """
    return _INTRODUCTION.fullmatch(words.strip()) is not None
