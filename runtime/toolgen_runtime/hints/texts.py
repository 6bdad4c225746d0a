"""What a text can mean where another value is wanted: a container, a number, a boolean, a list, an allowed value.

Readings are proposals: whether the tool takes them is asked of its check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.names import value_likeness, words_of, worth_comparing
from toolgen_runtime.hints.text import MAX_ECHO, NO_VALUE
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.schema.spelling import MAX_NAME, fold
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING

MAX_LITERAL = 20_000
"""Characters of a Python literal that is read."""
MAX_TEXT = 1_000
"""Characters of a text that is taken apart."""
MAX_NUMBER = 40
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}
_SEPARATOR = re.compile(r"\s*[,;|\n]\s*|\s+and\s+|\s+&\s+")
_WORDS = re.compile(r"[,;|\s]+")
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
_VALUES = re.compile(r"\s*[,;x\u00d7|]\s*|\s+")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
_ABOUT_A_NUMBER = re.compile(
    r"[$€£~#]?\s*(-?(?!0[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15}))(\.[0-9]{1,15})?\s*([a-zA-Z%°]{0,12})"
)
_UNIT_NAMES = (
    "ms msec milli millis millisecond milliseconds s sec secs second seconds m min mins minute minutes h hr hrs hour"
    " hours d day days w week weeks month months y year years b byte bytes k kb mb gb g"
)
_UNITS = frozenset(_UNIT_NAMES.split())
"""Units of which a field can have another one."""
MAX_KEPT = 1_000
"""Allowed values of one place whose spellings are kept."""
_SEVERAL = re.compile(r"[,;|]")
"""What stands between several values in one text."""
_SYNONYMS = (
    "delete remove erase destroy rm|markdown md|= == eq equals equal is|!= <> ne neq not_equals not_equal"
    "|> gt greater_than greater|>= gte ge greater_than_or_equal greater_or_equal|< lt less_than less"
    "|<= lte le less_than_or_equal less_or_equal"
)
_SAME = {word: group.split() for group in _SYNONYMS.split("|") for word in group.split()}
"""Each word and sign with all that mean the same."""


def readings_of_text(node: SchemaNode, text: str, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a text can mean where a value of the types `wanted` belongs; `name` is the field's."""
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        is_container = not {"array", "object"}.isdisjoint(wanted)
        value = parsed_container(stripped) if is_container else MISSING
        if value is not MISSING:
            if admits(tuple(wanted), json_type(value)):
                yield Reading("set", value)
        elif "array" in wanted and len(stripped) < MAX_LITERAL:
            yield from _of_bracketed(node.child(ANY_ITEM), stripped)
        return
    lowered = stripped.lower() if len(stripped) < 24 else stripped
    if ("integer" in wanted or "number" in wanted) and (number := number_in(stripped, wanted)) is not None:
        is_share = stripped.endswith("%") and node.first("maximum", (int, float)) == 1
        yield Reading("set", number.value / 100, False) if is_share else number
    if "boolean" in wanted and lowered in _BOOLEANS:
        yield Reading("set", _BOOLEANS[lowered], lowered in ("true", "false"))
    if "array" in wanted:
        yield from [Reading("set", [], False)] if lowered in NO_VALUE else _of_list(node, text, name)
    elif "object" in wanted and (members := _members(node, stripped)) is not None:
        yield Reading("set", members, False, whole=True)


def parsed_container(text: str) -> Any:
    """Return the object or array that a text holds as JSON or as Python writes it; `MISSING` if it holds none."""
    from toolgen_runtime.hints.malformed.read_text import is_only_reading, read_text

    reading = read_text(text)
    is_read = not reading.slips or (
        len(text) <= MAX_LITERAL and is_only_reading(reading) and not reading.names
    )
    return reading.value if is_read and isinstance(reading.value, dict | list) else MISSING


# -- lists --------------------------------------------------------------------------------------------------


