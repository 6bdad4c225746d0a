"""Convert payloads from a tool's schema to its strict schema, and back.

A strict subset has no optional fields and no objects that are maps. `strict_rewrite` expresses these differently, and
builds a tree of forms. `encode` converts a payload to the form in which it is sent, and `decode` converts it back. A
value that does not have the expected form stays unchanged, so that the tool's check reports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_runtime.schema.raw import is_one_of
from toolgen_transcripts.codec.members import Native
from toolgen_transcripts.tools.schemas import kind_of

OTHERS: Final = "other_properties"
"""The property that contains the unknown members of an object."""
MEMBERS: Final = "members"
"""The property that contains the members of a map if the map is a branch of a union."""
EXPLICIT_NULL: Final = {"explicit_null": True}
"""Stands for null in an optional field, because null itself means that the field is left out."""
EXPLICIT_LIST: Final = "explicit_list"
"""The only property of an object around a list that stands in place of a map, as in a wrong call in a history."""


class Form:
    """How one part of a payload is converted. This base class does not change it."""

    __slots__ = ()

    def encode(self, value: Any) -> Any:
        """Convert a value of the payload to the value that is sent."""
        return value

    def decode(self, sent: Any) -> Any:
        """Convert a received value back to the payload's value."""
        return sent


SAME: Final = Form()


@dataclass(frozen=True, slots=True)
class Items(Form):
    """An array whose items are converted."""

    item: Form

    def encode(self, value: Any) -> Any:
        """Convert each item of an array to what is sent."""
        if isinstance(value, list):
            return [self.item.encode(each) for each in value]
        return value

    def decode(self, sent: Any) -> Any:
        """Convert each received item back."""
        if isinstance(sent, list):
            return [self.item.decode(each) for each in sent]
        return sent


@dataclass(frozen=True, slots=True)
class Pairs(Form):
    """A map that is sent as a list of objects, each with a `name` and a `value`. With `wrapped`, the list is
    inside an object.
    """

    values: Form
    wrapped: bool = False

    def encode(self, value: Any) -> Any:
        """Convert a map to a list of pairs. If a list is given instead of a map, it is marked as such."""
        if not isinstance(value, dict):
            if isinstance(value, list):
                return {EXPLICIT_LIST: value}
            return value
        pairs = [{"name": name, "value": self.values.encode(each)} for name, each in value.items()]
        if self.wrapped:
            return {MEMBERS: pairs}
        return pairs

    def decode(self, sent: Any) -> Any:
        """Convert a list of pairs back to a map.

        A value that is not a list of pairs, or repeats a name, stays unchanged.
        """
        if isinstance(sent, dict) and sent.keys() == {EXPLICIT_LIST}:
            return sent[EXPLICIT_LIST]
        pairs = sent
        if self.wrapped and isinstance(sent, dict) and len(sent) == 1:
            pairs = sent.get(MEMBERS)
        if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
            return sent
        found = {pair["name"]: self.values.decode(pair["value"]) for pair in pairs}
        if len(found) == len(pairs):
            return found
        return sent


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"name", "value"} and isinstance(value["name"], str)


@dataclass(frozen=True, slots=True)
class Members(Form):
    """An object whose properties are converted.

    It also has the properties that are null if absent (`absent`), and all other keys.
    """

    forms: Mapping[str, Form]
    absent: frozenset[str] = frozenset()
    others: Pairs | None = None

    def encode(self, value: Any) -> Any:
        """Convert an object to the object that is sent.

        Absent optional properties become null, and unknown keys become pairs.
        """
        if not isinstance(value, dict):
            return value
        out: Native = {}
        for name, form in self.forms.items():
            if name not in value:
                if name in self.absent:
                    out[name] = None
            elif value[name] is None and name in self.absent:
                out[name] = dict(EXPLICIT_NULL)
            else:
                out[name] = form.encode(value[name])
        others = {name: each for name, each in value.items() if name not in self.forms}
        if self.others is None:
            return out | others
        return out | {OTHERS: self.others.encode(others)}

    def decode(self, sent: Any) -> Any:
        """Convert a received object back.

        Properties whose null means that they are absent are removed, and pairs become unknown keys again.
        """
        if not isinstance(sent, dict):
            return sent
        out: Native = {}
        for name, value in sent.items():
            if name in self.absent and value is None:
                continue
            if name in self.absent and value == EXPLICIT_NULL:
                out[name] = None
            elif name == OTHERS and self.others is not None:
                found = self.others.decode(value)
                if isinstance(found, dict) and not found.keys() & self.forms.keys():
                    out |= found
                else:
                    out[OTHERS] = value
            else:
                out[name] = self.forms.get(name, SAME).decode(value)
        return out


