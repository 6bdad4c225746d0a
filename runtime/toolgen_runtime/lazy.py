"""Functions of a string that are made at their first call, and from then on called directly.

Loaded with generated checks: making such a function may import `re` and compile, which start-up must not pay for.
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
    """A stand-in for the function that `make` returns, for a global of a module.

    Its first call makes the function and puts it into the caller's globals in the stand-in's place, so that later
    calls go through no second function. Held anywhere else the stand-in stays, and passes the calls on.
    """
    function: Callable[[str], T] | None = None

    def stand_in(text: str) -> T:
        nonlocal function
        if function is None:
            function = make()
            names = _getframe(1).f_globals
            for name, value in list(names.items()):
                if value is stand_in:
                    names[name] = function
        return function(text)

    return stand_in


def full_match(pattern: Callable[[], str]) -> Callable[[str], Match[str] | None]:
    """`fullmatch` of the pattern of `re` that is returned at the first call."""

    def make() -> Callable[[str], Match[str] | None]:
        import re

        return re.compile(pattern()).fullmatch

    return at_first_call(make)
