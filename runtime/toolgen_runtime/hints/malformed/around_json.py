"""Recognize what a model writes around JSON: thoughts, a code fence, tags, words, a function call or other
objects.
"""

from __future__ import annotations

import json
import re
from typing import Any

from toolgen_runtime.hints.malformed.loose_json import TextReading
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.json_text import read

MAX_TRIES = 40
"""The most opening brackets that are tried; each may take time proportional to the text."""
_DECODER = json.JSONDecoder()
_OPENING = re.compile(r"[\[{]")
_THOUGHTS = re.compile(
    r"\A(?:<(think|thinking|thought|reasoning|reflection|analysis)>.*</\1>|(?!<|.*<think>).*</think>)\s*",
    re.IGNORECASE | re.DOTALL,
)
_PARTS = re.compile(
    r"((?:\[/?TOOL_CALLS?\]|[^\[\]{}])*+)(.*(?:\}|(?<!TOOL_CALL)(?<!TOOL_CALLS)\])|.*)(.*)",
    re.IGNORECASE | re.DOTALL,
)
"""The text before the first bracket, the JSON, and the text after the last closing bracket."""
_TAGS = "tool_calls?|function_calls?|tool_use|arguments|args|input|json|answer|output|response|call"
_TAG = re.compile(
    rf"</?(?:{_TAGS})>|\[/?TOOL_CALLS?\]|<\|[a-z_]+\|>"
    r"|</?(?:function|function_call|tool|invoke)(?:[= ] *(?:name ?= ?)?[\"']?(?P<name>[^<>{}]{0,80}?)[\"']? *)?>",
    re.IGNORECASE,
)
"""A tag of a tool call, which may name the tool."""
_FENCE = re.compile(
    r"```(?:[ \t]*(?:json[5c]?|python|py|javascript|js|tool_call)[ \t]*(?=\n)|json)?", re.IGNORECASE
)
_CALL = re.compile(r"([\w.-]+)\(")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)[ \t]*[:=]\Z")
_PART = re.compile(r'"\s*:|\A[^\0]*<|\0[,:]|[{}]')
"""Signs that an object (`\\0`) is a part of a larger value or stands in other text with braces."""
_ASSIGNED = re.compile(r"\w+\s*:|.*[=,\[]", re.DOTALL)
"""Words before an object that may make it a part of something else."""
_INTRODUCTION = re.compile(
    r"(?:(?:sure|ok|okay|certainly|of course)[,.:!]*\s*)?"
    r"(?:here (?:is|are) (?:the|your) (?:(?:tool|function|json) )?(?:arguments|parameters|input|call|object|json)\s*:"
    r"|here you go\s*:|(?:the )?(?:arguments|args|parameters|params|(?:action |tool )?input)\s*:)?"
    r"|(?:(?:const|let|var)[ \t]+)?(?:arguments|args|parameters|params|input)[ \t]*[:=]",
    re.IGNORECASE,
)
"""Words before an object that only introduce it; kept as narrow as observed harmless slips allow."""


def unframed(text: str) -> TextReading:
    """Return a text without thoughts, and without the code fence and the tags around its JSON."""
    slips = []
    core = _THOUGHTS.sub("", text)
    if core != text:
        slips.append("thoughts")
    before, inner, after = _PARTS.findall(core)[0]
    *lead, before = _FENCE.split(before)
    after, *trail = _FENCE.split(after)
    if lead or trail:
        slips.append("fence")
        if "".join(trail).strip() or not is_introduction("".join(lead).strip()):
            slips.append("words")
    tags = [*_TAG.finditer(before), *_TAG.finditer(after)]
    if tags:
        slips.append("tags")
    core = _TAG.sub(" ", before) + inner + _TAG.sub(" ", after)
    calls = frozenset(tag["name"] for tag in tags if tag["name"])
    return TextReading(core.strip(), (*slips,), calls=calls)


def is_introduction(words: str) -> bool:
    """Return whether the words before an object only introduce it as the arguments.

    >>> [is_introduction(words) for words in ("", "Here are the arguments:", "Sure:", "args =", "Cancel")]
    [True, True, True, True, False]
    """
    return _INTRODUCTION.fullmatch(words) is not None


def _around(before: str, after: str) -> TextReading | None:
    """Find out what surrounds an object, from the text before and after it.

    Return None if the object may be part of a larger value. Words may also withdraw the call, quote it or make it
    conditional. They are harmless only if they just introduce the object and no text follows it.
    """
    if not before and after == "}":
        return TextReading(slips=("bracket",))
    if _PART.search(f"{before}\0{after}"):
        return None
    call = _CALL.fullmatch(before)
    if call is not None and after == ")":
        return TextReading(slips=("call",), calls=frozenset((call[1],)))
    is_harmless = is_introduction(before)
    if not is_harmless and _ASSIGNED.fullmatch(before):
        return None
    if after or not is_harmless:
        return TextReading(slips=("words",))
    if not before:
        return TextReading()
    return TextReading(slips=("introduction",), label="".join(_LAST_WORD.findall(before)))


def sole_object(text: str) -> TextReading | None:
    """Return the JSON object in a text that contains no other.

    The object may be repeated, stand next to `{}`, or be split into parts.
    """
    values, gaps = containers_in(text)
    if not values or not all(isinstance(value, dict) for value in values):
        return None
    before, *between, after = (gap.strip() for gap in gaps)
    after = after.strip("; \t\r\n")
    if "".join(between).strip(" \t\r\n,;"):
        return None
    filled = [value for value in values if value] or values
    first = filled[0]
    if not all(equal(first, other) for other in filled):
        joined = {key: value for each in filled for key, value in each.items()}
        if before or after or len(joined) < sum(map(len, filled)):
            return None  # if two share a key, each may be a call
        return TextReading(joined, ("parts",), parts=tuple(filled))
    cut = "".join(after.split())
    if not before and len(cut) > 1 and "".join(text.split()).startswith(cut):
        return TextReading(first, ("repetition cut off",))
    slips: tuple[str, ...] = ()
    if len(filled) > 1:
        slips = ("repeated",)
    elif len(values) > 1:
        slips = ("empty object",)
    frame = _around(before, after)
    return frame and frame._replace(value=first, slips=(*frame.slips, *slips))


def containers_in(text: str) -> tuple[list[Any], list[str]]:
    """Return the outermost JSON objects and arrays in a text, and the texts before, between and after them."""
    values: list[Any] = []
    gaps: list[str] = []
    at = end = 0
    for _ in range(MAX_TRIES):
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        start = opening.start()
        try:
            _, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        value, issues = read(text[start:at])
        if not issues:
            values.append(value)
            gaps.append(text[end:start])
            end = at
    return values, [*gaps, text[end:]]
