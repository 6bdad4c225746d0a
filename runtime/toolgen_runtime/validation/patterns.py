"""Compile patterns at run time. `toolgen.compiler.patterns` has translated them.

Generated checks load this module, so `re` (7 ms) and pydantic_core (35 ms) are imported only when a pattern that needs
them is first run. The function that tests a string is created at its first call and is called directly after that. If
several threads make the first call at the same time, each creates the function, and all of them use the one that is
published first. There is no lock, because creating the function may import modules, which takes other locks.
"""

from __future__ import annotations

from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from re import Match
    from typing import Literal, TypeVar
    from weakref import WeakValueDictionary

    Engine = Literal["python", "rust", "automata"]
    Matches = Callable[[str], object]
    T = TypeVar("T")

_matchers: WeakValueDictionary[tuple[str, Engine], Matches] | None = None
"""The compiled patterns that are in use. Each is deleted together with the last check that uses it."""
_ranges_by_category: Mapping[str, str] | None = None


def at_first_call(make: Callable[[], Callable[[str], T]]) -> Callable[[str], T]:
    """Return a function that calls `make` when it is first used, and then passes all calls to the result.

    The first call creates the function and puts it in place of the stand-in in the caller's globals, so that later
    calls are direct. If the stand-in is also referenced elsewhere, it stays there and passes calls on.
    """
    made: dict[str, Callable[[str], T]] = {}

    def proxy(text: str) -> T:
        function = made.get("function")
        if function is None:
            function = made.setdefault("function", make())
            names = _getframe(1).f_globals
            for name, value in names.copy().items():  # a copy: other threads may add names
                if value is proxy:
                    names[name] = function
        return function(text)

    return proxy


def full_match(pattern: Callable[[], str]) -> Callable[[str], Match[str] | None]:
    """Return the `fullmatch` method of a regular expression.

    `pattern` returns its text and is called at the first use.
    """

    def make() -> Callable[[str], Match[str] | None]:
        import re

        return re.compile(pattern()).fullmatch

    return at_first_call(make)


def compile_pattern(text: str, engine: Engine) -> Matches:
    """Return a function that tells whether the pattern matches anywhere in a string.

    `text` has the syntax of `engine`. It is compiled at the first call, and all callers share the result.
    """
    return at_first_call(lambda: _compiled(text, engine))


def _compiled(text: str, engine: Engine) -> Matches:
    global _matchers
    if _matchers is None:
        from weakref import WeakValueDictionary

        _matchers = WeakValueDictionary()
    matches = _matchers.get((text, engine))
    if matches is None:
        compile_text = {"python": _python, "rust": _rust, "automata": _automata}[engine]
        matches = _matchers[text, engine] = compile_text(text)
    return matches


def _python(text: str) -> Matches:
    import re

    if "\\p" in text or "\\P" in text:
        text = re.sub(r"\\([pP])\{(\w+)\}", _category_ranges, text)
    return re.compile(text).search


def _automata(text: str) -> Matches:
    from toolgen_runtime.validation.lookarounds import compile_automata

    return compile_automata(text, _python)


def _category_ranges(escape: Match[str]) -> str:
    r"""Return the ranges of a general category (`\p{Lu}`) or of its complement (`\P{Lu}`), for a class in `re`."""
    global _ranges_by_category
    if _ranges_by_category is None:
        _ranges_by_category = _read_categories()
    sign, name = escape.groups()
    wanted: tuple[str, ...] = (name,)
    if name == "LC":
        wanted = ("Lu", "Ll", "Lt")
    return "".join(
        ranges
        for category, ranges in _ranges_by_category.items()
        if category.startswith(wanted) is (sign == "p")
    )


def _read_categories() -> Mapping[str, str]:
    """Return the ranges of each general category, read from all code points. This takes about 0.1 s."""
    from unicodedata import category

    ranges: dict[str, list[str]] = {}
    start, current = 0, category("\0")
    for code in range(1, 0x110001):
        if code < 0x110000:
            name = category(chr(code))
        else:
            name = ""
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
    """Return a string in which U+E000 replaces each lone surrogate, which Rust's strings cannot contain.

    That private-use character is in the same classes as a surrogate, except for classes that name one of the two.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return "".join("\ue000" if "\ud800" <= char <= "\udfff" else char for char in value)
    return value
