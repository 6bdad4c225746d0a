"""Recognize what a model writes around JSON: thoughts, a code fence, tags, words, a function call or other
objects.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from toolgen_runtime.hints.malformed.loose_json import TextReading
from toolgen_runtime.hints.names import WRAPPERS, holds_arguments
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.json_text import read

MAX_TRIES = 40
"""The most opening braces that are tried; each may take time proportional to the text."""
_DECODER = json.JSONDecoder()
_THINKING = re.compile(r"<(think|thinking|thought|reasoning|reflection|analysis)>", re.IGNORECASE)
_TAGS = "tool_calls?|function_calls?|tool_use|arguments|args|input|json|answer|output|response|call"
_TAG = re.compile(
    rf"</?(?:{_TAGS})>|</?(?:function|function_call|tool|invoke)(?:[= ](?P<label>[^<>{{}}]{{0,80}}))?>"
    r"|\[/?TOOL_CALLS?\]|<\|[a-z_]+\|>",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:name[ ]?=[ ]?)?[\"']?(?P<name>[\w.-]+)[\"']?")
_LANGUAGES = frozenset(("", "json", "json5", "jsonc", "python", "py", "javascript", "js", "tool_call"))
_NAMED = re.compile(r"(?:\A|\n)[ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_]\w*)[ \t]*[:=]\Z")
_CALL = re.compile(r"([\w.-]+)\(")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)[ \t]*[:=]\Z")
_INTRODUCTION = re.compile(
    r"(?:(?:sure|ok|okay|certainly|of course)[,.:!]*\s*)?"
    r"(?:here (?:is|are) (?:the|your) (?:(?:tool|function|json) )?(?:arguments|parameters|input|call|object|json)\s*:"
    r"|here you go\s*:|(?:the )?(?:arguments|args|parameters|params|(?:action |tool )?input)\s*:)?",
    re.IGNORECASE,
)
"""Words before an object that only introduce it; kept as narrow as observed harmless slips allow."""


def without_thoughts(text: str) -> str:
    """Return the text after a block of thoughts. If there is no complete block, return the whole text."""
    opening = _THINKING.match(text.lstrip())
    closing = f"</{opening[1].lower() if opening else 'think'}>"
    _, found, after = text.lower().rpartition(closing)
    if found:
        return text[len(text) - len(after) :].strip()
    return text


def fenced(text: str) -> TextReading | None:
    """Return the content of the only code fence in a text; None if there is none or more than one."""
    if text.count("```") not in (1, 2):
        return None
    before, _, rest = text.partition("```")
    if not rest.strip():
        return TextReading(before.strip(), ("fence",))
    if "{" in before:
        return None  # The fence is in a string.
    inner, _, after = rest.partition("```")
    first, line, body = inner.partition("\n")
    language = first.strip()
    if not line or not (language.isidentifier() or not language):
        language, body = "", inner.removeprefix("json")
    is_alone = is_introduction(before) and not after.strip() and language.lower() in _LANGUAGES
    return TextReading(body.strip(), ("fence",) if is_alone else ("fence", "words"))


def untagged(text: str) -> TextReading | None:
    """Remove the tags of a tool call from a text; return None if it has no such tags."""
    tags = list(_TAG.finditer(text))
    if not tags:
        return None
    names = [_LABEL.fullmatch(tag["label"].strip()) for tag in tags if tag["label"]]
    calls = frozenset(name["name"] if name else "" for name in names)
    return TextReading(_TAG.sub(" ", text).strip(), ("tags",), calls=calls)


def is_introduction(words: str) -> bool:
    """Return whether the words before an object only introduce it as the arguments.

    >>> [is_introduction(words) for words in ("", "Here are the arguments:", "Sure:", "Action Input:", "Cancel")]
    [True, True, True, True, False]
    """
    return _INTRODUCTION.fullmatch(words.strip()) is not None


def around(before: str, after: str) -> TextReading | None:
    """Find out what surrounds an object, from the text before and after it.

    Return None if the object may be part of a larger value. Words may also withdraw the call, quote it or make it
    conditional. They are harmless only if they just introduce the object and no text follows it.
    """
    if '":' in "".join((before + after).split()) or "<" in before or after.lstrip()[:1] in (",", ":"):
        return None
    before, after, rest = before.strip(), after.strip(), after.strip(" \t\r\n;")
    if before.endswith("("):
        if rest == ")":
            return _call(before)
        return None
    if not before and not after:
        return TextReading()
    slip = _slip_around(before, rest)
    if not slip:
        return None
    label = _LAST_WORD.search(before)
    return TextReading(slips=(slip,), label="" if label is None else label[1])


def _call(before: str) -> TextReading:
    """Return what surrounds an object that is the argument of a function call."""
    call = _CALL.fullmatch(before)
    if call is None:
        return TextReading(slips=("words",))
    return TextReading(slips=("call",), calls=frozenset((call[1],)))


def _slip_around(before: str, rest: str) -> str:
    """Return the slip that the words around an object are; an empty string if they may assign it to something else."""
    if is_introduction(before):
        if rest:
            return "words"
        if before:
            return "introduction"
        return "semicolon"
    named = _NAMED.search(before)
    if named is None:
        if before[-1:] in ("=", ",", "["):
            return ""
        return "words"
    name = named[1].lower()
    if before[: named.start()].strip() or not holds_arguments(name):
        return ""
    if name in WRAPPERS and not rest:
        return "introduction"
    return "words"


def sole_object(text: str) -> TextReading | None:
    """Return the JSON object in a text that contains no other.

    The object may be repeated, stand next to `{}`, or be split into parts.
    """
    found = containers_in(text, "{")
    if not found:
        return None
    filled = [value for value, _, _ in found if value] or [found[0][0]]
    edges = [0, *(edge for _, *span in found for edge in span), len(text)]
    before, *inner, after = (text[begin:end] for begin, end in pairwise(edges))
    if "".join(inner[1::2]).strip(" \t\r\n,;"):
        return None
    if not all(equal(filled[0], other) for other in filled):
        if not before.strip() and not after.strip():
            return _parts(filled)
        return None
    slips: tuple[str, ...] = ()
    if len(found) > 1:
        slips = ("repeated" if len(filled) > 1 or not filled[0] else "empty object",)
    if not set("{}") & {*before, *after}:
        frame = around(before, after)
        return frame and frame._replace(value=filled[0], slips=(*frame.slips, *slips))
    brackets = [char for char in after if char in "}]"]
    if before.strip():
        return None
    if len(brackets) == 1 and not after.strip("}] \t\r\n;"):
        return TextReading(filled[0], (*slips, "bracket"))
    cut, whole = "".join(after.split()), "".join(inner[0].split())
    is_repeated = len(cut) > 1 and whole.startswith(cut)
    if is_repeated:
        return TextReading(filled[0], ("repetition cut off",))
    return None


def _parts(objects: list[dict[str, Any]]) -> TextReading | None:
    """Return several objects as the parts of one object.

    Return None if two of them share a key, because each may then be a call.
    """
    joined = {key: value for each in objects for key, value in each.items()}
    if len(joined) < sum(map(len, objects)):
        return None
    return TextReading(joined, ("parts",), parts=tuple(objects))


def containers_in(text: str, opening: str = "[{") -> list[tuple[Any, int, int]]:
    """Return the outermost JSON objects and arrays in a text, in order, each with its start and end."""
    found: list[tuple[Any, int, int]] = []
    at = 0
    for _ in range(MAX_TRIES):
        starts = [start for mark in opening if (start := text.find(mark, at)) >= 0]
        if not starts:
            break
        start = min(starts)
        try:
            _, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        value, issues = read(text[start:at])
        if not issues:
            found.append((value, start, at))
    return found
