"""`sole_object`: the only object of a text that holds other things, too: words, repetitions, a bracket too many."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolgen_runtime.hints.malformed.objects import Objects, same
from toolgen_runtime.hints.malformed.relaxed import Relaxed, first_value
from toolgen_runtime.validation.json_text import read

_NAMED = re.compile(r"(?:\A|\n)[ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_]\w*)[ \t]*[:=][ \t]*\Z")
_NAMES_OF_ALL = frozenset((
    "arguments", "args", "input", "inputs", "parameters", "params", "payload", "json",
    "data", "output", "answer", "call", "request", "body", "here", "result",
))  # fmt: skip
"""Names that a text may give to the arguments as a whole."""
_CALL = re.compile(r"[\w.]+\(\s*")


class Reading(NamedTuple):
    """The value that a text was meant to hold."""

    value: Any
    kind: str
    """`json`, `encoded`, `framed`, `repeated`, `brackets`, `relaxed`, `guessed`."""
    certain: bool = True
    """Whether it is the only reading, if what follows holds (`certainty.is_certain`)."""
    names: frozenset[str] = frozenset()
    """Keys that must be fields of the tool."""
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
    return Reading(value, kind, found.certain, found.names, found.has_odd_numbers)


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
        return Reading(values[0], kind) if _is_around(before, after) else None
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
    is_alone = "{" not in after and "}" not in after and _is_around(before, after)
    return reading_of(found, "framed") if is_alone else None


def _is_bracket_too_many(before: str, after: str) -> bool:
    """Return whether one closing bracket, and nothing else, follows an object."""
    is_closing = not before.strip() and set(after) <= set("}] \t\r\n;")
    return is_closing and sum(c in "}]" for c in after) == 1


def _is_around(before: str, after: str) -> bool:
    """Return whether texts stand around an object, and are no part of what it belongs to."""
    if '":' in "".join((before + after).split()) or "<" in before or after.lstrip()[:1] in (",", ":"):
        return False
    if (named := _NAMED.search(before)) is not None:
        return named[1].lower() in _NAMES_OF_ALL and not before[: named.start()].strip()
    if _CALL.fullmatch(before.strip()) or before.rstrip().endswith("("):
        return after.strip(" \t\r\n;") == ")"
    return before.rstrip()[-1:] not in ("=", ",", "[")
