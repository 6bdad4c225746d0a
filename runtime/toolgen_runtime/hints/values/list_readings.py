"""What a text can mean where a list is wanted: one item, or several with something between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.fits import fits, is_allowed, sole_holder
from toolgen_runtime.hints.text import MAX_ECHO
from toolgen_runtime.hints.values.allowed_values import readings_of_choice
from toolgen_runtime.hints.values.member_readings import members_in
from toolgen_runtime.hints.values.number_readings import number_in
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING

MAX_TEXT = 1_000
"""Characters of a text that is taken apart."""
_NOT_ONE = frozenset(("all", "any", "*", "everything", "each", "true", "false", "yes", "no", "default"))
"""Texts that are not one item of a list, but say which items or whether any."""
_SEPARATOR = re.compile(r"\s*[,;|\n]\s*|\s+and\s+|\s+&\s+")
_WORDS = re.compile(r"[,;|\s]+")
_ONE_ITEM = re.compile(r"https?://\S+|[^\s+&]+")
_BRACKETS = re.compile(r"[\[\]{}]")
_QUOTED = re.compile(r"(['\"`])(.*)\1", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:")
_TOKEN = re.compile(r"[\d/\\._@:#=]|^-|\w-\w")
"""What is in file names, options, addresses and identifiers, but rarely in words."""
_TOKEN_NAMES = (
    "tag keyword id file path column domain symbol ticker code flag arg argument cmd command key email"
)
_OF_TOKENS = frozenset(_TOKEN_NAMES.split())
"""Names of lists whose items are single words."""


def readings_of_list_text(node: SchemaNode, text: str, name: str) -> Iterator[Reading]:
    """Yield what a text that is not JSON can mean as a list; `name` is the field's."""
    item = node.child(ANY_ITEM)
    bare = text.strip()
    if bare[:1] in ("[", "{"):
        if bare[:1] == "[" and bare[-1:] == "]" and not _BRACKETS.search(bare, 1, len(bare) - 1):
            yield from _several(item, [_unquoted(p) for p in _SEPARATOR.split(bare[1:-1].strip())])
        return
    if "\n" in bare:
        bare = _BULLET.sub("", bare)
    between = _SEPARATOR if "string" in item.types else _WORDS
    parts = [_unquoted(p) for p in between.split(bare) if p] if len(bare) < MAX_TEXT else [text]
    if len(parts) > 1:
        yield from _several(item, parts)
        return
    yield from _one_or_words(item, text, name)


def _several(item: SchemaNode, parts: Sequence[str]) -> Iterator[Reading]:
    values = [_as_item(item, part) for part in parts if part]
    if values and MISSING not in values and max(map(len, parts)) <= MAX_ECHO:
        yield Reading("set", values, False, "split")


def _unquoted(part: str) -> str:
    match = _QUOTED.fullmatch(part.strip())
    return match[2] if match is not None else part


def _one_or_words(item: SchemaNode, text: str, name: str) -> Iterator[Reading]:
    """Yield one item; of several words, also each as an item."""
    bare = _unquoted(text)
    value = _as_item(item, bare)
    words = bare.split() if len(bare) < MAX_TEXT and not _TIME.match(bare) else []
    several = [_as_item(item, word) for word in words] if len(words) > 1 else []
    if several and MISSING not in several and max(map(len, words)) <= MAX_ECHO:
        whole = MISSING if value is MISSING else [value]
        if value is MISSING or item.allowed or _are_tokens(words, name):
            yield Reading("set", several, False, "split", other=whole)
        else:
            yield Reading("set", whole, False, "wrapped", other=several)
        return
    if value is MISSING:
        return
    if value is not text:
        yield Reading("set", [value], False, "wrapped")
        return
    certain = text.strip().lower() not in _NOT_ONE and _ONE_ITEM.fullmatch(text) is not None
    yield Reading("wrap", text, certain, "wrapped")


def _are_tokens(words: Sequence[str], name: str) -> bool:
    return words_of(name)[-1:] != () and (words_of(name)[-1] in _OF_TOKENS or any(map(_TOKEN.search, words)))


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a text as an item of the list; `MISSING` where it cannot be one."""
    if not item.types:
        return MISSING
    if "string" in item.types:
        if not item.allowed or is_allowed(item, text):
            return text
        likely = next(readings_of_choice(item, text, item.allowed), None)
        return MISSING if likely is None or likely.op != "set" else likely.value
    if item.types == ("object",):
        name = sole_holder(item, text)
        members = members_in(item, text) if name is None else {name: text}
        return MISSING if members is None else members
    read = number_in(text, item.types)
    return read.value if read is not None and read.certain and fits(item, read.value) else MISSING