@dataclass(frozen=True, slots=True)
class Look:
    """What the values of one union branch look like at the top level, so that they can be told from those of
    other branches.

    `known` are the only keys of an object, or None if it may have others. `fixed` are the values of its constant
    members.
    """

    kinds: frozenset[str]
    required: frozenset[str] = frozenset()
    known: frozenset[str] | None = None
    fixed: Mapping[str, list[Any]] = field(default_factory=dict)

    def takes(self, value: Any) -> bool:
        """Return whether a value may belong to this branch."""
        if kind_of(value) not in self.kinds:
            return False
        if not isinstance(value, dict):
            return True
        keys = value.keys()
        fits = self.required <= keys and (self.known is None or keys <= self.known)
        return fits and all(is_one_of(value[key], fixed) for key, fixed in self.fixed.items() if key in keys)

    def excludes(self, other: Look) -> bool:
        """Return whether no value can belong to both branches."""
        shared = self.kinds & other.kinds
        if shared != {"object"}:
            return not shared
        pairs = ((self, other), (other, self))
        if any(two.known is not None and not one.required <= two.known for one, two in pairs):
            return True
        both = self.required & other.required & self.fixed.keys() & other.fixed.keys()
        return any(not any(is_one_of(v, other.fixed[key]) for v in self.fixed[key]) for key in both)


Looks = list[tuple[Look, Form]]
"""The features of each branch of a union, and the form of its values."""


@dataclass(slots=True)
class Union(Form):
    """A value that belongs to one of several branches, each with its own conversion.

    `given` describes original values and `sent` sent ones; both are set later.
    """

    given: Looks = field(default_factory=list)
    sent: Looks = field(default_factory=list)

    def encode(self, value: Any) -> Any:
        """Find the branch to which a value belongs, and convert the value as this branch requires.

        A value with unknown keys may match another branch after encoding; such a value stays unchanged.
        """
        sent = _form(self.given, value).encode(value)
        is_known = any(look.takes(value) for look, _ in self.given)
        if is_known or self.decode(sent) == value:
            return sent
        return value

    def decode(self, sent: Any) -> Any:
        """Find the branch to which a received value belongs, and convert the value back."""
        return _form(self.sent, sent).decode(sent)


def _form(looks: Looks, value: Any) -> Form:
    for look, form in looks:
        if look.takes(value):
            return form
    alike = [each for each in looks if kind_of(value) in each[0].kinds]
    keys = frozenset[str]()
    if isinstance(value, dict):
        keys = frozenset(value)
    whole = [each for each in alike if each[0].required <= keys]  # except for keys that no branch declares
    return max(whole or alike, key=lambda each: len(each[0].required), default=(None, SAME))[1]


@dataclass(frozen=True, slots=True)
class Shared(Form):
    """A reference to the conversion of a definition. It is resolved by name, so that definitions can refer to
    themselves.
    """

    name: str
    forms: Mapping[str, Form] = field(compare=False, repr=False)

    def encode(self, value: Any) -> Any:
        """Convert a value as the definition does."""
        return self.forms[self.name].encode(value)

    def decode(self, sent: Any) -> Any:
        """Convert a received value back, as the definition does."""
        return self.forms[self.name].decode(sent)
