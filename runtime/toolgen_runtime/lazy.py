"""What is made or loaded when it is first asked for: the names of a module, functions of a string.

Loaded with every generated package, so it imports nothing. Threads may ask for the same thing at once: each
makes it aside, all of them get what is published first, and nobody sees it half made. No lock is held
meanwhile, since making may import modules, which takes locks of its own.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from re import Match
    from typing import Any, TypeVar

    T = TypeVar("T")


def imported(module: str, name: str) -> Any:
    """Return `name` as `from module import name` does, without loading `importlib`."""
    return getattr(__import__(module, fromlist=[name]), name)


def exports(
    module: str, names_by_module: Mapping[str, Iterable[str]]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__all__`, `__getattr__` and `__dir__` of a module that loads its names when they are asked for.

    A name is kept once it is loaded (PEP 562). `dir()` lists all names and loads none.

    Args:
        module: the name of the module.
        names_by_module: the names, by the module that defines them.
    """
    namespace = vars(sys.modules[module])
    modules = {name: source for source, names in names_by_module.items() for name in names}

    def load(name: str) -> Any:
        source = modules.get(name)
        if source is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return namespace.setdefault(name, imported(source, name))

    def listed() -> list[str]:
        return sorted({*namespace, *modules})

    return sorted(modules), load, listed


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
            names = sys._getframe(1).f_globals
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
