"""Convert values of the wrong type to what they mean: `"5"` to 5, `"a"` to `["a"]`, `["x"]` to `"x"`.

`READERS` is the table of conversions. Each result is only a proposal: the tool's check decides whether it is valid, and
the rules in `certainty` decide whether it is certain.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toolgen_runtime.hints.choices import readings_of_choice
from toolgen_runtime.hints.names import holds_free_text, word_set, words_of
from toolgen_runtime.hints.proposals import Reading
from toolgen_runtime.hints.quoting import MAX_ECHO, says_nothing
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING

MAX_LIST_TEXT = 1_000
"""The most characters of a text that is split into parts."""
MAX_NUMBER = 40
MAX_JOINED = 10_000
"""The most items of a list that is written as one text."""
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
_SEPARATOR = re.compile(r"\s*[,;|\n]\s*|\s+and\s+|\s+&\s+")
_WORDS = re.compile(r"[,;|\s]+")
_BRACKETED = re.compile(r"\[[^\[\]{}]{0,20000}\]")
_QUOTED = re.compile(r"(['\"`])(.*)\1", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:")
_TOKEN = re.compile(r"[\d/\\._@:#=]|^-|\w-\w")
"""Matches characters of file names, options, addresses and identifiers that are rare in words."""
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
_ABOUT_A_NUMBER = re.compile(
    r"[$€£~#]?\s*(-?(?!0[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15}))(\.[0-9]{1,15})?\s*([a-zA-Z%°]{0,12})"
)
_UNITS = word_set(
    "ms msec milli millis millisecond milliseconds s sec secs second seconds m min mins minute minutes h hr hrs hour"
    " hours d day days w week weeks month months y year years b byte bytes k kb mb gb g"
)
"""Units of time and size: the field may use another unit of the same quantity."""
_JSON_TEXT = re.compile(r"\bjson\b|stringified|serialized", re.IGNORECASE)
_COMMAS = re.compile(r"\bcommas?\b|comma-", re.IGNORECASE)
_COMMANDS = frozenset(("command", "cmd", "arg", "argument", "argv"))


class Wrong(NamedTuple):
    """A value whose type is wrong."""

    node: SchemaNode
    """The schema of its place."""
    got: Any
    wanted: Sequence[str]
    """The types that are accepted."""
    name: str
    """The field."""

    def says(self, words: re.Pattern[str]) -> bool:
        """Return whether the field's name or description matches a pattern."""
        return words.search(f"{self.name} {self.node.first('description', str) or ''}") is not None


Found = Sequence[Reading]


class Reader(NamedTuple):
    """One way to convert values of certain types."""

    name: str
    kinds: tuple[type, ...]
    """The Python types of the values that it reads."""
    read: Callable[[Wrong], Found]


