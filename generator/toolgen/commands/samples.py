"""Create sample payloads for a schema.

They are values that an old schema may accept, at and around its differences from a new schema.

Each value differs from a plain one in one place, so the number of values grows with the sum of the schemas' sizes and
not with their product. The checks decide whether a schema accepts a value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from toolgen.commands import scalar_samples
from toolgen.compiler.containment.conjunction import Conjunction, Conjunctions, kept, schemas_of_key
from toolgen.compiler.containment.likeness import Likeness
from toolgen.compiler.schema import facts
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.schema.keywords import ITEMS, UNIONS
from toolgen_runtime.schema.raw import listed

MAX_SAMPLE_DEPTH: Final = 12
MAX_VARIANTS: Final = 400
"""The maximum number of values for one place."""
MAX_WHOLE: Final = 3_000
"""The maximum number of values for the whole payload."""
MAX_MEMBERS: Final = 300_000
"""The maximum number of members in all values for one object; keys whose schemas differ come first."""
MAX_MATCHES: Final = 200_000
"""The maximum number of keys of one object times the patterns that these are compared with."""
MAX_OF_BRANCH: Final = 60
"""The maximum number of values for one branch of a union."""
MAX_BRANCHES: Final = 30
"""The maximum number of branches of unions for one place."""
MAX_CHARACTERS: Final = 20_000_000
"""The maximum number of characters of all values as JSON; beyond it, each place gets only a few values."""
MAX_TEXT: Final = 200_000
"""The maximum number of characters of one value as JSON; its parts may repeat their own parts many times."""
MAX_SAMPLED_PLACES: Final = 5_000
"""The maximum number of places for which values are made."""
_FEW: Final = 4
UNKNOWN_KEY: Final = "unknown_key"


def payloads(old: Schema, new: Schema) -> list[Any]:
    """Return at most `MAX_WHOLE` payloads that may show a difference between two schemas."""
    return _Sampler().variants((old,), (new,), most=MAX_WHOLE)


def plain_payloads(schema: Schema) -> list[Any]:
    """Return a list with the simplest payload for a schema; an empty list if none was found."""
    return _Sampler(most=1).variants((schema,), (schema,))


class _Sampler:
    """Makes the values to try, and caches them."""

    def __init__(self, most: int = MAX_WHOLE) -> None:
        """Make at most `most` values for each place."""
        self._most = most
        self._known: dict[tuple[frozenset[Schema], frozenset[Schema], int], list[Any]] = {}
        self._family = Conjunctions()
        self._likeness = Likeness()
        self._characters = 0

    def variants(
        self, olds: Sequence[Schema], news: Sequence[Schema], depth: int = 0, most: int = MAX_VARIANTS
    ) -> list[Any]:
        """Return sample values for one place in the payload. The first one is as simple as possible."""
        if len(self._known) >= MAX_SAMPLED_PLACES and not (
            self._family.knows(olds) and self._family.knows(news)
        ):
            return []
        old, new, most = self._family.of(olds), self._family.of(news), min(most, self._most)
        question = (old.members, new.members, most)
        if question not in self._known and len(self._known) < MAX_SAMPLED_PLACES:
            self._known[question] = []  # for a recursion to this place
            values = islice(self._values(old, new, depth), max(most, MAX_VARIANTS))
            self._known[question] = self._distinct(values, most)
        return self._known.get(question, [])

    def _distinct(self, values: Iterator[Any], most: int) -> list[Any]:
        """Return the first distinct values that are not too long, at most `most`."""
        found: dict[str, Any] = {}
        for value in values:
            text = json.dumps(value)
            self._characters += len(text)
            is_short, is_over = len(text) <= MAX_TEXT, self._characters > MAX_CHARACTERS
            if is_short:
                found.setdefault(text, value)
            if len(found) >= most or (is_over and (len(found) >= _FEW or not is_short)):
                break
        return list(found.values())

    def _values(self, old: Conjunction, new: Conjunction, depth: int) -> Iterator[Any]:
        if depth > MAX_SAMPLE_DEPTH:
            return
        yield from old.values or ()
        types = old.types
        likely = sorted(types, key=lambda name: (name in new.types, name not in ("object", "array"), name))
        pairs: list[tuple[Sequence[Schema], Sequence[Schema]]] = []
        pairs += (((*old, branch), new) for branch in self._telling(old, new))
        pairs += ((old, (*new, branch)) for branch in self._telling(new, old))
        yield from _in_turns([self.variants(*pair, depth + 1, MAX_OF_BRANCH) for pair in pairs])
        for name in likely:
            if name == "object":
                yield from self._objects(old, new, depth)
            elif name == "array":
                yield from self._arrays(old, new, depth)
            else:
                yield from scalar_samples.of_type(name, old, new)
        for schema in (*old, *new):
            yield from _noted(schema)

    def _telling(self, together: Conjunction, others: Conjunction) -> list[Schema]:
        """Return the branches to try.

        If there are many, first those like a schema of the other side, then those it lacks.
        """
        found = _branches(together)
        if len(found) <= MAX_BRANCHES:
            return found
        taken = self._likeness.numbers(others)
        common = self._likeness.numbers(_branches(others))

        def rank(branch: Schema) -> int:
            number = self._likeness.number(branch)
            if number in taken:
                return 0
            return 2 if number in common else 1

        return sorted(found, key=rank)[:MAX_BRANCHES]

    def _arrays(self, old: Conjunction, new: Conjunction, depth: int) -> Iterator[Any]:
        both = Conjunction.of((*old, *new))
        prefix = max((len(schema.prefix_items) for schema in both), default=0)
        items = [self.variants(old.of_index(i), new.of_index(i), depth + 1) for i in range(prefix + 1)]
        for inner in (s for schema in both for s in schema.below("contains")):
            items[-1] = [
                *self.variants((inner, *old.of_index(prefix)), (), depth + 1)[:2],
                *items[-1],
            ]

        def row(length: int, shift: int = 0) -> list[Any]:
            each = (items[min(i, prefix)] or [None] for i in range(length))
            return [values[shift * i % len(values)] for i, values in enumerate(each)]

        least = min(old.least(ITEMS), scalar_samples.MAX_SAMPLE_LENGTH)
        yield row(least)
        held = [min(int(v), scalar_samples.MAX_SAMPLE_LENGTH) for v in both.held("minContains")]
        for length in (*scalar_samples.counts(both, "array"), *held, 1, 2, prefix, prefix + 1):
            yield from (row(length), row(length, 1))
        for index in range(prefix + 1):
            whole = row(max(least, index + 1))
            for value in items[index]:
                yield [*whole[:index], value, *whole[index + 1 :]]
                yield [*whole, value]

    def _objects(self, old: Conjunction, new: Conjunction, depth: int) -> Iterator[Any]:
        known = list(dict.fromkeys(key for schema in (*old, *new) for key in _keys(schema)))
        below = {key: self.variants(_of(old, key), _of(new, key), depth + 1) for key in (*known, UNKNOWN_KEY)}
        plain = {key: values[0] for key, values in below.items() if values and key != UNKNOWN_KEY}
        least = {key: value for key, value in plain.items() if key in old.required}
        allowed = {key: value for key, value in plain.items() if not _is_forbidden(old, key)}
        order = sorted(below, key=lambda key: self._likeness.are_alike(_of(old, key), _of(new, key)))
        # Each key is matched with each pattern, so that of many keys only those that differ most are together.
        patterns = sum(len(schema.pattern_properties) for schema in (*old, *new))
        together = order[: max(MAX_MATCHES // (1 + patterns), _FEW)]
        most = max(MAX_MEMBERS // (len(together) * (1 + patterns // 20)), 4)
        chosen = {*together, *least}
        crowd = {key: value for key, value in allowed.items() if key in chosen}
        for base in (least, crowd):
            yield base
            left_out = order[: most // 4] if len(base) > most // 4 else base
            yield from ({k: v for k, v in base.items() if k != key} for key in left_out if key in base)
        changed = _in_turns([[(key, value) for value in below[key]] for key in order])
        for key, value in islice(changed, most // 2):
            yield from ({**base, key: value} for base in (least, crowd))
        for count in scalar_samples.counts(Conjunction.of((*old, *new)), "object"):
            padded = {**allowed, **{f"key{i}": 1 for i in range(count)}}
            yield dict(islice(padded.items(), count))


def _in_turns(lists: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Yield the first item of each list, then each second item, and so on, so that no list crowds out the others."""
    for number in range(max(map(len, lists), default=0)):
        yield from (each[number] for each in lists if number < len(each))


