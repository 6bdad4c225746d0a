"""Functions of a string that are created at their first call and from then on called directly.

Generated checks load this module. Creating such a function may import `re` and compile a pattern, which would slow
down start-up. If threads make the first call at the same time, each creates the function, and all use the one that
is published first. There is no lock, because creating it may import modules, which takes locks of its own.
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
    """Return a proxy for the function that `make` returns; assign it to a global of the calling module.

    The first call creates the function and replaces the proxy with it in the caller's globals, so that later calls
    are direct. A proxy that is referenced elsewhere stays and passes calls on.
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
    """Return the `fullmatch` of a regular expression; `pattern` returns its text, at the first call."""

    def make() -> Callable[[str], Match[str] | None]:
        import re

        return re.compile(pattern()).fullmatch

    return at_first_call(make)
