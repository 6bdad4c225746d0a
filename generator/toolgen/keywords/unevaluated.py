"""What in-place subschemas evaluate: the names and indexes that `unevaluated...` leaves alone.

For each schema that matters a collector is written: a function that adds to a set what the schema evaluates
in a value that it takes (2020-12 core, section 11). Subschemas of `allOf` and `$ref` count whether they take
the value or not, since otherwise the value is invalid anyway and their issues have said so.
"""

from __future__ import annotations

from toolgen.codegen.code import Code, fragment
from toolgen.codegen.function import CheckFunction, Function
from toolgen.codegen.literals import docstring
from toolgen.codegen.module import Module, place
from toolgen.keywords import VOCABULARY
from toolgen.keywords.keyword import Collection
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind
from toolgen.schema.vocabulary import ASKING_EVALUATED, EVALUATING_REST


def evaluated(module: Module, schema: Schema, kind: Kind, own: bool = True) -> Code:
    """Return the collector of the names of an object or the indexes of an array that a schema evaluates.

    `own`: without what the schema's own `unevaluated...` evaluates.
    """
    is_object = kind is Kind.OBJECT
    element = Code("str") if is_object else Code("int")

    def write(schema: Schema, known: Code) -> None:
        f = Function(module, Code("v"))
        is_crowded = module.is_crowded(schema)
        if is_crowded:  # the set holds, beside what has been seen, which collectors have been through it
            with f.block("if {collector} in seen:", collector=known):
                f.line("return")
            f.line("seen.add({collector})", collector=known)
        if schema.verdict is None:
            _collect(f, schema, kind, own)
        about = docstring(f"Add what {place(schema)} evaluates.")
        parameters = fragment("v: Any, seen: set[{element}]", element=Code("Any") if is_crowded else element)
        module.functions.append(CheckFunction(known, parameters, Code("None"), about, f.plain_body()))

    what = "names" if is_object else "indexes"
    return module.function(schema, f"own {what}" if own else what, write)


def _collect(f: Function, schema: Schema, kind: Kind, own: bool) -> None:
    """Write what a schema evaluates in a value of a kind: all of it, or keyword by keyword."""
    present = {facts.name for facts in schema.facts if facts.kind in (kind.value, "any")}
    if present & (EVALUATING_REST - ASKING_EVALUATED if own else EVALUATING_REST):
        f.line("seen.update(v)" if kind is Kind.OBJECT else "seen.update(range(len(v)))")
        return

    def add(child: Schema) -> None:
        f.line("{collect}(v, seen)", collect=evaluated(f.module, child, kind, own=False))

    for keyword in VOCABULARY:
        if keyword.collect is not None and keyword.name in present:
            keyword.collect(Collection(f, schema, add))
