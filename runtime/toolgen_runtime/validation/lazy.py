"""Functions of a string that are made at their first call, and from then on called directly.

Loaded with generated checks: making such a function may import `re` and compile, which start-up must not pay for.
Threads may call one first at the same time: each makes the function aside, and all use the one that is published
first. No lock is held meanwhile, since making may import modules, which takes locks of its own.
"""

from __future__ import annotations

from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match
    from typing import TypeVar

    T = TypeVar("T")


def at_first_call(make: Callable[[], Callable[[str], T]]) -> Callable[[str], T]:
    """Return a stand-in for the function that `make` returns, for a global of a module.

    Its first call makes the function and puts it into the caller's globals in the stand-in's place, so that later
    calls go through no second function. Held anywhere else the stand-in stays, and passes the calls on.
    """
    made: dict[str, Callable[[str], T]] = {}

    def stand_in(text: str) -> T:
        function = made.get("function")
        if function is None:
            function = made.setdefault("function", make())
            names = _getframe(1).f_globals
            for name, value in names.copy().items():  # a copy: other threads may add names
                if value is stand_in:
                    names[name] = function
        return function(text)

    return stand_in


def full_match(pattern: Callable[[], str]) -> Callable[[str], Match[str] | None]:
    """Return the `fullmatch` of a pattern of `re`; `pattern` gives the text of it at the first call."""

    def make() -> Callable[[str], Match[str] | None]:
        import re

        return re.compile(pattern()).fullmatch

    return at_first_call(make)