def _of_bracketed(item: SchemaNode, text: str) -> Iterator[Reading]:
    if text[0] == "[" and text[-1] == "]" and not _BRACKETS.search(text, 1, len(text) - 1):
        yield from _several(item, [_unquoted(p) for p in _SEPARATOR.split(text[1:-1].strip())])


def _of_list(node: SchemaNode, text: str, name: str) -> Iterator[Reading]:
    """Yield what a text that is not JSON can mean as a list: its parts, each of its words, or one item."""
    item, bare = node.child(ANY_ITEM), _BULLET.sub("", text.strip()) if "\n" in text else text.strip()
    between = _SEPARATOR if "string" in item.types else _WORDS
    parts = [_unquoted(p) for p in between.split(bare) if p] if len(bare) < MAX_TEXT else [text]
    if len(parts) > 1:
        yield from _several(item, parts)
        return
    bare = _unquoted(text)
    value = _as_item(item, bare)
    words = bare.split() if len(bare) < MAX_TEXT and not _TIME.match(bare) else []
    several = [_as_item(item, word) for word in words] if len(words) > 1 else []
    if several and MISSING not in several and max(map(len, words)) <= MAX_ECHO:
        whole = MISSING if value is MISSING else [value]
        are_items = value is MISSING or item.allowed or _are_tokens(words, name)
        first, second = (several, whole) if are_items else (whole, several)
        yield Reading("set", first, False, other=second)
    elif value is not MISSING and value is not text:
        yield Reading("set", [value], False, whole=True)
    elif value is not MISSING:
        yield Reading("wrap", text)


def _several(item: SchemaNode, parts: Sequence[str]) -> Iterator[Reading]:
    values = [_as_item(item, part) for part in parts if part]
    if values and MISSING not in values and max(map(len, parts)) <= MAX_ECHO:
        yield Reading("set", values, False, whole=True)


def _unquoted(part: str) -> str:
    match = _QUOTED.fullmatch(part.strip())
    return match[2] if match is not None else part


