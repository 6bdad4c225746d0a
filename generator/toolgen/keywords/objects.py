"""Keywords of objects (2020-12 core, sections 10.2.2.4, 10.3.2 and 11.3; validation, section 6.5)."""

from __future__ import annotations

from toolgen.codegen.code import Code, code, literal, negated
from toolgen.codegen.function import Function, Value
from toolgen.keywords import members
from toolgen.keywords.registry import keyword
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind


@keyword("properties", "required", "patternProperties", "additionalProperties", kind=Kind.OBJECT)
def object_members(f: Function, schema: Schema, value: Value) -> None:
    """Core, sections 10.3.2.1 to 10.3.2.3, and `required` (validation, section 6.5.3)."""
    members.emit(f, schema, value)


@keyword("propertyNames", kind=Kind.OBJECT)
def property_names(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.3.2.4: one issue a name; `expected` is the first constraint that it breaks."""
    names = schema.single["propertyNames"]
    if f.module.is_trivial(names):
        return
    key = f.local("k")
    with f.block("for {k} in {v}:", k=key, v=value.var):
        if names.verdict is False:
            f.issue(value, "propertyNames", literal(False), key, step=key)
            return
        if not f.gives_issues:
            with f.when(negated(f.accepts(names, Value(key)))):
                f.issue(value, "propertyNames", literal(False))
            return
        f.line("found = {check}({k})", check=f.module.check_of(names), k=key)
        with f.when(Code("found")):
            expected = Code("{found[0].constraint: found[0].expected}")
            f.issue(value, "propertyNames", expected, key, step=key)


@keyword("minProperties", kind=Kind.OBJECT)
def min_properties(f: Function, schema: Schema, value: Value) -> None:
    """Validation, section 6.5.2."""
    limit = literal(schema.assertions["minProperties"])
    with f.when(code("len({v}) < {limit}", v=value.var, limit=limit)):
        f.issue(value, "minProperties", limit)


@keyword("maxProperties", kind=Kind.OBJECT)
def max_properties(f: Function, schema: Schema, value: Value) -> None:
    """Validation, section 6.5.1."""
    limit = literal(schema.assertions["maxProperties"])
    with f.when(code("len({v}) > {limit}", v=value.var, limit=limit)):
        f.issue(value, "maxProperties", limit)


@keyword("dependentRequired", kind=Kind.OBJECT)
def dependent_required(f: Function, schema: Schema, value: Value) -> None:
    """Validation, section 6.5.4: one issue for each name that is missing, at the object's own path."""
    constraint = schema.spelling.get("dependentRequired", "dependentRequired")
    for key, needed in schema.assertions["dependentRequired"].items():
        if not needed:
            continue
        with f.when(code("{key} in {v}", key=literal(key), v=value.var)):
            for other in dict.fromkeys(needed):
                with f.when(code("{other} not in {v}", other=literal(other), v=value.var)):
                    f.issue(value, constraint, literal(other), f.missing)


@keyword("dependentSchemas", kind=Kind.OBJECT)
def dependent_schemas(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 10.2.2.4."""
    for key, dependent in schema.named["dependentSchemas"].items():
        if f.module.is_trivial(dependent):
            continue
        with f.when(code("{key} in {v}", key=literal(key), v=value.var)):
            f.apply(dependent, value)


@keyword("unevaluatedProperties", kind=Kind.OBJECT)
def unevaluated_properties(f: Function, schema: Schema, value: Value) -> None:
    """Core, section 11.3: one issue for each name that nothing evaluates."""
    from toolgen.keywords.unevaluated import evaluated_names

    rest = schema.single["unevaluatedProperties"]
    if f.module.is_trivial(rest):
        return
    seen, key = f.local("seen", lasting=True), f.local("k")
    f.line("{seen}: set[str] = set()", seen=seen)
    f.line(
        "{collect}({v}, {seen})", collect=evaluated_names(f.module, schema, own=True), v=value.var, seen=seen
    )
    with f.block("for {k} in {v}:", k=key, v=value.var), f.when(code("{k} not in {seen}", k=key, seen=seen)):
        child = f.member(value, key)
        if rest.verdict is False:
            f.issue(child, "unevaluatedProperties", Code("False"))
        else:
            f.apply(rest, child)
