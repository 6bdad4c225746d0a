"""`read_loosely`: the value of a text that is not JSON but has one reading.

Nothing is completed: a text that was cut off, and one that holds different objects, has no reading.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolgen_runtime.hints.malformed.guesses import guess
from toolgen_runtime.hints.malformed.objects import Objects, same
from toolgen_runtime.hints.malformed.relaxed import to_json
from toolgen_runtime.validation.json_text import read

MAX_TEXT = 2_000_000
"""Characters of a text that is read."""
MAX_LEVELS = 3
"""Strings of JSON within one another."""

_THINKING = re.compile(r"<(think|thinking|thought|reasoning|reflection|analysis)>", re.IGNORECASE)
_FRAMES = "tool_calls?|function_calls?|tool_use|arguments|args|input|json|answer|output|response|call"
_FRAME = re.compile(
    rf"</?(?:{_FRAMES})>|</?(?:function|function_call|tool|invoke)(?:[= ][^<>{{}}]{{0,80}})?>"
    r"|\[/?TOOL_CALLS?\]|<\|[a-z_]+\|>",
    re.IGNORECASE,
)
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
    """Whether it is the only reading."""

    @property
    def rule(self) -> str:
        """What a repair calls it: `parsed` where the text is JSON, else `read`."""
        return "parsed" if self.kind == "json" else "read"


def read_loosely(text: str | bytes) -> Reading | None:
    """Return the value of a text, of JSON too; None where it has no reading, or more than one.

    Read are, beside JSON: JSON in a JSON string; one object in a code fence, in prose or after a block of thoughts;
    the same object more than once, or after `{}`; one closing bracket too many; what `relaxed.to_json` reads. Not
    certain is what is written as a call, in tags or in lines (`guesses`), and an object whose repetition was cut off.
    """
    if len(text) > MAX_TEXT:
        return None
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    kind = "json"
    for _ in range(MAX_LEVELS):
        value, issues = read(text)
        if issues:
            if any(issue.constraint != "json" for issue in issues):
                return None
            reading = _read_core(_core(text.strip()))
            return reading if reading is None or kind == "json" else reading._replace(kind=kind)
        if not isinstance(value, str):
            return Reading(value, kind)
        text, kind = value, "encoded"
    return None


def without_thoughts(text: str) -> str:
    """Return what follows a block of thoughts; the text itself where there is none, or it does not end."""
    opening = _THINKING.match(text.lstrip())
    closing = f"</{opening[1].lower() if opening else 'think'}>"
    _, found, after = text.lower().rpartition(closing)
    return text[len(text) - len(after) :].strip() if found else text


def fenced(text: str) -> str | None:
    """Return what stands in the only code fence of a text; None where there is no such fence."""
    if text.count("```") not in (1, 2):
        return None
    before, _, rest = text.partition("```")
    if not rest.strip():
        return before.strip()
    inner, _, _ = rest.partition("```")
    first, line, after = inner.partition("\n")
    return (after if line and first.strip().isalnum() else inner.removeprefix("json")).strip()


def _core(text: str) -> str:
    """Return a text without thoughts, fence and tags of a call."""
    text = without_thoughts(text)
    inner = fenced(text)
    return _FRAME.sub(" ", text if inner is None else inner).strip()


def _read_core(core: str) -> Reading | None:
    value, issues = read(core)
    if not issues:
        return Reading(value, "framed") if isinstance(value, dict | list) else None
    if any(issue.constraint == "truncated" for issue in issues):
        return None
    if (strict := to_json(core)) is not None:
        value, issues = read(strict)
        if not issues and isinstance(value, dict | list):
            return Reading(value, "relaxed")
    if (reading := _sole_object(core)) is not None or core[:1] in ("{", "["):
        return reading
    guessed = guess(core)
    return None if guessed is None else Reading(guessed, "guessed", certain=False)


def _sole_object(core: str) -> Reading | None:
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
    if not before.strip() and set(after) <= set("}] \t\r\n;"):
        return Reading(values[0], "brackets") if sum(c in "}]" for c in after) == 1 else None
    cut, whole = "".join(after.split()), "".join(core[slice(*objects.spans[0])].split())
    is_repeated = len(cut) > 1 and cut.startswith("{") and whole.startswith(cut) and not before.strip()
    return Reading(values[0], "repeated", certain=False) if is_repeated else None


def _is_around(before: str, after: str) -> bool:
    """Return whether texts stand around an object, and are no part of what it belongs to."""
    if '":' in "".join((before + after).split()) or "<" in before or after.lstrip()[:1] in (",", ":"):
        return False
    if (named := _NAMED.search(before)) is not None:
        return named[1].lower() in _NAMES_OF_ALL and not before[: named.start()].strip()
    if _CALL.fullmatch(before.strip()) or before.rstrip().endswith("("):
        return after.strip(" \t\r\n;") == ")"
    return before.rstrip()[-1:] not in ("=", ",", "[")
