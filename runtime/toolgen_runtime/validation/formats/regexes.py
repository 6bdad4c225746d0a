"""`regex`: the syntax of ECMA-262 regular expressions with the `u` flag (edition 11, which 2020-12 cites).

It is one pass over tokens with a stack of open groups, so depth and length are not limited. Nothing is matched
here: patterns are compiled when a package is generated.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolgen_runtime.validation.formats.unicode_names import (
    BINARY_PROPERTIES,
    GENERAL_CATEGORIES,
)

_HEX = "[0-9A-Fa-f]"
_UNICODE_ESCAPE = (
    rf"u(?:[Dd][89ABab]{_HEX}{{2}}\\u[Dd][C-Fc-f]{_HEX}{{2}}|{_HEX}{{4}}"
    rf"|\{{(?:0*+(?:10{_HEX}{{4}}|{_HEX}{{1,5}})|0++)\}})"
)
_CHARACTER_ESCAPE = rf"[fnrtv]|c[A-Za-z]|0(?![0-9])|x{_HEX}{{2}}|{_UNICODE_ESCAPE}|[\^$\\.*+?()\[\]{{}}|/]"
_PROPERTY = r"\\[pP]\{(?P<property>[^}]*+)\}"

_token = re.compile(
    "|".join(
        (
            r"(?P<text>[^\\^$.*+?()\[\]{}|]++)",
            rf"(?P<atom>\.|\\(?:[dDsSwW]|{_CHARACTER_ESCAPE}))",
            _PROPERTY,
            r"(?P<quantifier>(?:[*+?]|\{(?P<low>[0-9]++)(?:,(?P<high>[0-9]++)?)?\})\??)",
            r"(?P<assertion>[\^$]|\\[bB])",
            r"(?P<look>\(\?<?[=!])",
            r"\(\?<(?P<group_name>[^>]++)>",
            r"(?P<group>\((?!\?))",
            r"(?P<non_capturing>\(\?:)",
            r"(?P<close>\))",
            r"(?P<bar>\|)",
            r"(?P<characters>\[\^?)",
            r"\\(?P<number>[1-9][0-9]*+)",
            r"\\k<(?P<name>[^>]++)>",
        )
    )
).match
_class_atom = re.compile(
    rf"(?P<set>\\[dDsSwW])|{_PROPERTY}|(?P<character>[^\\\]]|\\(?:[b-]|{_CHARACTER_ESCAPE}))"
).match
_unicode_escape = re.compile(rf"\\{_UNICODE_ESCAPE}")


_ATOMS = frozenset(("text", "atom", "property", "characters", "number", "name"))
_OPENERS = frozenset(("look", "group_name", "group", "non_capturing"))


def is_regex(text: str) -> bool:
    """Return whether the text is a `Pattern[+U, +N]`: strict escapes, braces and brackets, existing references."""
    return _Scan().accepts(text)


class _Scan:
    __slots__ = ("groups", "highest_number", "names", "open_groups", "quantifiable", "references")

    def __init__(self) -> None:
        self.groups = 0
        self.highest_number = 0
        self.names: set[str] = set()
        self.references: set[str] = set()
        self.open_groups: list[bool] = []  # Whether a quantifier may follow the group.
        self.quantifiable = False

    def accepts(self, text: str) -> bool:
        at = 0
        while at < len(text):
            token = _token(text, at)
            if token is None or not self._take(token):
                return False
            at = _class_end(text, token.end()) if token.lastgroup == "characters" else token.end()
            if at < 0:
                return False
        return not self.open_groups and self.references <= self.names and self.highest_number <= self.groups

    def _take(self, token: re.Match[str]) -> bool:
        kind = token.lastgroup
        after_atom, self.quantifiable = self.quantifiable, kind in _ATOMS
        if kind == "quantifier":
            return after_atom and not _is_out_of_order(token["low"], token["high"])
        if kind in _OPENERS:
            return self._open(token)
        if kind == "close":
            if not self.open_groups:
                return False
            self.quantifiable = self.open_groups.pop()
        elif kind == "property":
            return _is_property(token["property"])
        elif kind == "number":
            self.highest_number = max(self.highest_number, int(token["number"][:9]))
        elif kind == "name":
            self.references.add(_group_name(token["name"]))
        return True

    def _open(self, token: re.Match[str]) -> bool:
        kind = token.lastgroup
        self.open_groups.append(kind != "look")
        if kind == "group_name":
            name = _group_name(token["group_name"])
            if not name or name in self.names:
                return False
            self.names.add(name)
        self.groups += kind in ("group", "group_name")
        return True


def _is_out_of_order(low: str | None, high: str | None) -> bool:
    """Return whether the bounds of a quantifier are out of order; they may have any number of digits."""
    if low is None or high is None:
        return False
    low, high = low.lstrip("0"), high.lstrip("0")
    return (len(low), low) > (len(high), high)


def _is_property(text: str) -> bool:
    name, equals, value = text.partition("=")
    if not equals:
        return name in GENERAL_CATEGORIES or name in BINARY_PROPERTIES
    if name in ("General_Category", "gc"):
        return value in GENERAL_CATEGORIES
    return name in ("Script", "sc", "Script_Extensions", "scx") and _is_script(value)


_is_capitalized = re.compile("[A-Z][a-z]+(?:_[A-Z][a-z]*)*|SignWriting").fullmatch


@lru_cache(maxsize=256)
def _is_script(name: str) -> bool:
    """Return whether pydantic_core knows a name, long or a code, as a value of Script and Script_Extensions."""
    if _is_capitalized(name) is None:  # Rust takes a name in any case
        return False
    try:
        SchemaValidator(core_schema.str_schema(pattern=rf"\p{{Script={name}}}", regex_engine="rust-regex"))
    except SchemaError:
        return False
    return True


def _group_name(text: str) -> str:
    """Return the name with its escapes resolved, or "" if it is not an identifier."""
    name = _unicode_escape.sub(lambda escape: chr(_code_point(escape[0])), text)
    head, tail = name[:1].replace("$", "_"), name[1:]
    for extra in "$\u200c\u200d":
        tail = tail.replace(extra, "_")
    return name if (head + tail).isidentifier() else ""


def _class_end(text: str, at: int) -> int:
    """Return the index after the `]` of the character class whose members start at `at`; -1 if it is malformed."""
    while text[at : at + 1] != "]":
        first = _class_atom(text, at)
        if first is None or not _has_valid_property(first):
            return -1
        at = first.end()
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] != "]":
            last = _class_atom(text, at + 1)
            if last is None or first["character"] is None or last["character"] is None:
                return -1
            if _code_point(first["character"]) > _code_point(last["character"]):
                return -1
            at = last.end()
    return at + 1


def _has_valid_property(atom: re.Match[str]) -> bool:
    return atom["property"] is None or _is_property(atom["property"])


_CONTROLS = {"b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}


def _code_point(character: str) -> int:
    """Return the value of a character or character escape of a class."""
    if len(character) == 1:
        return ord(character)
    kind, digits = character[1], character[2:]
    if kind == "u" and len(digits) == 10:  # a surrogate pair
        return 0x10000 + ((int(digits[:4], 16) & 0x3FF) << 10) + (int(digits[6:], 16) & 0x3FF)
    if kind in "ux":
        return int(digits.strip("{}"), 16)
    if kind == "c":
        return ord(digits) % 32
    return _CONTROLS.get(kind, ord(kind))
