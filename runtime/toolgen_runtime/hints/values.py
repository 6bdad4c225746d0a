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

from toolgen_runtime.hints.certainty import is_id
from toolgen_runtime.hints.choices import readings_of_choice
from toolgen_runtime.hints.names import holds_free_text, word_set, words_of
from toolgen_runtime.hints.proposals import Reading
from toolgen_runtime.hints.quoting import MAX_ECHO, says_nothing
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING

MAX_LIST_TEXT = 1_000
"""The most characters of a text that is read as a list, and the most pairs that are read as a map."""
MAX_NUMBER = 10**23
"""Larger numbers are not written as text."""
MAX_JOINED = 10_000
"""The most items of a list that is written as one text."""
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
_SEPARATOR = re.compile(r"\s*[,;|\n\u2022]\s*|\s+and\s+|\s+&\s+")
_JOINT = re.compile(r"[\s/+]+")
"""Signs between names in one text: `Ctrl+Shift`, `read/write`."""
_ONE_TEXT = re.compile(r"=|\S\s+\S+\s+\S|\S[.?!]\Z")
"""Matches a part of what may be one text with separators in it: a query, a rule or a sentence."""
_BRACKETED = re.compile(r"\[[^\[\]{}]{0,20000}\]")
_QUOTED = re.compile(r"(['\"`])(.*)\1", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+", re.MULTILINE)
_TOKEN = re.compile(r"[\d/\\._@:#=]|^-|\w-\w")
"""Matches characters of file names, options, addresses and identifiers that are rare in words."""
_NUMBER = re.compile(
    r"[$€£~#]?\s{0,9}"
    r"(-?(?!0[0-9])(?:[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{1,18})(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?)"
    r"\s{0,9}([a-zA-Z%°]{0,12})"
)
"""Matches a number, alone or with a currency or a unit. Commas may separate thousands."""
_UNITS = word_set(
    "ms msec milli millis millisecond milliseconds s sec secs second seconds m min mins minute minutes h hr hrs"
    " hour hours d day days w week weeks month months y year years b byte bytes k kb mb gb g"
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
    wanted: tuple[str, ...]
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
    gives: str
    """The type that it reads them as; empty for any type."""
    read: Callable[[Wrong], Found]


def readings_of(node: SchemaNode, got: Any, wanted: tuple[str, ...], name: str) -> list[Reading]:
    """Return what a value of the wrong type may mean. `wanted` are the accepted types, and `name` is the
    field's name.
    """
    kind: Any = type(got)
    wrong = Wrong(node, got, wanted, name)
    return [reading for read in _readers_for(kind, wanted) for reading in read(wrong)]


@lru_cache(maxsize=256)
def _readers_for(kind: type, wanted: tuple[str, ...]) -> list[Callable[[Wrong], Found]]:
    """Return the functions that convert values of a Python type to one of the accepted types."""
    return [read for _, kinds, gives, read in READERS if kind in kinds and (not gives or gives in wanted)]


# -- a text for something else -----------------------------------------------------------------------------------


def _json_text(it: Wrong) -> Found:
    from toolgen_runtime.hints.malformed.json_in_fields import read_field

    value, is_certain = read_field(it.got, it.wanted, it.name)
    if value is not MISSING:
        return [Reading("set", value, is_certain, whole=not is_certain)]
    if _BRACKETED.fullmatch(it.got.strip()):  # `[a, b]`
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
    found = number_in(text, it.wanted)
    if found and text.endswith("%") and it.node.first("maximum", (int, float)) == 1:
        return [Reading("set", found[0].value / 100, False)]
    return found


def number_in(text: str, wanted: tuple[str, ...]) -> list[Reading]:
    """Return the number in a string that contains nothing else except a currency or unit, if it has an accepted
    type.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or match[2].lower() in _UNITS:
        return []
    digits = match[1].replace(",", "")
    value = json.loads(digits)
    if not admits(wanted, json_type(value)):
        return []
    if "number" not in wanted and json_type(value) == "integer":
        value = int(value)
    return [Reading("set", value, digits == text)]


def _boolean_text(it: Wrong) -> Found:
    text = it.got.strip().lower()
    if text in _BOOLEANS:
        return [Reading("set", _BOOLEANS[text], text in ("true", "false"))]
    return ()


def _list_text(it: Wrong) -> Found:
    """Return the lists that a string may stand for: its separated parts, its words, or the string as the only item."""
    got, item = it.got, it.node.child(ANY_ITEM)
    if len(got) >= MAX_LIST_TEXT or got.lstrip()[:1] in ("[", "{"):
        return ()
    if says_nothing(got) and "\n" not in got:
        return [Reading("set", [], False)]
    bare = _BULLET.sub("", got).strip()
    parts = [part for part in _SEPARATOR.split(bare) if part]
    if len(parts) < 2:
        return _one_or_words(item, got, unquoted(bare) or got)
    several = _several(item, parts)
    if "string" in item.types and "\n" not in got and any(map(_ONE_TEXT.search, parts)):
        return [reading._replace(other=[got]) for reading in several]
    return several


def _one_or_words(item: SchemaNode, got: str, bare: str) -> Found:
    """Return the readings of a text without separators. `bare` is the text without bullets and quotes."""
    value, words = _as_item(item, bare), bare.split()
    if value is MISSING and item.allowed:
        words = _JOINT.split(bare)
    if value is MISSING:
        return _several(item, words)
    one, several = [value], _as_items(item, words)
    if len(several) > 1:
        are_items = item.allowed or any(map(_TOKEN.search, words))
        first, second = (several, one) if are_items else (one, several)
        return [Reading("set", first, False, other=second)]
    if value == got:
        return [Reading("wrap", got)]
    return [Reading("set", one, False, whole=True)]


def _several(item: SchemaNode, parts: Sequence[str]) -> Found:
    values = _as_items(item, parts)
    if values:
        is_certain = item.types != () and not isinstance(values[0], str)
        return [Reading("set", values, is_certain, whole=True)]
    return ()


def _as_items(item: SchemaNode, parts: Sequence[str]) -> list[Any]:
    """Return the parts of a string as items; an empty list if one of them cannot be an item or is long."""
    values = [_as_item(item, unquoted(part)) for part in parts]
    if MISSING in values or max(map(len, parts), default=0) > MAX_ECHO:
        return []
    return values


def unquoted(part: str) -> str:
    """Return a string without the quotes around it."""
    match = _QUOTED.fullmatch(part.strip())
    if match is not None:
        return match[2]
    return part


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a string as an item of the schema `item`; `MISSING` if it cannot be one."""
    if item.allowed:
        found = readings_of_choice(text, item.allowed)
        # A word that the value lacks may be another item: `Ctrl+Shift`.
        found = [reading for reading in found if len(words_of(str(reading.value))) >= len(words_of(text))]
    elif "string" in item.types:
        return text
    else:
        found = [number for number in number_in(text, item.types) if number.certain]
    return next((reading.value for reading in found), MISSING)


# -- a number or boolean for something else ------------------------------------------------------------------------


def _written_number(it: Wrong) -> Found:
    if abs(it.got) < MAX_NUMBER:
        return [Reading("set", str(it.got), is_id(it.name), whole=True)]
    return ()


def _sole_number(it: Wrong) -> Found:
    types = it.node.child(ANY_ITEM).types
    if types and admits(types, json_type(it.got)):
        return [Reading("wrap", it.got, whole=True)]
    return ()


# -- a list for something else -------------------------------------------------------------------------------------


def _only_item(it: Wrong) -> Found:
    if len(it.got) != 1:
        return ()
    item, found = it.got[0], []
    if admits(it.wanted, json_type(item)):
        found.append(Reading("unwrap", item, whole=True))
    if not isinstance(item, str):
        return found
    inner = readings_of_choice(item, it.node.allowed) or readings_of(it.node, item, it.wanted, it.name)
    return found + [reading._replace(whole=True) for reading in inner[:1]]


def _pairs(it: Wrong) -> Found:
    """Return the map that a list of pairs stands for, such as `[{"key": "a", "value": 1}]` or `["a: 1"]`."""
    if it.node.properties:
        return ()
    pairs = [pair for pair in map(_pair_in, it.got[:MAX_LIST_TEXT]) if pair is not None]
    if pairs and len(dict(pairs)) == len(it.got):
        return [Reading("set", dict(pairs), False, whole=True)]
    return ()


def _pair_in(value: Any) -> tuple[str, Any] | None:
    if isinstance(value, str):
        key, colon, rest = value.partition(":")
        if colon:
            return key.strip(), rest.strip()
    for name in ("key", "name"):
        if isinstance(value, dict) and value.keys() == {name, "value"} and isinstance(value[name], str):
            return value[name], value["value"]
    return None


# -- an object for something else ----------------------------------------------------------------------------------


def _object_as_item(it: Wrong) -> Found:
    if not it.got:
        return ()
    item, found = it.node.child(ANY_ITEM), []
    if it.got.keys() <= item.properties.keys():
        found.append(Reading("wrap", it.got, whole=not item.required <= it.got.keys()))
    indices = [str(i) for i in range(len(it.got))]  # {"0": "a", "1": "b"}
    if it.got.keys() == {*indices}:
        found.append(Reading("set", [it.got[index] for index in indices], False, whole=True))
    return found


def _only_member(it: Wrong) -> Found:
    """Return the only value in an object.

    Return nothing if the field holds free text, because the text may be this object as JSON.
    """
    if len(it.got) != 1 or ("string" in it.wanted and holds_free_text(it.name)):
        return ()
    (inner,) = it.got.values()
    if inner is not None and admits(it.wanted, json_type(inner)):
        return [Reading("unwrap", inner, isinstance(inner, list), whole=True)]
    return ()


# -- a list or an object for a text --------------------------------------------------------------------------------


def _written(it: Wrong) -> Found:
    """Return a list or an object as one string: the arguments of a command, the lines of a text, or JSON."""
    got, says_json = it.got, it.says(_JSON_TEXT)
    if it.node.allowed or it.node.first("format", str):
        return ()
    if isinstance(got, list) and 2 <= len(got) <= MAX_JOINED and all(isinstance(each, str) for each in got):
        if it.says(_COMMAS):
            return [Reading("set", ",".join(got), False)]
        if not _COMMANDS.isdisjoint(words_of(it.name)):
            return [Reading("set", shlex.join(got), False)]
        if holds_free_text(it.name) and not says_json:
            return [Reading("set", "\n".join(got), False)]
    holds_objects = isinstance(got, dict) or any(isinstance(each, dict) for each in got[:1])
    if not holds_objects and not says_json:
        return ()
    try:
        return [Reading("set", json.dumps(got, ensure_ascii=False, sort_keys=True), False)]
    except (TypeError, ValueError, RecursionError):
        return ()


READERS = (
    Reader("JSON in a string", (str,), "", _json_text),
    Reader("a number in a string", (str,), "", _number_text),
    Reader("a boolean in a string", (str,), "boolean", _boolean_text),
    Reader("a text for a list", (str,), "array", _list_text),
    Reader("a number for a string", (int, float), "string", _written_number),
    Reader("a number for a list", (int, float, bool), "array", _sole_number),
    Reader("a list of pairs for a map", (list,), "object", _pairs),
    Reader("the only item of a list", (list,), "", _only_item),
    Reader("an object for a list", (dict,), "array", _object_as_item),
    Reader("the only member of an object", (dict,), "", _only_member),
    Reader("a list or an object for a text", (list, dict), "string", _written),
)
"""The readers in the order in which their readings are tried."""