def readings_of(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> list[Reading]:
    """Return what a value of the wrong type may mean. `wanted` are the accepted types, and `name` is the
    field's name.
    """
    kind: Any = type(got)
    wrong = Wrong(node, got, wanted, name)
    found: list[Reading] = []
    for read in _readers_for(kind):
        found += read(wrong)
    return found


@lru_cache(maxsize=64)
def _readers_for(kind: type) -> list[Callable[[Wrong], Found]]:
    """Return the functions that convert values of a Python type."""
    return [reader.read for reader in READERS if kind in reader.kinds]


# -- a text for something else -----------------------------------------------------------------------------------


def _json_text(it: Wrong) -> Found:
    if {"array", "object"}.isdisjoint(it.wanted):
        return ()
    from toolgen_runtime.hints.malformed.json_in_fields import read_field

    value, is_certain = read_field(it.got, it.wanted, it.name)
    if value is not MISSING:
        return [Reading("set", value, is_certain, whole=not is_certain)]
    if "array" in it.wanted and _BRACKETED.fullmatch(it.got.strip()):
        return _several(it.node.child(ANY_ITEM), _SEPARATOR.split(it.got.strip()[1:-1]))
    return ()


def parsed_container(text: str) -> Any:
    """Parse a string that certainly is an object or array in JSON or Python syntax; otherwise return
    `MISSING`.
    """
    from toolgen_runtime.hints.malformed.json_in_fields import read_field

    value, is_certain = read_field(text, ("array", "object"))
    if is_certain:
        return value
    return MISSING


def _number_text(it: Wrong) -> Found:
    text = it.got.strip()
    number = number_in(text, it.wanted)
    if number is None:
        return ()
    if text.endswith("%") and it.node.first("maximum", (int, float)) == 1:
        number = Reading("set", number.value / 100, False)
    return [number]


def number_in(text: str, wanted: Sequence[str]) -> Reading | None:
    """Return the number in a string that contains nothing else except a currency or unit; otherwise return
    None.
    """
    is_certain = _NUMBER.fullmatch(text) is not None
    if not is_certain:
        if len(text) < MAX_NUMBER:
            match = _ABOUT_A_NUMBER.fullmatch(text)
        else:
            match = None
        if match is None or match[3].lower() in _UNITS:
            return None
        text = match[1].replace(",", "") + (match[2] or "")
    if text.lstrip("-").isdecimal():
        value: float = int(text)
    else:
        value = float(text)
    if not admits(tuple(wanted), json_type(value)):
        return None
    return Reading("set", value if "number" in wanted else int(value), is_certain)


def _boolean_text(it: Wrong) -> Found:
    text = it.got.strip().lower()
    if "boolean" in it.wanted and text in _BOOLEANS:
        return [Reading("set", _BOOLEANS[text], text in ("true", "false"))]
    return ()


def _list_text(it: Wrong) -> Found:
    """Return the lists that a string may stand for: its separated parts, its words, or the string as the only item."""
    if "array" not in it.wanted or it.got.lstrip()[:1] in ("[", "{"):
        return ()
    got, item = it.got, it.node.child(ANY_ITEM)
    if says_nothing(got):
        return [Reading("set", [], False)]
    bare = _BULLET.sub("", got).strip()
    if _takes_text(item):
        between = _SEPARATOR
    else:
        between = _WORDS
    if len(bare) < MAX_LIST_TEXT:
        parts = [part for part in between.split(bare) if part]
    else:
        parts = []
    if len(parts) > 1:
        return _several(item, parts)
    return _one_or_words(item, got)


def _one_or_words(item: SchemaNode, got: str) -> Found:
    bare = _unquoted(got)
    value = _as_item(item, bare)
    if len(bare) < MAX_LIST_TEXT and not _TIME.match(bare):
        words = bare.split()
    else:
        words = []
    if len(words) > 1:
        several = [_as_item(item, word) for word in words]
    else:
        several = [MISSING]
    if MISSING not in several and max(map(len, words)) <= MAX_ECHO:
        if value is MISSING:
            whole = MISSING
        else:
            whole = [value]
        are_items = value is MISSING or item.allowed or any(map(_TOKEN.search, words))
        first, second = (several, whole) if are_items else (whole, several)
        return [Reading("set", first, False, other=second)]
    if value is MISSING:
        return ()
    if value is got:
        return [Reading("wrap", got)]
    return [Reading("set", [value], False, whole=True)]


def _several(item: SchemaNode, parts: Sequence[str]) -> Found:
    values = [_as_item(item, _unquoted(part)) for part in parts]
    if MISSING not in values and max(map(len, parts)) <= MAX_ECHO:
        return [Reading("set", values, not _takes_text(item), whole=True)]
    return ()


def _unquoted(part: str) -> str:
    match = _QUOTED.fullmatch(part.strip())
    if match is not None:
        return match[2]
    return part


def _takes_text(item: SchemaNode) -> bool:
    return "string" in item.types or (not item.types and any(isinstance(v, str) for v in item.allowed))


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a string as an item of the schema `item`; `MISSING` if it cannot be one."""
    if not _takes_text(item):
        read = number_in(text, item.types)
        if read is not None and read.certain:
            return read.value
        return MISSING
    if not item.allowed or is_one_of(text, item.allowed):
        return text
    likely = readings_of_choice(text, item.allowed)
    if likely:
        return likely[0].value
    return MISSING


# -- a number or boolean for something else ------------------------------------------------------------------------


def _written_number(it: Wrong) -> Found:
    is_number = type(it.got) is float or (type(it.got) is int and it.got.bit_length() < 80)
    if "string" in it.wanted and is_number:
        return [Reading("set", str(it.got), words_of(it.name)[-1:] == ("id",), whole=True)]
    return ()


def _sole_number(it: Wrong) -> Found:
    types = it.node.child(ANY_ITEM).types
    if "array" in it.wanted and types and admits(types, json_type(it.got)):
        return [Reading("wrap", it.got, whole=True)]
    return ()


# -- a list for something else -------------------------------------------------------------------------------------


def _only_item(it: Wrong) -> Found:
    if len(it.got) != 1:
        return ()
    item, found = it.got[0], []
    if admits(tuple(it.wanted), json_type(item)):
        found.append(Reading("unwrap", item, whole=True))
    if not isinstance(item, str):
        return found
    if it.node.allowed:
        inner = readings_of_choice(item, it.node.allowed)
    else:
        inner = readings_of(it.node, item, it.wanted, it.name)
    return found + [reading._replace(whole=True) for reading in inner[:1] if reading.op == "set"]


def _joined_text(it: Wrong) -> Found:
    """Return a list as one string: the arguments of a command, the lines of a text, or values separated by commas."""
    is_text = "string" in it.wanted and not it.node.allowed and not it.node.first("format", str)
    if not is_text or not 2 <= len(it.got) <= MAX_JOINED or not all(isinstance(each, str) for each in it.got):
        return ()
    if it.says(_COMMAS):
        text = ",".join(it.got)
    elif _COMMANDS.intersection(words_of(it.name)):
        text = shlex.join(it.got)
    elif holds_free_text(it.name) and not it.says(_JSON_TEXT):
        text = "\n".join(it.got)
    else:
        return ()
    return [Reading("set", text, False)]


def _pairs(it: Wrong) -> Found:
    """Return the map that a list of pairs stands for, such as `[{"key": "a", "value": 1}]` or `["a: 1"]`."""
    pairs = [_pair_in(each) for each in it.got[:MAX_LIST_TEXT]]
    found = dict(pair for pair in pairs if pair is not None)
    if "object" in it.wanted and not it.node.properties and found and len(found) == len(it.got):
        return [Reading("set", found, False, whole=True)]
    return ()


def _pair_in(value: Any) -> tuple[str, Any] | None:
    if isinstance(value, str):
        key, colon, rest = value.partition(":")
        if colon:
            return (key.strip(), rest.strip())
        return None
    names = ("key", "value"), ("name", "value")
    for key, other in names:
        if isinstance(value, dict) and value.keys() == {key, other} and isinstance(value[key], str):
            return value[key], value[other]
    return None


# -- an object for something else ----------------------------------------------------------------------------------


def _object_as_item(it: Wrong) -> Found:
    if "array" not in it.wanted or not it.got:
        return ()
    item, found = it.node.child(ANY_ITEM), []
    if it.got.keys() <= item.properties.keys():
        found.append(Reading("wrap", it.got, whole=not item.required <= it.got.keys()))
    if all(isinstance(key, str) and key.isdecimal() for key in it.got):  # {"0": "a", "1": "b"}
        found.append(Reading("set", [it.got[key] for key in sorted(it.got, key=int)], False, whole=True))
    return found


def _only_member(it: Wrong) -> Found:
    """Return the only value in an object.

    Return nothing if the field holds free text, because the text may be this object as JSON.
    """
    if len(it.got) != 1 or ("string" in it.wanted and holds_free_text(it.name)):
        return ()
    inner = next(iter(it.got.values()))
    if isinstance(inner, dict) or inner is None or not admits(tuple(it.wanted), json_type(inner)):
        return ()
    return [Reading("unwrap", inner, isinstance(inner, list), whole=True)]


def _json_of(it: Wrong) -> Found:
    """Return an object or list as a JSON string, for a field that holds JSON or free text."""
    if "string" not in it.wanted or it.node.allowed or it.node.first("format", str):
        return ()
    holds_objects = isinstance(it.got, dict) or any(isinstance(each, dict) for each in it.got[:1])
    if not holds_objects and not it.says(_JSON_TEXT):
        return ()
    try:
        return [Reading("set", json.dumps(it.got, ensure_ascii=False, sort_keys=True), False)]
    except (TypeError, ValueError, RecursionError):
        return ()


READERS = (
    Reader("JSON in a string", (str,), _json_text),
    Reader("a number in a string", (str,), _number_text),
    Reader("a boolean in a string", (str,), _boolean_text),
    Reader("a text for a list", (str,), _list_text),
    Reader("a number for a string", (int, float), _written_number),
    Reader("a number for a list", (int, float, bool), _sole_number),
    Reader("a list of pairs for a map", (list,), _pairs),
    Reader("the only item of a list", (list,), _only_item),
    Reader("a list for a text", (list,), _joined_text),
    Reader("an object for a list", (dict,), _object_as_item),
    Reader("the only member of an object", (dict,), _only_member),
    Reader("JSON for a text", (list, dict), _json_of),
)
"""The readers in the order in which their readings are tried."""
