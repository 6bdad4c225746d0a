"""`patternProperties`, and what is left to `additionalProperties` beside it (2020-12 core, section 10.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from toolgen.codegen.code import TRUE, Code, both, code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.keyword import Collection, Question
from toolgen.keywords.matching import mismatches
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind


def write_patterns(
    f: Function,
    value: Value,
    properties: Mapping[str, Schema],
    patterns: Mapping[str, Schema],
    additional: Callable[[Code], None] | None,
) -> None:
    """Write each key against each pattern.

    `additional` writes what is asked of a key that neither a property nor a pattern claims, if anything is.
    """
    key = f.local("k")
    with f.block("for {k} in {v}:", k=key, v=value.var):
        free = f.local("free") if additional is not None else None
        if free is not None:
            known = literal(frozenset(properties))
            is_free = code("{k} not in {known}", k=key, known=known) if properties else TRUE
            f.line("{free} = {is_free}", free=free, is_free=is_free)
        for pattern, schema in patterns.items():
            is_trivial = f.module.is_trivial(schema)
            if free is None and is_trivial:
                continue
            with f.when(_matches(f, pattern, key)):
                if free is not None:
                    f.line("{free} = False", free=free)
                if not is_trivial:
                    f.apply(schema, f.member(value, key, hint=f"{value.hint} value"))
        if free is not None and additional is not None:
            with f.when(free):
                additional(key)


def _matches(f: Function, pattern: str, key: Code) -> Code:
    is_name = f.is_kind(Kind.STRING, Value(key))  # Python's dicts can have other keys
    return both([is_name, negated(mismatches(f, pattern, key, "key", is_short=True))])


def required_holds(asked: Question) -> Code:
    """Give the condition that the keys are there."""
    return both([code("{key} in {v}", key=literal(key), v=asked.value.var) for key in asked.schema.required])


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
