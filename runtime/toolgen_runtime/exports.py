"""The names of a package whose modules are loaded when the names are asked for (PEP 562); what a module holds once.

Loaded with every generated package, so it imports nothing. A package that loads none of its modules by itself can
be loaded by several threads at once, whichever of its modules they ask for: none holds the lock of the package
while it waits for that of a module.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self


_OWN = {"TYPE_CHECKING", "annotations", "lazy_exports", "__getattr__", "__dir__"}
"""What only the exporting itself needs."""


def imported(module: str, name: str) -> Any:
    """Return `name` as `from module import name` does, without loading `importlib`."""
    return getattr(__import__(module, fromlist=[name]), name)


class ModuleObject:
    """What a generated module holds once: copies are the object itself, and a pickle is the module's name."""

    __slots__ = ()

    def _place(self) -> tuple[str, str]:
        """Return the module that holds this object, and the name that it has there."""
        raise NotImplementedError

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        module, name = self._place()
        if getattr(sys.modules.get(module), name, None) is self:
            return imported, (module, name)
        raise TypeError(
            f"{self!r} is not in a generated package, so it cannot be pickled: "
            "compile its specs again where it is needed, or build a package of them"
        )


def loaded_late(module: str) -> Callable[[], Any]:
    """Return a function that returns a module, which it loads when it is first called.

    For what runs with every call: there an `import` statement costs as much as twenty calls of a function.
    """
    from functools import cache  # which enters no function of Python again

    return cache(lambda: __import__(module, fromlist=["__name__"]))


def lazy_exports(
    module: str, names_by_module: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__all__`, `__getattr__` and `__dir__` of a module that loads its names when they are asked for.

    A name is kept once it is loaded (PEP 562). `dir()` lists all names and loads none.

    Args:
        module: the name of the module.
        names_by_module: the names, separated by blanks, by the module that defines them.
    """
    namespace = vars(sys.modules[module])
    modules = {name: source for source, names in names_by_module.items() for name in names.split()}

    def load(name: str) -> Any:
        source = modules.get(name)
        if source is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return namespace.setdefault(name, imported(source, name))

    def listed() -> list[str]:
        return sorted({*namespace, *modules} - _OWN)

    return sorted(modules), load, listed
