"""`is_contained`: whether every value that one schema takes is proved to be taken by another.

A proof by cases over the two graphs. False means "not proved": what is not understood here is left to the search
for a payload (`toolgen.diff.witness`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolgen.diff import limits
from toolgen.diff.choices import all_take, implies_choice, schema_of_type, type_names
from toolgen.diff.limits import Together
from toolgen.diff.relations import (
    all_of,
    are_disjoint,
    doubly_negated,
    is_empty,
    most_properties,
    same,
    schemas_of_index,
    schemas_of_key,
)
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import kinds_of_types
from toolgen.schema.vocabulary import KEYWORDS

MAX_STEPS: Final = 50_000
"""Questions that one proof may ask."""
MAX_CASES: Final = 3
"""Unions of the old schema that are taken apart on the way to one answer."""
_SAME_TEXT: Final = frozenset({"pattern", "format", "uniqueItems"})


def is_contained(old: Schema, new: Schema, *, steps: int = MAX_STEPS) -> bool:
    """Return whether it is proved that the new schema takes all that the old one takes, within so many steps."""
    proof = _Proof(steps)
    try:
        return proof.implies((old,), new)
    except (_TooLongError, RecursionError):
        return False


class _TooLongError(Exception):
    pass


class _Proof:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        """Questions that may still be asked."""
        self.assumed: set[tuple[frozenset[Schema], Schema]] = set()
        """Questions further up, about a larger part of the value: the answer may be taken to be yes."""
        self.open: set[tuple[frozenset[Schema], Schema]] = set()
        """Questions about the same value: asked again, they prove nothing."""
        self.cases = 0

    def implies(self, olds: Sequence[Schema], new: Schema) -> bool:
        """Return whether what some schemas take together is taken by another."""
        self.steps -= 1
        if self.steps < 0:
            raise _TooLongError
        together = all_of(olds)
        if new.verdict is True or is_empty(together) or new in together:
            return True
        if new.verdict is False:
            return False
        question = (frozenset(together), new)
        if question in self.assumed:
            return True
        if question in self.open:
            return False
        self.open.add(question)
        try:
            if any(same(old, new) for old in together):
                return True
            return self._directly(together, new) or self._by_cases(together, new)
        finally:
            self.open.discard(question)

    def below(self, olds: Sequence[Schema], new: Schema) -> bool:
        """Return `implies` for a part of the value: what is asked of the whole may be assumed."""
        assumed, still_open = self.assumed, self.open
        self.assumed, self.open = assumed | still_open, set()
        try:
            return self.implies(olds, new)
        finally:
            self.assumed, self.open = assumed, still_open

    def _by_cases(self, together: Together, new: Schema) -> bool:
        """Try each branch of a union of the old schema."""
        if self.cases >= MAX_CASES:
            return False
        for old in together:
            for keyword in ("anyOf", "oneOf"):
                branches = old.listed.get(keyword, ())
                if branches and not any(branch in together for branch in branches):
                    self.cases += 1
                    try:
                        if all(self.implies((*together, branch), new) for branch in branches):
                            return True
                    finally:
                        self.cases -= 1
        return False

    # -- one keyword of the new schema after the other

    def _directly(self, together: Together, new: Schema) -> bool:
        kinds = kinds_of_types(facts.types_of(together))
        return all(
            ((row := KEYWORDS[keyword]).kind is not None and row.kind not in kinds)
            or self._keyword(together, new, keyword)
            for keyword in new.keywords
        )

    def _keyword(self, together: Together, new: Schema, keyword: str) -> bool:
        if keyword in ("type", "enum", "const"):
            return implies_choice(together, new, keyword)
        if keyword in new.assertions and all_take(together, keyword, new.assertions[keyword]):
            return True
        if keyword == "maxProperties":
            return bool(most_properties(together) <= new.assertions[keyword])
        if keyword in limits.LIMITS:
            return limits.implies_limit(together, keyword, new.assertions[keyword])
        if keyword in _SAME_TEXT:
            value = new.assertions[keyword]
            return value is False or value in limits.held(together, keyword)
        rule = _RULES.get(keyword)
        return rule is not None and rule(self, together, new)

    def _required(self, together: Together, new: Schema) -> bool:
        return set(new.required) <= {name for old in together for name in old.required}

    def _properties(self, together: Together, new: Schema) -> bool:
        return all(self._member(together, name, member) for name, member in new.properties.items())

    def _member(self, together: Together, name: str, member: Schema) -> bool:
        own = [part for old in together for part in schemas_of_key(old, name)]
        return any(part.verdict is False for part in own) or self.below(own, member)

    def _additional(self, together: Together, new: Schema) -> bool:
        rest = new.additional_properties
        assert rest is not None
        known = {name for old in together for name in old.properties} - new.properties.keys()
        if not all(self._member(together, name, rest) for name in known):
            return False
        patterned = [part for old in together for part in old.pattern_properties.values()]
        if new.pattern_properties:
            mine = set(new.pattern_properties)
            patterned = [
                p for old in together for text, p in old.pattern_properties.items() if text not in mine
            ]
        unknown = [old.additional_properties for old in together if not old.pattern_properties]
        others = [old.additional_properties for old in together if old.pattern_properties]
        closing = [part for part in (*unknown, *others) if part is not None]
        return self.below(closing, rest) and all(self.below([part], rest) for part in patterned)

    def _pattern_properties(self, together: Together, new: Schema) -> bool:
        return all(
            any(
                self.below([old.pattern_properties[text]], part)
                for old in together
                if text in old.pattern_properties
            )
            or self._every_value(together, part)
            for text, part in new.pattern_properties.items()
        )

    def _every_value(self, together: Together, part: Schema) -> bool:
        """Return whether each property, whatever its name, is proved to be taken."""
        names = {name for old in together for name in old.properties}
        rest = [old.additional_properties for old in together if old.additional_properties is not None]
        patterned = [p for old in together for p in old.pattern_properties.values()]
        return (
            all(self._member(together, name, part) for name in names)
            and self.below(rest, part)
            and all(self.below([p], part) for p in patterned)
        )

    def _property_names(self, together: Together, new: Schema) -> bool:
        own = [old.single["propertyNames"] for old in together if "propertyNames" in old.single]
        closed = next((old for old in together if facts.is_closed(old)), None)
        if closed is not None:
            own.append(Schema("", "", assertions={"enum": list(closed.properties)}))
        return bool(own) and self.below(own, new.single["propertyNames"])

    def _prefix_items(self, together: Together, new: Schema) -> bool:
        most = min(limits.held(together, "maxItems"), default=None)
        return all(
            (most is not None and index >= most) or self.below(schemas_of_index(together, index), item)
            for index, item in enumerate(new.prefix_items)
        )

    def _items(self, together: Together, new: Schema) -> bool:
        assert new.items is not None
        start = len(new.prefix_items)
        longest = max((len(old.prefix_items) for old in together), default=0)
        most = min(limits.held(together, "maxItems"), default=None)
        indexes = [index for index in range(start, longest) if most is None or index < most]
        if not all(self.below(schemas_of_index(together, index), new.items) for index in indexes):
            return False
        end = max(start, longest)
        return (most is not None and most <= end) or self.below(schemas_of_index(together, end), new.items)

    def _contains(self, together: Together, new: Schema) -> bool:
        if "maxContains" in new.assertions:
            return False
        least = new.assertions.get("minContains", 1)
        return least == 0 or any(
            self.below([old.single["contains"]], new.single["contains"])
            for old in together
            if "contains" in old.single and old.assertions.get("minContains", 1) >= least
        )

    def _dependent_required(self, together: Together, new: Schema) -> bool:
        always = {name for old in together for name in old.required}
        return all(
            set(names)
            <= always.union(*(old.assertions.get("dependentRequired", {}).get(key, ()) for old in together))
            or any(part.verdict is False for old in together for part in schemas_of_key(old, key))
            for key, names in new.assertions["dependentRequired"].items()
        )

    def _dependent_schemas(self, together: Together, new: Schema) -> bool:
        return all(
            any(part.verdict is False for old in together for part in schemas_of_key(old, key))
            or self.implies((*together, *_named(together, "dependentSchemas", key)), schema)
            for key, schema in new.named["dependentSchemas"].items()
        )

    def _all_of(self, together: Together, new: Schema) -> bool:
        return all(self.implies(together, part) for part in new.conjoined())

    def _any_of(self, together: Together, new: Schema) -> bool:
        branches = new.listed["anyOf"]
        if any(self.implies(together, branch) for branch in branches):
            return True
        names = type_names(together)
        return len(names) > 1 and all(
            any(self.implies((*together, schema_of_type(name)), branch) for branch in branches)
            for name in names
        )

    def _one_of(self, together: Together, new: Schema) -> bool:
        branches = new.listed["oneOf"]
        return any(
            self.implies(together, one)
            and all(are_disjoint(together, facts.conjuncts(other)) for other in branches if other is not one)
            for one in branches
        )

    def _not(self, together: Together, new: Schema) -> bool:
        refused = new.single["not"]
        if (meant := doubly_negated(new)) is not None and self.implies(together, meant):
            return True
        if are_disjoint(together, facts.conjuncts(refused)):
            return True
        own = [old.single["not"] for old in together if "not" in old.single]
        return any(self.implies([refused], mine) for mine in own)

    def _if(self, together: Together, new: Schema) -> bool:
        condition = new.single["if"]
        then, other = new.single.get("then"), new.single.get("else")
        holds, fails = self.implies(together, condition), are_disjoint(together, facts.conjuncts(condition))
        then_holds = fails or then is None or self.implies((*together, condition), then)
        return then_holds and (holds or other is None or self.implies(together, other))


def _named(together: Together, keyword: str, key: str) -> list[Schema]:
    return [old.named[keyword][key] for old in together if key in old.named.get(keyword, {})]


_RULES: Final = {
    "required": _Proof._required,
    "properties": _Proof._properties,
    "additionalProperties": _Proof._additional,
    "patternProperties": _Proof._pattern_properties,
    "propertyNames": _Proof._property_names,
    "prefixItems": _Proof._prefix_items,
    "items": _Proof._items,
    "contains": _Proof._contains,
    "minContains": lambda *_: True,  # with `contains`
    "maxContains": lambda *_: False,
    "dependentRequired": _Proof._dependent_required,
    "dependentSchemas": _Proof._dependent_schemas,
    "allOf": _Proof._all_of,
    "$ref": _Proof._all_of,
    "$dynamicRef": _Proof._all_of,
    "anyOf": _Proof._any_of,
    "oneOf": _Proof._one_of,
    "not": _Proof._not,
    "if": _Proof._if,
    "then": lambda *_: True,  # with `if`
    "else": lambda *_: True,
}
"""How each keyword of the new schema is proved; one that is not here never is."""
