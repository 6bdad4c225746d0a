"""Patterns at run time: text that `toolgen.patterns` has translated becomes a function of a string.

Loaded with generated checks, so neither `re` (7 ms) nor pydantic_core (35 ms) is imported before a pattern
that needs it is run.
"""

from __future__ import annotations

from toolgen_runtime.validation.lazy import at_first_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from re import Match
    from typing import Literal
    from weakref import WeakValueDictionary

    Engine = Literal["python", "rust"]
    Matches = Callable[[str], object]

_matchers: WeakValueDictionary[tuple[str, Engine], Matches] | None = None
"""The functions that somebody holds: a pattern is compiled once, and goes with the last check that has it."""
_ranges_by_category: Mapping[str, str] | None = None


def compile_pattern(text: str, engine: Engine) -> Matches:
    """Return a function that says, by a true or a false value, whether the pattern matches anywhere in a string.

    `text` is in the syntax of `engine`. It is compiled at the first call, once for all who ask for it.
    """
    return at_first_call(lambda: _compiled(text, engine))


def _compiled(text: str, engine: Engine) -> Matches:
    global _matchers
    if _matchers is None:
        from weakref import WeakValueDictionary

        _matchers = WeakValueDictionary()
    matches = _matchers.get((text, engine))
    if matches is None:
        matches = _matchers[text, engine] = _python(text) if engine == "python" else _rust(text)
    return matches


def _python(text: str) -> Matches:
    import re

    if "\\p" in text or "\\P" in text:
        text = re.sub(r"\\([pP])\{(\w+)\}", _category_ranges, text)
    return re.compile(text).search


def _category_ranges(escape: Match[str]) -> str:
    """Return a general category (`\\p{Lu}`; `\\P{L}`: all but the letters) as ranges of a class of `re`."""
    global _ranges_by_category
    if _ranges_by_category is None:
        _ranges_by_category = _read_categories()
    sign, name = escape.groups()
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    return "".join(
        ranges
        for category, ranges in _ranges_by_category.items()
        if category.startswith(wanted) is (sign == "p")
    )


def _read_categories() -> Mapping[str, str]:
    """Return the ranges of each general category, from all code points; about 0.1 s."""
    from unicodedata import category

    ranges: dict[str, list[str]] = {}
    start, current = 0, category("\0")
    for code in range(1, 0x110001):
        name = category(chr(code)) if code < 0x110000 else ""
        if name != current:
            ranges.setdefault(current, []).append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start, current = code, name
    return {name: "".join(parts) for name, parts in ranges.items()}


def _rust(text: str) -> Matches:
    from pydantic_core import SchemaValidator, core_schema

    schema = core_schema.str_schema(pattern=text, regex_engine="rust-regex", strict=True)
    accepts = SchemaValidator(schema).isinstance_python

    def matches(value: str) -> bool:
        return accepts(value) or (not value.isascii() and accepts(_without_surrogates(value)))

    return matches


def _without_surrogates(value: str) -> str:
    """The text as Rust can hold it: each lone surrogate becomes U+E000.

    That private-use character is in the same classes as a surrogate, but for those that single out either.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return "".join("\ue000" if "\ud800" <= char <= "\udfff" else char for char in value)
    return value
