"""Write the checks of object keywords (2020-12 core, sections 10.2.2.4, 10.3.2 and 11.3; validation, section
6.5).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import Code, both, code, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.meanings import Keyword
from toolgen.compiler.keywords import members, unevaluated
from toolgen.compiler.keywords.matching import mismatches
from toolgen.compiler.keywords.unevaluated import add
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind


def required_holds(_f: Function, schema: Schema, value: Value) -> Code:
    """Return code that tests whether all required keys are present."""
    return both([code("{key} in {v}", key=literal(key), v=value) for key in schema.required])


def property_names(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `propertyNames` (core, section 10.3.2.4), with one issue for each invalid name.

    The issue's `expected` is the first constraint that the name breaks.
    """
    names = schema.single["propertyNames"]
    if f.module.is_trivial(names):
        return
    key = f.local("k")
    with f.block("for {k} in {v}:", k=key, v=value):
        if names.verdict is False:
            f.issue(value, "propertyNames", literal(False), key, step=key)
            return
        if not f.gives_issues:
            with f.when(negated(f.accepts(names, Value(key)))):
                f.issue(value, "propertyNames", literal(False))
            return
        f.line("found = {check}({k})", check=f.check_of(names), k=key)
        with f.when(Code("found")):
            expected = Code("{found[0].constraint: found[0].expected}")
            f.issue(value, "propertyNames", expected, key, step=key)


def dependent_required(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `dependentRequired` (validation, section 6.5.4), with one issue for each missing
    key.

    The issue has the path of the object.
    """
    constraint = schema.spelling.get("dependentRequired", "dependentRequired")
    for key, needed in schema.assertions["dependentRequired"].items():
        if not needed:
            continue
        with f.when(code("{key} in {v}", key=literal(key), v=value)):
            for other in dict.fromkeys(needed):
                with f.when(code("{other} not in {v}", other=literal(other), v=value)):
                    f.issue(value, constraint, literal(other), f.missing)


def dependent_schemas(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `dependentSchemas` (core, section 10.2.2.4)."""
    for key, dependent in schema.named["dependentSchemas"].items():
        if f.module.is_trivial(dependent):
            continue
        with f.when(code("{key} in {v}", key=literal(key), v=value)):
            f.apply(dependent, value)


def collect_properties(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the keys that `properties` evaluates."""
    if schema.properties:
        f.line("seen.update({v}.keys() & {names})", v=value, names=literal(frozenset(schema.properties)))


def collect_patterns(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the keys that match a pattern of `patternProperties`."""
    for pattern in schema.pattern_properties:
        is_name = f.is_kind(Kind.STRING, Value(Code("k")))
        claims = both([is_name, negated(mismatches(f, pattern, Code("k"), "key"))])
        f.line("seen.update(k for k in {v} if {claims})", v=value, claims=claims)


def collect_dependent(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the keys that `dependentSchemas` evaluates."""
    for key, dependent in schema.named["dependentSchemas"].items():
        with f.when(code("{key} in {v}", key=literal(key), v=value)):
            add(f, dependent, value)


KEYWORDS: Final = (
    Keyword("properties", members.write, collect=collect_properties),
    Keyword("required", members.write, required_holds),
    Keyword("patternProperties", members.write, collect=collect_patterns),
    Keyword("additionalProperties", members.write),
    Keyword("propertyNames", property_names),
    Keyword("dependentRequired", dependent_required),
    Keyword("dependentSchemas", dependent_schemas, collect=collect_dependent),
    Keyword("unevaluatedProperties", partial(unevaluated.write, keyword="unevaluatedProperties")),
)
