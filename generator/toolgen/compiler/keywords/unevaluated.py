"""Write the checks of `unevaluatedProperties` and `unevaluatedItems`, and code that collects what is
evaluated.

They apply to the names or indexes that no other schema has evaluated.


A collector is written for each schema involved. It is a function that adds the names or indexes that the schema
evaluates in a valid value to a set (2020-12 core, section 11). Subschemas of `allOf` and `$ref` count even if they
reject the value, because the value is then invalid anyway and has their issues.
"""

from __future__ import annotations

from typing import Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import Code, code, fragment
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import docstring, literal
from toolgen.compiler.codegen.module import CheckFunction, place
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen.compiler.schema.vocabulary import ASKING_EVALUATED, EVALUATING_REST
from toolgen_runtime.schema.keywords import GRAPH

_ELEMENT: Final = {Kind.OBJECT: Code("str"), Kind.ARRAY: Code("int")}


def write(f: Function, schema: Schema, value: Value, keyword: str) -> None:
    """Write the check of one of the two keywords (2020-12 core, sections 11.2 and 11.3), with an issue for
    each key or index.
    """
    rest, kind = schema.single[keyword], Kind(GRAPH[keyword].kind)
    if f.module.is_trivial(rest):
        return
    seen, element = f.local("seen", lasting=True), _ELEMENT[kind]
    f.line("{seen}: set[{element}] = set()", seen=seen, element=element)
    f.line("{collect}({v}, {seen})", collect=evaluated(f, schema, kind), v=value, seen=seen)
    if kind is Kind.OBJECT:
        step, item = f.local("k"), None
        loop = f.block("for {k} in {v}:", k=step, v=value)
    else:
        step = f.local("i")
        item = f.value(f"{value.hint} item", (*value.path, step))
        loop = f.block("for {i}, {item} in enumerate({v}):", i=step, item=item, v=value)
    with loop, f.when(code("{step} not in {seen}", step=step, seen=seen)):
        child = item or f.member(value, step)
        if rest.verdict is False:
            f.issue(child, keyword, literal(False))
        else:
            f.apply(rest, child)


def evaluated(f: Function, schema: Schema, kind: Kind, own: bool = True) -> Code:
    """Return the name of the function that collects what a schema evaluates.

    It collects the names of an object, or the indexes of an array, that the schema evaluates.

    With `own`, those that the schema's own `unevaluated...` keyword evaluates are left out.
    """
    what, element = "names" if kind is Kind.OBJECT else "indexes", _ELEMENT[kind]

    def write(schema: Schema, known: Code) -> None:
        inner = Function(f.module, f.vocabulary)
        is_crowded = schema in f.module.crowded
        if is_crowded:  # the set also has the collectors that have already run
            with inner.block("if {collector} in seen:", collector=known):
                inner.line("return")
            inner.line("seen.add({collector})", collector=known)
        if schema.verdict is None:
            _collect(inner, schema, Value(Code("v"), kind=kind), own)
        about = docstring(f"Add what {place(schema)} evaluates.")
        parameters = fragment("v: Any, seen: set[{element}]", element=Code("Any") if is_crowded else element)
        f.module.functions.append(CheckFunction(known, parameters, Code("None"), about, inner.plain_body()))

    return f.module.function(schema, f"own {what}" if own else what, write)


def add(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects what a subschema evaluates."""
    assert value.kind is not None
    f.line("{collect}({v}, seen)", collect=evaluated(f, schema, value.kind, own=False), v=value)


def _collect(f: Function, schema: Schema, value: Value, own: bool) -> None:
    """Write the body of a collector, which adds all names or indexes, or those of one keyword after another."""
    is_object = value.kind is Kind.OBJECT
    present = {
        facts.name for facts in schema.facts if facts.kind in ("any", "object" if is_object else "array")
    }
    if present & (EVALUATING_REST - ASKING_EVALUATED if own else EVALUATING_REST):
        f.line("seen.update({v})" if is_object else "seen.update(range(len({v})))", v=value)
        return
    for keyword in f.vocabulary.rows:
        if keyword.collect is not None and keyword.name in present:
            keyword.collect(f, schema, value)
