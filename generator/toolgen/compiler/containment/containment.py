"""Prove that a schema accepts every value that another schema accepts.

The proof goes through the cases of both graphs. False means "not proved"; such cases are left to the search for a
payload (`toolgen.commands.samples`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from toolgen.compiler.containment import limits
from toolgen.compiler.containment.conjunction import Conjunction, Conjunctions
from toolgen.compiler.containment.likeness import Likeness
from toolgen.compiler.schema import facts
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind, Types, kinds_of_types
from toolgen_runtime.schema.keywords import GRAPH, ITEMS, LIMITS, UNIONS

MAX_PROOF_STEPS: Final = 50_000
"""The maximum number of steps in one proof."""
MAX_CASES: Final = 3
"""The maximum number of unions of the old schema that are split into cases for one step."""
_SAME_TEXT: Final = frozenset({"pattern", "format", "uniqueItems", "dependentRequired"})
_SAME: Final = {
    "contains": ("contains", "minContains", "maxContains"),
    "dependentSchemas": ("dependentSchemas",),
    "not": ("not",),
    "if": ("if", "then", "else"),
}
"""Keywords that are proved only by the same keyword, each with all keywords that must be the same."""
_WITH_ANOTHER: Final = frozenset(word for words in _SAME.values() for word in words) - _SAME.keys()


def is_contained(old: Schema, new: Schema, *, steps: int = MAX_PROOF_STEPS) -> bool:
    """Return whether it can be proved that the new schema accepts all values of the old one.

    The proof has at most `steps` steps.
    """
    proof = _Proof(steps)
    try:
        return proof.implies((old,), new)
    except (_TooLongError, RecursionError):
        return False


def mean_same(one: Schema, other: Schema) -> bool:
    """Return whether it can be proved that two schemas accept the same values."""
    return is_contained(one, other) and is_contained(other, one)


class _TooLongError(Exception):
    pass


class _Proof:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        """The number of questions that are left."""
        self.assumed: set[tuple[frozenset[Schema], Schema]] = set()
        """Open questions about a larger part of the value, whose answer may be assumed to be yes."""
        self.open: set[tuple[frozenset[Schema], Schema]] = set()
        """Open questions about the same value; asking them again proves nothing."""
        self.cases = 0
        self.conjunctions = Conjunctions()
        self.likeness = Likeness()

    def implies(self, olds: Sequence[Schema], new: Schema) -> bool:
        """Return whether the new schema accepts every value that all old schemas accept."""
        self.step()
        together = self.conjunctions.of(olds)
        if new.verdict is True or together.is_empty() or new in together:
            return True
        if new.verdict is False:
            return False
        question = (together.members, new)
        if question in self.assumed:
            return True
        if question in self.open:
            return False
        self.open.add(question)
        try:
            if self.likeness.is_among(new, together):
                return True
            return self._directly(together, new) or self._by_cases(together, new)
        finally:
            self.open.discard(question)

    def step(self) -> None:
        """Count a step of the proof, which has a limited number of steps.

        Raises:
            _TooLongError: there were too many steps.
        """
        self.steps -= 1
        if self.steps < 0:
            raise _TooLongError

    def are_disjoint(self, together: Conjunction, other: Schema) -> bool:
        """Return whether it is certain that no value is valid under both a conjunction and a schema."""
        self.step()
        return together.is_disjoint(self.conjunctions.of((other,)))

    def below(self, olds: Sequence[Schema], new: Schema) -> bool:
        """Do the same as `implies` for a part of the value, such as an item.

        The proof may assume what it has to prove about the whole.
        """
        assumed, still_open = self.assumed, self.open
        self.assumed, self.open = assumed | still_open, set()
        try:
            return self.implies(olds, new)
        finally:
            self.assumed, self.open = assumed, still_open

    def _by_cases(self, together: Conjunction, new: Schema) -> bool:
        """Prove each branch of one of the old schemas' unions separately."""
        if self.cases >= MAX_CASES:
            return False
        for old in together:
            for keyword in UNIONS:
                branches = old.listed.get(keyword, ())
                if branches and together.members.isdisjoint(branches):
                    self.cases += 1
                    try:
                        if all(self.implies((*together, branch), new) for branch in branches):
                            return True
                    finally:
                        self.cases -= 1
        return False

    # -- the keywords of the new schema, one by one

    def _directly(self, together: Conjunction, new: Schema) -> bool:
        kinds = kinds_of_types(together.types)
        return all(
            ((kind := GRAPH[keyword].kind) != "any" and Kind(kind) not in kinds)
            or self._keyword(together, new, keyword)
            for keyword in new.keywords
        )

    def _keyword(self, together: Conjunction, new: Schema, keyword: str) -> bool:
        if keyword in ("type", "enum", "const"):
            return limits.implies_choice(together, new, keyword)
        if keyword in new.assertions and limits.all_take(together, keyword, new.assertions[keyword]):
            return True
        if keyword in LIMITS:
            return limits.implies_limit(together, keyword, new.assertions[keyword])
        if keyword in _SAME_TEXT:
            value = new.assertions[keyword]
            return value is False or value in together.held(keyword)
        if keyword in _SAME:
            return any(all(self._is_same(old, new, word) for word in _SAME[keyword]) for old in together)
        rule = _RULES.get(keyword)
        return keyword in _WITH_ANOTHER or (rule is not None and rule(self, together, new))

    def _is_same(self, old: Schema, new: Schema, keyword: str) -> bool:
        """Return whether a keyword provably has the same meaning in two schemas."""
        if old.assertions.get(keyword) != new.assertions.get(keyword):
            return False
        if [*old.named.get(keyword, ())] != [*new.named.get(keyword, ())]:
            return False
        pairs = [*zip_longest(old.below(keyword), new.below(keyword))]
        return all(a and b and self.implies((a,), b) and self.implies((b,), a) for a, b in pairs)

    def _required(self, together: Conjunction, new: Schema) -> bool:
        return together.required.issuperset(new.required)

    def _properties(self, together: Conjunction, new: Schema) -> bool:
        return all(self._member(together, name, member) for name, member in new.properties.items())

    def _member(self, together: Conjunction, name: str, member: Schema) -> bool:
        return together.forbids(name) or self.below(together.of_key(name), member)

    def _additional(self, together: Conjunction, new: Schema) -> bool:
        rest = new.additional_properties
        assert rest is not None
        known = together.names - new.properties.keys()
        if not all(self._member(together, name, rest) for name in known):
            return False
        others = [parts for text, parts in together.patterned.items() if text not in new.pattern_properties]
        return self._others(together, rest) and all(self.below([p], rest) for parts in others for p in parts)

    def _others(self, together: Conjunction, part: Schema) -> bool:
        """Return whether `part` provably accepts the value of each property that the old schemas do not name."""
        own = [old.additional_properties for old in together if old.additional_properties is not None]
        return self.below(own, part)

    def _pattern_properties(self, together: Conjunction, new: Schema) -> bool:
        return all(
            any(self.below([own], part) for own in together.patterned.get(text, ()))
            or self._every_value(together, part)
            for text, part in new.pattern_properties.items()
        )

    def _every_value(self, together: Conjunction, part: Schema) -> bool:
        """Return whether `part` provably accepts the value of each property, whatever its name."""
        return (
            all(self._member(together, name, part) for name in together.names)
            and self._others(together, part)
            and all(self.below([p], part) for parts in together.patterned.values() for p in parts)
        )

    def _property_names(self, together: Conjunction, new: Schema) -> bool:
        own = [old.single["propertyNames"] for old in together if "propertyNames" in old.single]
        closed = next((old for old in together if facts.is_closed(old)), None)
        if closed is not None:
            own.append(Schema("", "", assertions={"enum": list(closed.properties)}))
        return bool(own) and self.below(own, new.single["propertyNames"])

    def _prefix_items(self, together: Conjunction, new: Schema) -> bool:
        most = together.most(ITEMS)
        return all(
            index >= most or self.below(together.of_index(index), item)
            for index, item in enumerate(new.prefix_items)
        )

    def _items(self, together: Conjunction, new: Schema) -> bool:
        assert new.items is not None
        start = len(new.prefix_items)
        longest = max((len(old.prefix_items) for old in together), default=0)
        most = together.most(ITEMS)
        indexes = [index for index in range(start, longest) if index < most]
        if not all(self.below(together.of_index(index), new.items) for index in indexes):
            return False
        end = max(start, longest)
        return most <= end or self.below(together.of_index(end), new.items)

    def _all_of(self, together: Conjunction, new: Schema) -> bool:
        return all(self.implies(together, part) for part in new.conjoined())

    def _any_of(self, together: Conjunction, new: Schema) -> bool:
        branches = new.listed["anyOf"]
        alike = self.likeness.numbers(branches) & self.likeness.numbers(together)
        if alike or any(self.implies(together, branch) for branch in branches):
            return True
        types = _schemas_of_types(together.types)
        return len(types) > 1 and all(
            any(self.implies((*together, one), branch) for branch in branches) for one in types
        )

    def _one_of(self, together: Conjunction, new: Schema) -> bool:
        branches = new.listed["oneOf"]
        return any(
            self.implies(together, one)
            and all(self._is_excluded(together, other) for other in branches if other is not one)
            for one in self._likely_first(together, branches)
        )

    def _likely_first(self, together: Conjunction, branches: Sequence[Schema]) -> Sequence[Schema]:
        """Return the branches, starting with those that are written like a schema of the conjunction."""
        return sorted(branches, key=lambda branch: not self.likeness.is_among(branch, together))

    def _is_excluded(self, together: Conjunction, other: Schema) -> bool:
        """Return whether a branch is impossible, because it is disjoint or is like an untaken branch of a `oneOf`."""
        number = self.likeness.number(other)
        return number in self.likeness.untaken(together) or self.are_disjoint(together, other)


@lru_cache(maxsize=64)
def _schemas_of_types(types: Types) -> list[Schema]:
    """Return schemas that together accept all values of some types, one for each name under `type`."""
    names = {"number" if name == "fraction" else name for name in types}
    names -= {"integer"} if "fraction" in types else set()
    return [Schema("", "", assertions={"type": (name,)}) for name in sorted(names)]


_RULES: Final = {
    "required": _Proof._required,
    "properties": _Proof._properties,
    "additionalProperties": _Proof._additional,
    "patternProperties": _Proof._pattern_properties,
    "propertyNames": _Proof._property_names,
    "prefixItems": _Proof._prefix_items,
    "items": _Proof._items,
    "allOf": _Proof._all_of,
    "$ref": _Proof._all_of,
    "$dynamicRef": _Proof._all_of,
    "anyOf": _Proof._any_of,
    "oneOf": _Proof._one_of,
}
"""The proof of each keyword of the new schema; other keywords are never proved."""
