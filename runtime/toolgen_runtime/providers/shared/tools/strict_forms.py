"""The form of a payload inside a strict schema, and the way back.

A strict subset cannot say that a field may be missing or that an object is a map. `strict_rewrite` says such a
schema in other words and builds a tree of forms with it: `encode` turns a payload into the form that is sent, and
`decode` turns it back. A value that has not the expected shape stays as it is, so that the tool's check reports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_runtime.providers.shared.tools.schemas import kind_of
from toolgen_runtime.schema.raw import is_one_of

OTHERS: Final = "other_properties"
"""The property for the members that an object does not declare."""
MEMBERS: Final = "members"
"""The property for the members of a map that is a branch of a union."""
EXPLICIT_NULL: Final = {"explicit_null": True}
"""Null as the value of an optional field, whose null means that it is left out."""
EXPLICIT_LIST: Final = "explicit_list"
"""The one property of an object for a list where a map belongs, as a wrong call in a history may have it."""


class Form:
    """A part of a payload that is sent as it is."""

    __slots__ = ()

    def encode(self, value: Any) -> Any:
        """Return a value of the payload as it is sent."""
        return value

    def decode(self, sent: Any) -> Any:
        """Return the value of the payload that was sent."""
        return sent


SAME: Final = Form()


@dataclass(frozen=True, slots=True)
class Items(Form):
    """An array whose items have a form."""

    item: Form

    def encode(self, value: Any) -> Any:
        """Return the array with each item encoded."""
        return [self.item.encode(each) for each in value] if isinstance(value, list) else value

    def decode(self, sent: Any) -> Any:
        """Return the array with each item decoded."""
        return [self.item.decode(each) for each in sent] if isinstance(sent, list) else sent


@dataclass(frozen=True, slots=True)
class Pairs(Form):
    """A map as a list of pairs of name and value; with `wrapped` the list is in an object."""

    values: Form
    wrapped: bool = False

    def encode(self, value: Any) -> Any:
        """Return the pairs of a map; a list, which is no map, is marked."""
        if not isinstance(value, dict):
            return {EXPLICIT_LIST: value} if isinstance(value, list) else value
        pairs = [{"name": name, "value": self.values.encode(each)} for name, each in value.items()]
        return {MEMBERS: pairs} if self.wrapped else pairs

    def decode(self, sent: Any) -> Any:
        """Return the map of the pairs; what is no list of pairs, or has a name twice, stays as it is."""
        if isinstance(sent, dict) and sent.keys() == {EXPLICIT_LIST}:
            return sent[EXPLICIT_LIST]
        pairs = sent.get(MEMBERS) if self.wrapped and isinstance(sent, dict) and len(sent) == 1 else sent
        if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
            return sent
        found = {pair["name"]: self.values.decode(pair["value"]) for pair in pairs}
        return found if len(found) == len(pairs) else sent


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"name", "value"} and isinstance(value["name"], str)


@dataclass(frozen=True, slots=True)
class Members(Form):
    """An object: the forms of its properties, which of them are null when absent, and the form of all others."""

    forms: Mapping[str, Form]
    absent: frozenset[str] = frozenset()
    others: Pairs | None = None

    def encode(self, value: Any) -> Any:
        """Return the object with every optional property, and with the undeclared ones as pairs."""
        if not isinstance(value, dict):
            return value
        out: dict[str, Any] = {}
        for name, form in self.forms.items():
            if name not in value:
                out |= {name: None} if name in self.absent else {}
            elif value[name] is None and name in self.absent:
                out[name] = dict(EXPLICIT_NULL)
            else:
                out[name] = form.encode(value[name])
        others = {name: each for name, each in value.items() if name not in self.forms}
        return out | (others if self.others is None else {OTHERS: self.others.encode(others)})

    def decode(self, sent: Any) -> Any:
        """Return the object without the properties that are absent."""
        if not isinstance(sent, dict):
            return sent
        out: dict[str, Any] = {}
        for name, value in sent.items():
            if name in self.absent and value is None:
                continue
            if name in self.absent and value == EXPLICIT_NULL:
                out[name] = None
            elif name == OTHERS and self.others is not None:
                found = self.others.decode(value)
                known = isinstance(found, dict) and not found.keys() & self.forms.keys()
                out |= found if known else {OTHERS: value}
            else:
                out[name] = self.forms.get(name, SAME).decode(value)
        return out


@dataclass(frozen=True, slots=True)
class Look:
    """What tells the values of one branch of a union from those of another, without looking below.

    `known` are the only keys of an object, None if it may have others; `fixed` the values of its constant members.
    """

    kinds: frozenset[str]
    required: frozenset[str] = frozenset()
    known: frozenset[str] | None = None
    fixed: Mapping[str, list[Any]] = field(default_factory=dict)

    def takes(self, value: Any) -> bool:
        """Return whether a value may be one of this branch."""
        if kind_of(value) not in self.kinds:
            return False
        if not isinstance(value, dict):
            return True
        keys = value.keys()
        fits = self.required <= keys and (self.known is None or keys <= self.known)
        return fits and all(is_one_of(value[key], fixed) for key, fixed in self.fixed.items() if key in keys)

    def is_apart(self, other: Look) -> bool:
        """Return whether no value looks like both."""
        shared = self.kinds & other.kinds
        if shared != {"object"}:
            return not shared
        pairs = ((self, other), (other, self))
        if any(two.known is not None and not one.required <= two.known for one, two in pairs):
            return True
        both = self.required & other.required & self.fixed.keys() & other.fixed.keys()
        return any(not any(is_one_of(v, other.fixed[key]) for v in self.fixed[key]) for key in both)


Looks = list[tuple[Look, Form]]
"""How the values of each branch of a union look, and its form."""


@dataclass(slots=True)
class Union(Form):
    """A value of one of several branches, by its look before and after; filled in when all definitions are known."""

    given: Looks = field(default_factory=list)
    sent: Looks = field(default_factory=list)

    def encode(self, value: Any) -> Any:
        """Return the value in the form of the branch that it looks like.

        With undeclared keys it may look like another branch once it is sent; it stays as it is then.
        """
        sent = _form(self.given, value).encode(value)
        is_known = any(look.takes(value) for look, _ in self.given)
        return sent if is_known or self.decode(sent) == value else value

    def decode(self, sent: Any) -> Any:
        """Return the value of the branch that the sent one looks like."""
        return _form(self.sent, sent).decode(sent)


def _form(looks: Looks, value: Any) -> Form:
    for look, form in looks:
        if look.takes(value):
            return form
    alike = [each for each in looks if kind_of(value) in each[0].kinds]
    keys = value.keys() if isinstance(value, dict) else frozenset[str]()
    whole = [each for each in alike if each[0].required <= keys]  # but for keys that no branch declares
    return max(whole or alike, key=lambda each: len(each[0].required), default=(None, SAME))[1]


@dataclass(frozen=True, slots=True)
class Shared(Form):
    """The form of a definition, by its name: definitions may refer to themselves."""

    name: str
    forms: Mapping[str, Form] = field(compare=False, repr=False)

    def encode(self, value: Any) -> Any:
        """Return the value in the form of the definition."""
        return self.forms[self.name].encode(value)

    def decode(self, sent: Any) -> Any:
        """Return the value of the definition that was sent."""
        return self.forms[self.name].decode(sent)
