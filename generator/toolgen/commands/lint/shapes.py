"""Check the structure of the arguments: unknown keys, impossible values, unions and deep nesting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Final

from toolgen.cli.similar import did_you_mean
from toolgen.commands.lint.subject import Subject
from toolgen.compiler.containment.conjunction import Conjunction, Conjunctions
from toolgen.compiler.containment.containment import is_contained
from toolgen.compiler.containment.emptiness import find_contradiction
from toolgen.compiler.containment.likeness import Likeness
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema import facts, union_tags
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen_runtime.schema.keywords import LIMITS, OTHER_KEYS, UNIONS
from toolgen_runtime.schema.raw import listed, named, types_of

MAX_SHALLOW_DEPTH: Final = 6
"""The maximum number of levels of objects and arrays that does not count as deep."""
MAX_COMPARED: Final = 500
"""The maximum number of comparisons between two branches of `oneOf` in one tool."""
MAX_COMPARISON_STEPS: Final = 200
"""The maximum number of steps in one such comparison."""
MAX_JOINED: Final = 50_000
"""The maximum number of schemas, in the conjunctions of one tool, that are searched for contradictions."""
MAX_PAIRS: Final = 5_000
"""The maximum number of pairs of object branches that are compared; other pairs count as distinguishable."""


def root(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding if the arguments need not be an object, and one if they may have unknown keys."""
    if facts.possible_kinds(subject.root) != {Kind.OBJECT}:
        yield subject.finding("root-not-object", "the schema allows arguments that are not an object")
    together = facts.conjuncts(subject.root)
    declares = any(one.properties for one in together)
    says_more = any(
        one.additional_properties is not None
        or one.pattern_properties
        or "unevaluatedProperties" in one.single
        for one in together
    )
    unions = any(found.is_union for one in together for found in one.facts)
    if declares and not says_more and not unions:
        yield subject.finding("open-object", "unknown keys are accepted")


def required_keys(subject: Subject) -> Iterator[Diagnostic]:
    """Yield required keys that the tool declares nowhere, although their object declares others and is open.

    Closed objects are reported with their bounds.
    """
    declared = {name for schema in everything(subject.root) for name in schema.properties}
    for _, schema in subject.schemas:  # also those that nothing refers to
        declared |= named(schema, "properties").keys()
    for steps, schema in subject.schemas:
        fields = named(schema, "properties")
        others = schema.get("additionalProperties", True)
        if not fields or "patternProperties" in schema or others is not True:
            continue
        for index, key in enumerate(listed(schema, "required")):
            if key not in declared:
                meant = did_you_mean(key, fields, 1)
                message = f"{key!r} is required, but `properties` does not declare it"
                if meant:
                    message += f": {meant}"
                yield subject.finding("unknown-required", message, *steps, "required", index)


def arrays(subject: Subject) -> Iterator[Diagnostic]:
    """Yield arrays without `items`, which OpenAI rejects unless a client adds it."""
    for steps, schema in subject.schemas:
        if "array" in (types_of((schema,)) or ()) and not {"items", "prefixItems"} & schema.keys():
            yield subject.finding("missing-items", "the array does not describe its items", *steps)