@kept
def _branches(together: Conjunction) -> list[Schema]:
    """Return the union branches that are not decided yet, and the subschemas of conditions and `not`."""
    found = [schema.listed[word] for schema in together for word in UNIONS if word in schema.listed]
    taken = together.members
    found = [branches for branches in found if taken.isdisjoint(branches)]
    others = [s for schema in together for word in ("if", "then", "else", "not") for s in schema.below(word)]
    return [*(branch for branches in found for branch in branches), *(s for s in others if s not in taken)]


def _noted(schema: Schema) -> Iterator[Any]:
    """Yield the default, the examples and the allowed values of a schema."""
    if "default" in schema.annotations:
        yield schema.annotations["default"]
    yield from listed(schema.annotations, "examples")
    yield from facts.values_of(schema) or ()


def _keys(schema: Schema) -> Iterator[str]:
    """Yield the keys that a schema names, and keys that its patterns match."""
    yield from (*schema.properties, *schema.required)
    for pattern in schema.pattern_properties:
        yield from scalar_samples.of_pattern(pattern, 2)
    for key, names in schema.assertions.get("dependentRequired", {}).items():
        yield from (key, *names)
    yield from schema.named.get("dependentSchemas", {})
    for inner in schema.below("propertyNames"):
        parts = Conjunction.of(facts.conjuncts(inner))
        yield from (value for value in parts.values or () if isinstance(value, str))
        yield from (str(name) for name in scalar_samples.of_type("string", Conjunction.of(()), parts))


@kept
def _by_matching_key(together: Conjunction) -> dict[str, dict[Schema, list[Schema]]]:
    """Return the schemas under patterns, by keys that match the patterns and by the schema with the pattern."""
    found: dict[str, dict[Schema, list[Schema]]] = {}
    for schema in together:
        for text, part in schema.pattern_properties.items():
            for key in scalar_samples.of_pattern(text, 2):
                found.setdefault(key, {}).setdefault(schema, []).append(part)
    return found


@kept
def _of(together: Conjunction, key: str) -> list[Schema]:
    """Return the subschemas that may apply to the value under a key."""
    found: list[Schema] = []
    of_patterns = _by_matching_key(together).get(key, {})
    for schema in together.speaking_of(key):
        matching = of_patterns.get(schema, [])
        found += [*schemas_of_key(schema, key), *matching]
        if not matching and key not in schema.properties and schema.pattern_properties:
            found += schema.below("additionalProperties")
    return found


def _is_forbidden(together: Conjunction, key: str) -> bool:
    return any(part.verdict is False for part in _of(together, key))
