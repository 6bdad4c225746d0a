"""The members of an object in one condition, and which of them a schema evaluates."""

from __future__ import annotations

from toolgen.codegen.code import Code, both, code, either, negated
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Collection, Question
from toolgen.keywords.matching import mismatches
from toolgen.schema.kinds import Kind


def required_holds(asked: Question) -> Code:
    """Give the condition that the keys are there."""
    return both([code("{key} in {v}", key=literal(key), v=asked.value.var) for key in asked.schema.required])


def properties_hold(asked: Question) -> Code:
    """Give the condition that the properties that are there are valid."""
    required = frozenset(asked.schema.required)
    found: list[Code] = []
    for key, member in asked.schema.properties.items():
        if asked.f.module.is_trivial(member):
            continue
        child = asked.condition(member, Value(code("{v}[{key}]", v=asked.value.var, key=literal(key))))
        absent = code("{key} not in {v}", key=literal(key), v=asked.value.var)
        found.append(child if key in required else either([absent, child]))
    return both(found)


def collect_properties(found: Collection) -> None:
    """Add the names of the properties."""
    if found.schema.properties:
        found.f.line("seen.update(v.keys() & {names})", names=literal(frozenset(found.schema.properties)))


def collect_patterns(found: Collection) -> None:
    """Add the names that match a pattern."""
    for pattern in found.schema.pattern_properties:
        is_name = found.f.is_kind(Kind.STRING, Value(Code("k")))
        matches = negated(mismatches(found.f, pattern, Code("k"), "key"))
        found.f.line("seen.update(k for k in v if {claims})", claims=both([is_name, matches]))
