"""`pattern` and `format` (2020-12 validation, sections 6.3.3 and 7).

A pattern is a comparison where that says the same, otherwise a regular expression.
"""

from __future__ import annotations

from typing import Final

from toolgen.codegen.body import Body, Value
from toolgen.codegen.code import Code, both, code, either, negated
from toolgen.codegen.function import Function, Keyword
from toolgen.codegen.literals import literal
from toolgen.patterns.charsets import DIGIT, EVERYTHING, Ranges, complement
from toolgen.patterns.without_regex import MOST_WORDS, Run, Words, plain
from toolgen.schema.ir import Schema

_CAPITALS: Final = ((0x41, 0x5A),)
_SMALL_LETTERS: Final = ((0x61, 0x7A),)
_METHODS: Final[dict[Ranges, tuple[Code, ...]]] = {
    DIGIT: (Code("isdigit"),),
    _CAPITALS: (Code("isalpha"), Code("isupper")),
    _SMALL_LETTERS: (Code("isalpha"), Code("islower")),
    _CAPITALS + _SMALL_LETTERS: (Code("isalpha"),),
    DIGIT + _CAPITALS + _SMALL_LETTERS: (Code("isalnum"),),
}
"""Methods that say together whether an ASCII text, if it is not empty, has only characters of a set."""
_MOST_SEARCHED: Final = 32
"""Characters up to which a search for others is no slower than a match of the run."""


def mismatches(f: Body, pattern: str, v: Code, hint: str, *, is_short: bool = False) -> Code:
    """Return the condition that a pattern of ECMA-262 matches nowhere in the string in a variable.

    `is_short`: as a rule the string has no more than some dozens of characters, as names of properties have.
    """
    form = plain(pattern)
    if isinstance(form, Words):
        return _is_without(f, form, v, hint)
    if isinstance(form, Run) and (is_short or _is_quick(form)):
        return _leaves_run(f, form, v, hint)
    return code("not {search}({v})", search=f.module.pattern(pattern, hint), v=v)


def _is_without(f: Body, form: Words, v: Code, hint: str) -> Code:
    """Not one of the words, or none of them in its place."""
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


def _is_quick(run: Run) -> bool:
    is_short = run.high is not None and run.high <= _MOST_SEARCHED
    return is_short or run.chars == EVERYTHING or run.chars in _METHODS


def _leaves_run(f: Body, run: Run, v: Code, hint: str) -> Code:
    """Too short, too long, or with another character in it."""
    low, high = literal(run.low), literal(run.high)
    found: list[Code] = []
    if run.low == run.high:
        found.append(code("len({v}) != {low}", v=v, low=low))
    elif run.low == 0 and run.high is not None:
        found.append(code("len({v}) > {high}", v=v, high=high))
    elif run.high is not None:
        found.append(code("not {low} <= len({v}) <= {high}", low=low, v=v, high=high))
    elif run.low > 1:
        found.append(code("len({v}) < {low}", v=v, low=low))
    elif run.low == 1 and run.chars not in _METHODS:  # they are false for the empty text
        found.append(code("not {v}", v=v))
    return either([*found, _has_others(f, run, v, hint)])


def _has_others(f: Body, run: Run, v: Code, hint: str) -> Code:
    """With a character that is not in the set; the text is known to be as long as the run."""
    if run.chars == EVERYTHING:
        return literal(False)
    methods = _METHODS.get(run.chars)
    if methods is None:
        others = "".join(f"\\u{{{low:x}}}-\\u{{{high:x}}}" for low, high in complement(run.chars))
        return code("{search}({v})", search=f.module.pattern(f"[{others}]", f"not {hint}"), v=v)
    asked = [code("{v}.{method}()", v=v, method=method) for method in (Code("isascii"), *methods)]
    other = negated(both(asked))
    return other if run.low else both([v, other])


def pattern_holds(f: Function, schema: Schema, value: Value) -> Code:
    """Give the condition that the pattern matches somewhere (section 6.3.3)."""
    return negated(mismatches(f, schema.assertions["pattern"], value.var, value.hint))


def format_holds(f: Function, schema: Schema, value: Value) -> Code:
    """Give the condition that the string has the format (section 7), if lowering has kept it as an assertion."""
    return code("{check}({v})", check=f.module.format_check(schema.assertions["format"]), v=value.var)


KEYWORDS: Final = (Keyword.asserting("pattern", pattern_holds), Keyword.asserting("format", format_holds))
