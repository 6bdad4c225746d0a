"""`read_loosely`: the value of a text that is not JSON but has one reading.

Nothing is completed: a text that was cut off, and one that holds different objects, has no reading.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolgen_runtime.hints.malformed.guesses import guess
from toolgen_runtime.hints.malformed.relaxed import relaxed
from toolgen_runtime.hints.malformed.sole_object import Reading, is_introduction, reading_of, sole_object
from toolgen_runtime.hints.malformed.tokens import starts_with_key, string_of
from toolgen_runtime.validation.json_text import read

MAX_TEXT = 2_000_000
"""Characters of a text that is read."""
MAX_LEVELS = 3
"""Strings of JSON within one another."""

_THINKING = re.compile(r"<(think|thinking|thought|reasoning|reflection|analysis)>", re.IGNORECASE)
_FRAMES = "tool_calls?|function_calls?|tool_use|arguments|args|input|json|answer|output|response|call"
_FRAME = re.compile(
    rf"</?(?:{_FRAMES})>|</?(?:function|function_call|tool|invoke)(?:[= ](?P<label>[^<>{{}}]{{0,80}}))?>"
    r"|\[/?TOOL_CALLS?\]|<\|[a-z_]+\|>",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:name[ ]?=[ ]?)?[\"']?(?P<name>[\w.-]+)[\"']?")
_LANGUAGES = frozenset(("", "json", "json5", "jsonc", "python", "py", "javascript", "js", "tool_call"))
_ENTITIES = {
    "&quot;": '"', "&#34;": '"', "&apos;": "'", "&#39;": "'", "&#x27;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&",
}  # fmt: skip
_ENTITY = re.compile("|".join(_ENTITIES))


def read_loosely(text: str | bytes) -> Reading | None:
    """Return the value of a text, of JSON too; None where it has no reading, or more than one.

    Read are, beside JSON: JSON in a JSON string, or with its quotes escaped; one object in a code fence, in prose or
    after a block of thoughts; the same object more than once, or after `{}`; one closing bracket too many, or no
    opening brace; what `relaxed` reads. Not certain is what is written as a call, in tags or in lines (`guesses`),
    what lacks both braces, and an object whose repetition was cut off. Bytes that are not UTF-8 have no reading.
    """
    if len(text) > MAX_TEXT:
        return None
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return None
    kind = "json"
    for _ in range(MAX_LEVELS):
        value, issues = read(text)
        if issues:
            if any(issue.constraint == "duplicate_key" for issue in issues):
                return None
            reading = _read_framed(text.strip())
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


class Fenced(NamedTuple):
    """What a code fence holds."""

    inner: str
    certain: bool
    """Whether the words around it, and its language, say nothing else."""


def fenced(text: str) -> Fenced | None:
    """Return what is in the only code fence of a text; None if there is no such fence."""
    if text.count("```") not in (1, 2):
        return None
    before, _, rest = text.partition("```")
    if not rest.strip():
        return Fenced(before.strip(), True)
    inner, _, after = rest.partition("```")
    first, line, body = inner.partition("\n")
    language = first.strip() if line and first.strip().isidentifier() else "json" * inner.startswith("json")
    if not line or not first.strip().isidentifier():
        body = inner.removeprefix("json")
    certain = is_introduction(before) and not after.strip() and language.lower() in _LANGUAGES
    return Fenced(body.strip(), certain)


def _read_framed(text: str) -> Reading | None:
    """Return the reading of a text without thoughts, fence and tags of a call."""
    text = without_thoughts(text)
    fence = fenced(text)
    core = text if fence is None else fence.inner
    labels = [found["label"] for found in _FRAME.finditer(core) if found["label"]]
    names = [_LABEL.fullmatch(label.strip()) for label in labels]
    reading = _read_core(_FRAME.sub(" ", core).strip())
    if reading is None:
        return None
    calls = reading.calls.union(name["name"] if name else "" for name in names)
    return reading._replace(calls=calls, certain=reading.certain and (fence is None or fence.certain))


def _read_core(core: str) -> Reading | None:
    value, issues = read(core)
    if not issues:
        return Reading(value, "framed") if isinstance(value, dict | list) else None
    if (reading := _relaxed(core)) is not None or any(issue.constraint == "truncated" for issue in issues):
        return reading
    if (reading := _unescaped(core) or sole_object(core)) is not None or core[:1] in ("{", "["):
        return reading
    if (reading := _without_braces(core)) is not None:
        return reading
    guessed = guess(core)
    return None if guessed is None else Reading(guessed, "guessed", certain=False)


def _relaxed(text: str, kind: str = "relaxed") -> Reading | None:
    return None if (found := relaxed(text)) is None else reading_of(found, kind)


def _unescaped(core: str) -> Reading | None:
    """Return what a text holds whose quotes are all escaped, for JSON or for HTML."""
    if '"' in core.replace('\\"', ""):
        return None
    if '\\"' in core:
        value, issues = read(string_of("bare", f'"{core}"'))
        reading = None if issues else _relaxed(value, "encoded")
        has_others = "\\" in core.replace('\\"', "")
        return reading if reading is None or not has_others else reading._replace(certain=False)
    if "&" not in core:
        return None
    reading = _relaxed(_ENTITY.sub(lambda found: _ENTITIES[found[0]], core), "encoded")
    return None if reading is None else reading._replace(certain=False)


def _without_braces(core: str) -> Reading | None:
    """Return what members without the opening brace hold; without the closing one, there may be more of them."""
    if not starts_with_key(core):
        return None
    if (reading := _relaxed("{" + core)) is not None:
        return reading._replace(names=reading.names | {next(iter(reading.value), "")})
    reading = _relaxed("{" + core + "}", "guessed")
    return None if reading is None else reading._replace(certain=False)
