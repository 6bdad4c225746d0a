"""Read and describe a string that was sent where the field needs an array or object.

Malformed JSON in such a string is read in the same way as the JSON text of whole arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from toolgen_runtime.hints.malformed.around_json import containers_in
from toolgen_runtime.hints.malformed.faults import describe
from toolgen_runtime.hints.malformed.read_text import KINDS, read_text
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.json_text import read

MAX_LOOSE = 20_000
"""The most characters of a text that is not strictly JSON."""
_TAGS = re.compile(
    r"\A\s*<(\w[\w.-]{0,60})>(?=\s*[\[{])|(?<!\s)(?:\s*+(?:</[\w:.-]{1,60}>|<\|\w{1,40}\|>))+\s*\Z"
)
"""Tags of a call format around a value: `<todos>[...]</todos>`, `[...]</parameter></invoke>`."""
_OF_SEVERAL = frozenset(("repeated", "repetition cut off", "empty object", "parts"))
"""Slips of a text with several objects."""
_USUAL_TAGS = ("parameter", "arguments", "args", "json", "input", "value")
_WORDS = (
    ("the arguments are ", "it is "),
    ("the arguments begin", "it begins"),
    ("the arguments contain", "it contains"),
    ("the arguments name", "it names"),
    (" of the arguments", ""),
    ("the arguments", "it"),
)


class FieldText(NamedTuple):
    """The array or object that a string contains, and whether the string can mean nothing else."""

    value: Any = MISSING
    is_certain: bool = False


def read_field(text: str, wanted: Collection[str], name: str = "") -> FieldText:
    """Parse the array or object in a string, if its type is one of `wanted`. `name` is the name of the field.

    >>> read_field('[1, 2]</parameter>', ["array"])
    FieldText(value=[1, 2], is_certain=True)
    >>> read_field('{"a": 1}{"a": 2}', ["array"])
    FieldText(value=[{'a': 1}, {'a': 2}], is_certain=False)
    >>> read_field('{"ids": [1]}', ["array"], "ids").value, read_field('{"a": 1}', ["array"]).value
    ([1], [{'a': 1}])
    >>> read_field('[1, 2', ["array"]).value is MISSING
    True
    """
    if "]" not in text and "}" not in text:
        return FieldText()  # the usual case: no array or object ends in it
    if len(text) > MAX_LOOSE and not isinstance(read(text)[0], dict | list):
        return FieldText()
    bare = _TAGS.sub("", text)
    found = _container(bare, wanted)
    if found.value is MISSING:
        found = _among_words(bare, wanted)
    value = found.value
    is_certain = found.is_certain and all(tag in ("", name, *_USUAL_TAGS) for tag in _TAGS.findall(text))
    if isinstance(value, dict) and "object" not in wanted:
        inner = value.get(name)
        if len(value) == 1 and isinstance(inner, list):
            value = inner
        else:
            value = [value]
    if isinstance(value, list) and "array" not in wanted:
        return FieldText()
    return FieldText(value, is_certain)


def _container(text: str, wanted: Collection[str]) -> FieldText:
    reading = read_text(text)
    has_several = not _OF_SEVERAL.isdisjoint(reading.slips)
    if reading.value is MISSING or (has_several and "array" in wanted):  # each may be an item
        return FieldText()
    is_doubtful = has_several or reading.calls or any(KINDS[s].certain != "always" for s in reading.slips)
    return FieldText(reading.value, not is_doubtful)


def _among_words(text: str, wanted: Collection[str]) -> FieldText:
    """Return the only array or object in a text that also contains words.

    For a list, return the objects if only commas separate them.
    """
    values, gaps = containers_in(text)
    rest = "".join(gaps)
    if len(values) == 1:
        is_extra = not gaps[0].strip() and gaps[1].strip() in ("]", "}")
        if is_extra or set("[]{}").isdisjoint(rest):
            return FieldText(values[0], is_extra)
    elif (
        "array" in wanted and all(isinstance(value, dict) for value in values) and not rest.strip(" \t\r\n,;")
    ):
        return FieldText(values)
    return FieldText()


def describe_field(text: str, kind: str) -> str:
    """Say what is wrong with the JSON in a string; return an empty string if this is not known.

    The text continues the sentence "send the array itself, not a JSON string".

    >>> describe_field('[{"a": 1}, {"b', "array")
    'it is cut off inside "[1]" after 14 characters'
    """
    first = text.lstrip()[:1]
    if first == '"' and read_text(text).value is not MISSING:
        return "it is encoded twice"
    if first not in ("[", "{"):
        if containers_in(text[:MAX_LOOSE])[0]:
            return "there is text around it"
        return ""
    _, issues = read(_TAGS.sub("", text))
    if not issues:
        return ""
    said = describe(issues[0], text, ()).partition(". ")[0].rstrip(".")
    for whole, part in _WORDS:
        said = said.replace(whole, part)
    return said.replace("JSON object", kind)
