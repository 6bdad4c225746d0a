"""Write the checks of `pattern` and `format` (2020-12 validation, sections 6.3.3 and 7).

A pattern is checked by comparing strings if that is equivalent, otherwise by a regular expression.
"""

from __future__ import annotations

from typing import Final

from toolgen.compiler.codegen.body import Body, Value
from toolgen.compiler.codegen.code import Code, both, called, code, either, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.meanings import Keyword
from toolgen.compiler.patterns.without_regex import MOST_WORDS, OnlyOf, Words, plain
from toolgen.compiler.schema.ir import Schema


def mismatches(f: Body, pattern: str, v: Code, hint: str) -> Code:
    """Return code that tests whether an ECMA-262 pattern matches nowhere in the string `v`."""
    form = plain(pattern)
    if isinstance(form, OnlyOf):
        others = code('{v}.strip({known}) != ""', known=literal(form.characters), v=v)
        if form.may_be_empty:
            return others
        return either([code('{v} == ""', v=v), others])
    if form is not None:
        return _is_without(f, form, v, hint)
    failures: list[Code] = []
    for search, wanted in f.module.searches(pattern, hint):
        found = called(search, v)
        failures.append(negated(found) if wanted else found)
    return either(failures)


def _is_without(f: Body, form: Words, v: Code, hint: str) -> Code:
    """Return a condition that is true if a string is none of the words, or does not contain one where it must."""
    only, word = len(form.words) == 1, literal(form.words[0])
    words = literal(frozenset(form.words) if form.place == "whole" else form.words)
    if len(form.words) > MOST_WORDS:
        words = f.module.constant("words", hint, words)
    match form.place:
        case "whole" if only:
            return code("{v} != {word}", v=v, word=word)
        case "whole":
            return code("{v} not in {words}", v=v, words=words)
        case _ if "" in form.words:
            return literal(False)
        case "start":
            return code("not {v}.startswith({words})", v=v, words=word if only else words)
        case "end":
            return code("not {v}.endswith({words})", v=v, words=word if only else words)
        case "anywhere":
            missing = [code("{word} not in {v}", word=literal(w), v=v) for w in form.words]
            return both(missing)


def pattern_holds(f: Function, schema: Schema, value: Value) -> Code:
    """Return code that tests whether the pattern matches anywhere in the string (section 6.3.3)."""
    return negated(mismatches(f, schema.assertions["pattern"], value.var, value.hint))


def format_holds(f: Function, schema: Schema, value: Value) -> Code:
    """Return code that tests whether the string has the format (section 7). It is only called for formats
    that are enforced.
    """
    return called(f.module.format_check(schema.assertions["format"]), value.var)


KEYWORDS: Final = (Keyword.asserting("pattern", pattern_holds), Keyword.asserting("format", format_holds))