def depth(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding if the arguments are deeply nested. Recursion does not count."""
    levels = _levels(subject.root)
    if levels > MAX_SHALLOW_DEPTH:
        yield subject.finding("deep-nesting", f"{levels} levels of objects and arrays")


def _levels(root: Schema) -> int:
    """Return the number of levels in a graph. A reference back to a schema in progress adds none."""
    known: dict[Schema, int] = {root: 0}
    waiting = [(root, _below(root))]
    while waiting:
        schema, children = waiting[-1]
        new = next((child for child, _ in children if child not in known), None)
        if new is not None:
            known[new] = 0
            waiting.append((new, _below(new)))
        else:
            waiting.pop()
            known[schema] = max((known[child] + levels for child, levels in _below(schema)), default=0)
    return known[root]


def _below(schema: Schema) -> Iterator[tuple[Schema, int]]:
    """Yield the subschemas for the value and its parts, each with the number of levels that it adds: one or none."""
    for found in schema.facts:
        if found.subject is not None:
            yield from ((child, 0 if found.in_place else 1) for child in schema.below(found.name))


def bounds(subject: Subject) -> Iterator[Diagnostic]:
    """Yield schemas whose limits contradict each other, so that no value of some type is allowed.

    Limits for kinds that the schema rejects anyway do not count.
    """
    for schema in subject.graph:
        for kind in facts.possible_kinds(schema):
            if Conjunction.of([schema]).has_no_measure(kind):
                yield subject.finding("contradictory-bounds", _no_value(schema, kind), pointer=schema.pointer)
            elif kind is Kind.OBJECT and facts.is_closed(schema):
                for key in [key for key in schema.required if key not in schema.properties][:1]:
                    message = f"{key!r} is required, but only the keys of `properties` are allowed"
                    yield subject.finding("contradictory-bounds", message, pointer=schema.pointer)


def _no_value(schema: Schema, kind: Kind) -> str:
    """Return, in words, the limits that allow no value of a kind."""
    held = [
        f"{row.name} {schema.assertions[row.name]}"
        for row in LIMITS.values()
        if row.kind == kind.value and row.name in schema.assertions
        if row.comparison is not None and row.comparison.side
    ]
    if kind is Kind.OBJECT and facts.is_closed(schema):
        held = [f"keys limited to {len(schema.properties)}", *held]
    if kind is Kind.OBJECT and schema.required:
        held = [f"{len(schema.required)} required keys", *held]
    is_whole = kind is Kind.NUMBER and "fraction" not in facts.own_types(schema)
    return f"{' and '.join(held)} allow no {'integer' if is_whole else kind.value}"


def contradictions(subject: Subject) -> Iterator[Diagnostic]:
    """Yield schemas that contradict another schema for the same value.

    Also yield branches that contradict the schema around their union.
    """
    family, left = Conjunctions(), MAX_JOINED
    seen = set[Schema]()  # parts of a conjunction; without a union they need no search of their own
    for schema in subject.graph:
        has_union = any(word in schema.listed for word in UNIONS)
        if schema.verdict is not None or schema.is_plain or left < 0 or (schema in seen and not has_union):
            continue
        together = family.of([schema])
        seen.update(together)
        left -= len(together)
        if (reason := find_contradiction(together)) is not None:
            if not any(find_contradiction(Conjunction.of([part])) for part in together):
                yield subject.finding(
                    "impossible-schema", f"no value is valid: {reason}", pointer=schema.pointer
                )
            continue
        for word in UNIONS:
            members = [one for one in schema.listed.get(word, ()) if not find_contradiction(family.of([one]))]
            left -= len(members) * len(together)
            if left >= 0:
                yield from _contradicting(subject, schema, word, members, family)


def _contradicting(
    subject: Subject, schema: Schema, word: str, members: list[Schema], family: Conjunctions
) -> Iterator[Diagnostic]:
    """Yield the branches that contradict the schema around their union, or this schema if all branches do."""
    reasons = {one: find_contradiction(family.of([schema, one])) for one in members}
    wrong = {one: reason for one, reason in reasons.items() if reason is not None}
    if wrong and len(wrong) == len(members):
        message = f"no value is valid under the schema and a branch of {word!r}: {next(iter(wrong.values()))}"
        yield subject.finding("impossible-schema", message, pointer=schema.pointer)
        return
    for one, reason in wrong.items():
        message = f"the branch and the keywords beside {word!r} accept no common value: {reason}"
        yield subject.finding("unreachable-branch", message, pointer=one.pointer)


def unions(subject: Subject) -> Iterator[Diagnostic]:
    """Yield branches that can never be chosen, and unions of objects that have no tag."""
    left = MAX_COMPARED
    for schema in subject.graph:
        for word in UNIONS:
            members = schema.listed.get(word, ())
            unreachable = list(_unreachable(subject, word, members))
            yield from unreachable
            if word == "oneOf" and not unreachable and len(members) ** 2 <= left:
                left -= len(members) ** 2
                yield from _never_alone(subject, members)
            objects = [one for one in members if facts.possible_kinds(one) == {Kind.OBJECT}]
            objects = [one for one in objects if not _takes_any_object(one)]
            if len(objects) > 1 and not _told_apart(objects):
                message = f"{len(objects)} objects under {word}, without a required field that identifies the branch"
                yield subject.finding("untagged-union", message, pointer=f"{schema.pointer}/{word}")


def _unreachable(subject: Subject, word: str, members: tuple[Schema, ...]) -> Iterator[Diagnostic]:
    seen: dict[tuple[int, str], int] = {}
    likeness = Likeness()
    for index, one in enumerate(members):
        number = likeness.number(one)
        # A format that is not checked (`binary`) still distinguishes branches.
        told = str(one.raw.get("format")) if isinstance(one.raw, dict) else ""
        first = index if number is None else seen.setdefault((number, told), index)
        if one.verdict is False or not facts.possible_kinds(one):
            yield subject.finding("unreachable-branch", "the branch accepts no values", pointer=one.pointer)
        elif first != index:
            means = "neither can be the only match" if word == "oneOf" else "this branch has no effect"
            message = f"equal to branch {first}: {means}"
            yield subject.finding("unreachable-branch", message, pointer=one.pointer)


def _never_alone(subject: Subject, members: tuple[Schema, ...]) -> Iterator[Diagnostic]:
    """Yield branches of `oneOf` that never match alone, because another branch accepts all their values.

    Under `anyOf` such a branch is useful, because it shows which values are expected.
    """
    for one in members:
        wider = (
            index
            for index, other in enumerate(members)
            if other is not one
            and facts.possible_kinds(one) <= facts.possible_kinds(other)
            and is_contained(one, other, steps=MAX_COMPARISON_STEPS)
        )
        if (index := next(wider, None)) is not None:
            message = f"branch {index} accepts every value of this branch, so this branch can never be the only match"
            yield subject.finding("unreachable-branch", message, pointer=one.pointer)


def _takes_any_object(branch: Schema) -> bool:
    """Return whether a branch accepts every object, and so is the fallback for the other branches."""
    return branch.verdict is None and all(
        word == "type"
        or (
            word in OTHER_KEYS
            and not any(branch.single[word].keywords)
            and branch.single[word].verdict is not False
        )
        or (word in ("properties", "patternProperties") and not branch.named[word])
        or (word == "required" and not branch.required)
        for word in branch.keywords
    )


def _told_apart(branches: list[Schema]) -> bool:
    """Return whether any two branches can be told apart by a tag, or by required keys that only one of them has."""
    if union_tags.shared_tag(branches) is not None:
        return True
    family = Conjunctions()
    forms = [family.of([branch]) for branch in branches]
    return all(_differ(one, other) for one, other in islice(combinations(forms, 2), MAX_PAIRS))


def _differ(one: Conjunction, other: Conjunction) -> bool:
    has_own = one.required - other.names and other.required - one.names
    return bool(has_own) or one.is_disjoint(other)
