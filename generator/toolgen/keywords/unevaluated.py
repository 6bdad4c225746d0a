"""What in-place subschemas evaluate: the names and indexes that `unevaluated...` leaves alone.

For each schema that matters a collector is written: a function that adds to a set what the schema evaluates
in a value that it takes (2020-12 core, section 11). Subschemas of `allOf` and `$ref` count whether they take
the value or not, since otherwise the value is invalid anyway and their issues have said so.
"""

from __future__ import annotations

from collections.abc import Callable

from toolgen.codegen.code import Code, both, code, docstring, fragment, literal, negated
from toolgen.codegen.function import CheckFunction, Function, Value
from toolgen.codegen.module import Module
from toolgen.keywords.matching import mismatches
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind

Collect = Callable[[Function, Schema, bool], bool]
"""Writes what a schema itself evaluates; True where that is everything. The flag: all but `unevaluated...`."""


def evaluated_names(module: Module, schema: Schema, own: bool = False) -> Code:
    """The collector of the property names that a schema evaluates; `own`: all but `unevaluatedProperties`."""
    return _collector(module, schema, "own names" if own else "names", _own_names, Code("str"))


def evaluated_indexes(module: Module, schema: Schema, own: bool = False) -> Code:
    """The collector of the indexes that a schema evaluates; `own`: all but `unevaluatedItems`."""
    return _collector(module, schema, "own indexes" if own else "indexes", _own_indexes, Code("int"))


def _collector(module: Module, schema: Schema, role: str, collect: Collect, element: Code) -> Code:
    def write(schema: Schema, known: Code) -> None:
        f = Function(module, _V.var)
        own = role.startswith("own ")
        if schema.verdict is None and not collect(f, schema, own):
            _in_place(
                f,
                schema,
                lambda child: _collector(module, child, role.removeprefix("own "), collect, element),
            )
        about = docstring(f"Add what {schema.document}#{schema.pointer.removeprefix('#')} evaluates.")
        parameters = fragment("v: Any, seen: set[{element}]", element=element)
        module.functions.append(CheckFunction(known, parameters, Code("None"), about, f.plain_body()))

    return module.function(schema, role, write)


_V = Value(Code("v"))


def _own_names(f: Function, schema: Schema, own: bool) -> bool:
    holders = ("additionalProperties",) if own else ("additionalProperties", "unevaluatedProperties")
    if any(keyword in schema.single for keyword in holders):
        f.line("seen.update(v)")
        return True
    properties = schema.named.get("properties")
    if properties:
        f.line("seen.update(v.keys() & {names})", names=literal(frozenset(properties)))
    for pattern in schema.named.get("patternProperties", {}):
        is_name = f.is_kind(Kind.STRING, Value(Code("k")))
        matches = negated(mismatches(f, pattern, Code("k"), "key"))
        f.line("seen.update(k for k in v if {claims})", claims=both([is_name, matches]))
    return False


def _own_indexes(f: Function, schema: Schema, own: bool) -> bool:
    holders = ("items",) if own else ("items", "unevaluatedItems")
    if any(keyword in schema.single for keyword in holders):
        f.line("seen.update(range(len(v)))")
        return True
    prefix = len(schema.listed.get("prefixItems", ()))
    if prefix:
        f.line("seen.update(range(min(len(v), {prefix})))", prefix=prefix)
    if "contains" in schema.single and schema.contains_evaluates:
        with (
            f.block("for i, item in enumerate(v):"),
            f.when(f.accepts(schema.single["contains"], Value(Code("item")))),
        ):
            f.line("seen.add(i)")
    return False


def _in_place(f: Function, schema: Schema, collector: Callable[[Schema], Code]) -> None:
    def collect(child: Schema) -> None:
        f.line("{collect}(v, seen)", collect=collector(child))

    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema.single:
            collect(schema.single[keyword])
    for child in schema.listed.get("allOf", ()):
        collect(child)
    for child in (*schema.listed.get("anyOf", ()), *schema.listed.get("oneOf", ())):
        with f.when(f.accepts(child, _V)):
            collect(child)
    for name, child in schema.named.get("dependentSchemas", {}).items():
        with f.when(code("{name} in v", name=literal(name))):
            collect(child)
    if "if" in schema.single:
        with f.when(f.accepts(schema.single["if"], _V)):
            collect(schema.single["if"])
            if "then" in schema.single:
                collect(schema.single["then"])
        if "else" in schema.single:
            with f.writer.otherwise():
                collect(schema.single["else"])