def _are_tokens(words: Sequence[str], name: str) -> bool:
    return words_of(name)[-1:] != () and (words_of(name)[-1] in _OF_TOKENS or any(map(_TOKEN.search, words)))


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a text as an item of the list; `MISSING` where it cannot be one."""
    if "string" in item.types:
        if not item.allowed or is_one_of(text, item.allowed):
            return text
        likely = next(readings_of_choice(item, text, item.allowed), None)
        return MISSING if likely is None or likely.op != "set" else likely.value
    if item.types == ("object",):
        name = sole_holder(item, text)
        members = _members(item, text) if name is None else {name: text}
        return MISSING if members is None else members
    read = number_in(text, item.types)
    return read.value if read is not None and read.certain else MISSING


# -- objects ------------------------------------------------------------------------------------------------


def sole_holder(node: SchemaNode, value: Any) -> str | None:
    """Return the one property of an object that a value can be of, where it needs no other; None else."""
    kind = json_type(value)
    names = [n for n in node.properties if kind in node.child(n).types]
    needed = [n for n in names if n in node.required]
    if len(needed) == 1 and set(needed) == set(node.required):
        names = needed
    return names[0] if len(names) == 1 and node.required <= set(names) else None


def _members(node: SchemaNode, text: str) -> dict[str, Any] | None:
    """Return the object that a text says by position, `1024x768`; None where none fits."""
    if not text or len(text) > MAX_TEXT:
        return None
    values = [part for part in _VALUES.split(text) if part]
    forms = [
        form
        for form in (node.leaf_nodes if node.unions else [node])
        if not any("string" in form.child(name).types for name in main_members(form))
    ]
    fitting = [m for f in forms if (m := by_position(f, [_scalar(f, v) for v in values])) is not None]
    return fitting[0] if len(fitting) == 1 else None


def by_position(node: SchemaNode, values: Sequence[Any]) -> dict[str, Any] | None:
    """Return an object of as many members as there are values, of their types, in their order."""
    names = main_members(node)
    if not len(names) == len(values) > 1:
        return None
    members = dict(zip(names, values, strict=True))
    fit = all(admits(node.child(n).types, json_type(v)) and type(v) is not dict for n, v in members.items())
    return members if fit else None


def main_members(node: SchemaNode) -> list[str]:
    """Return the names of the members that an object must have; where none or one must be there, of all."""
    needed = [n for n in node.properties if n in node.required]
    return needed if len(needed) > 1 else [*node.properties]


def _scalar(node: SchemaNode, text: str) -> Any:
    """Return a text as the number or boolean that a place wants; of an object, that its members may be."""
    read = number_in(text, ("number",) if node.types == ("object",) else node.types)
    if read is not None:
        return read.value
    return {"true": True, "false": False}.get(text.lower(), text) if "boolean" in node.types else text


def number_in(text: str, wanted: Sequence[str]) -> Reading | None:
    """Return the number that a text says by itself, where one is wanted."""
    certain = _NUMBER.fullmatch(text) is not None
    if not certain:
        match = _ABOUT_A_NUMBER.fullmatch(text) if len(text) < MAX_NUMBER else None
        if match is None or match[3].lower() in _UNITS:
            return None  # The field may be in another unit.
        text = match[1].replace(",", "") + (match[2] or "")
    value: float = int(text) if text.lstrip("-").isdecimal() else float(text)
    if "number" not in wanted:
        if json_type(value) != "integer" or "integer" not in wanted:
            return None
        value = int(value)
    return Reading("set", value, certain)


# -- allowed values -----------------------------------------------------------------------------------------


def readings_of_choice(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Iterator[Reading]:
    """Yield the allowed value that was meant, where one clearly was."""
    if isinstance(got, list) and len(got) == 1 and is_one_of(got[0], allowed):
        yield Reading("unwrap", got[0])
    elif (same := _same_value(node, got, allowed)) is not None:
        yield Reading("set", same)
    elif (likely := likely_value(got, allowed)) is not None:
        yield Reading("set", likely, False)
    elif len(allowed) == 1:
        yield Reading("set", allowed[0], False)


def _same_value(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Any:
    """Return the one allowed value that is `got` in another spelling: case, separators, quotes, a number as text."""
    text = got[: 4 * MAX_NAME].partition("</")[0].strip() if type(got) is str else _spelled(got)
    if text is None:
        return None
    own = allowed is node.allowed and len(allowed) <= MAX_KEPT
    spellings: dict[str, list[Any]] = (
        node.memo("spellings", lambda n: _spellings(n.allowed)) if own else _spellings(allowed)
    )
    matches = spellings.get(fold(text), [])
    if len(matches) > 1 or type(got) is not str:
        matches = [v for v in matches if str(_spelled(v)).casefold() == text.casefold()]
    return matches[0] if len(matches) == 1 else None


def _spelled(value: Any) -> str | None:
    """Return a scalar as text; None for what is none."""
    if type(value) is str:
        return value
    if value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() < 80):
        return "null" if value is None else str(value).lower()
    return None


def _spellings(allowed: Sequence[Any]) -> dict[str, list[Any]]:
    """Return allowed values by their folded text."""
    found: dict[str, list[Any]] = {}
    for value in allowed:
        if (text := _spelled(value)) is not None:
            found.setdefault(fold(text), []).append(value)
    return found


def likely_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed value that `got` is like: misspelt, of one stem, or a synonym."""
    if type(got) is not str or not got or len(got) > MAX_NAME or _SEVERAL.search(got):
        return None
    near, same = worth_comparing(got, allowed), _SAME.get(got.strip().lower(), ())
    matches = [v for v in near if isinstance(v, str) and v.lower().lstrip("$") in same]
    meant = matches[0] if len(matches) == 1 else None
    if meant is not None and not got.isalpha():
        return meant
    scored = sorted((s, i) for i, v in enumerate(near) if (s := value_likeness(got, v)) is not None)
    if scored and (len(scored) == 1 or scored[0][0] < scored[1][0]):
        return near[scored[0][1]]
    return meant
