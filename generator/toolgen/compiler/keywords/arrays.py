"""Write the checks of array keywords (2020-12 core, sections 10.3.1 and 11.2; validation, section 6.4)."""

from __future__ import annotations

from functools import partial
from typing import Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import Code, code, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.meanings import Keyword
from toolgen.compiler.keywords import unevaluated
from toolgen.compiler.schema.facts import is_choice
from toolgen.compiler.schema.ir import Schema


def unique_items(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `uniqueItems` (validation, section 6.4.3). The `got` of its issue is the repeated
    item.
    """
    if not schema.assertions["uniqueItems"]:
        return
    twin = f.local("twin")
    f.line("{twin} = {find}({v})", twin=twin, find=f.module.runtime("duplicate_item"), v=value)
    with f.when(code("{twin} is not None", twin=twin)):
        f.issue(value, "uniqueItems", literal(True), code("{v}[{twin}]", v=value, twin=twin))


def prefix_items(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `prefixItems` (core, section 10.3.1.1)."""
    for index, item in enumerate(schema.prefix_items):
        if f.module.is_trivial(item):
            continue
        with f.when(code("len({v}) > {index}", v=value, index=index)):
            child = f.member(value, literal(index), hint=f"{value.hint} {index}")
            f.apply(item, child)


def items(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `items` (core, section 10.3.1.2), which applies to the items after the prefix."""
    item = schema.single["items"]
    prefix = len(schema.prefix_items)
    if item.verdict is False:
        with f.when(code("len({v}) > {prefix}", v=value, prefix=prefix)):
            f.issue(value, schema.spelling.get("items", "items"), literal(prefix))
    elif not f.module.is_trivial(item):
        _each_item(f, item, value, prefix)


def _each_item(f: Function, item: Schema, value: Value, prefix: int) -> None:
    if f.gives_issues or prefix:
        index = f.local("i")
    else:
        index = None
    child = f.value(f"{value.hint} item", () if index is None else (*value.path, index))
    if index is None:
        with f.block("for {item} in {v}:", item=child, v=value):
            f.apply(item, child)
        return
    if _is_scalar(item) and not prefix:
        holds = f.condition(item, child)
    else:
        holds = None
    if holds is None:
        _each_indexed(f, item, value, child, index, prefix)
        return
    # Items are not counted until one is wrong; then all are checked again, with their paths.
    with f.block("for {item} in {v}:", item=child, v=value), f.when(negated(holds)):
        _each_indexed(f, item, value, child, index, prefix)
        f.line("break")


def _each_indexed(f: Function, item: Schema, value: Value, child: Value, index: Code, prefix: int) -> None:
    if not prefix:  # a counter is faster than `enumerate`
        f.line("{i} = -1", i=index)
        with f.block("for {item} in {v}:", item=child, v=value):
            f.line("{i} += 1", i=index)
            f.apply(item, child)
        return
    with f.block("for {i} in range({start}, len({v})):", i=index, start=prefix, v=value):
        f.line("{item} = {v}[{i}]", item=child, v=value, i=index)
        f.apply(item, child)


def _is_scalar(schema: Schema) -> bool:
    """Return whether a schema only lists values or types other than object, so that its condition is short."""
    return is_choice(schema) and "object" not in (schema.types or ("object",))


def contains(f: Function, schema: Schema, value: Value) -> None:
    """Write the check of `contains` (core, section 10.3.1.3), `minContains` and `maxContains` (validation,
    6.4.4, 6.4.5).

    If no item matches, `contains` is broken. Too few matches break `minContains`, and too many break `maxContains`.
    """
    least = schema.assertions.get("minContains", 1)
    most = schema.assertions.get("maxContains")
    if least == 0 and most is None:
        return
    count, item = f.local("count"), f.value(f"{value.hint} item")
    f.line("{count} = 0", count=count)
    with (
        f.block("for {item} in {v}:", item=item, v=value),
        f.when(f.accepts(schema.single["contains"], item)),
    ):
        f.line("{count} += 1", count=count)
    _report_count(f, value, count, least, most)


def _report_count(f: Function, value: Value, count: Code, least: int, most: int | None) -> None:
    if least > 0:
        with f.when(code("{count} == 0", count=count)):
            f.issue(value, "contains", literal(least))
    if least > 1:
        with f.otherwise_when(code("{count} < {least}", count=count, least=literal(least))):
            f.issue(value, "minContains", literal(least))
    if most is not None:
        with f.when(code("{count} > {most}", count=count, most=literal(most))):
            f.issue(value, "maxContains", literal(most))


def collect_prefix(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the indexes of the items in the prefix."""
    f.line("seen.update(range(min(len({v}), {prefix})))", v=value, prefix=len(schema.prefix_items))


def collect_contained(f: Function, schema: Schema, value: Value) -> None:
    """Write code that collects the indexes of items that `contains` matches, if the dialect counts them as
    evaluated.
    """
    if schema.contains_evaluates:
        with (
            f.block("for i, item in enumerate({v}):", v=value),
            f.when(f.accepts(schema.single["contains"], Value(Code("item")))),
        ):
            f.line("seen.add(i)")


KEYWORDS: Final = (
    Keyword("uniqueItems", unique_items),
    Keyword("prefixItems", prefix_items, collect=collect_prefix),
    Keyword("items", items),
    Keyword("contains", contains, collect=collect_contained),
    Keyword("minContains"),
    Keyword("maxContains"),
    Keyword("unevaluatedItems", partial(unevaluated.write, keyword="unevaluatedItems")),
)
