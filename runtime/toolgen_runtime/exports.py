"""Load a package's modules only when their names are used (PEP 562), and define objects that must not be
duplicated.

Every generated package loads this module, so it imports only `sys`. Importing a package loads none of its modules.
Several threads can therefore import the package and its modules at once without a deadlock: no thread holds the
import lock of the package while it waits for the lock of a module.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self


_OWN = {"TYPE_CHECKING", "annotations", "lazy_exports", "_load", "__getattr__", "__dir__"}
"""Names in a module's namespace that it does not export; `dir()` leaves them out."""


def imported(module: str, name: str) -> Any:
    """Do what `from module import name` does, without loading `importlib`, and return the object."""
    return getattr(__import__(module, fromlist=[name]), name)


class ModuleObject:
    """Base class of objects that exist only once, such as the tools of a generated module.

    A copy is the same object, and a pickle stores its name.
    """

    __slots__ = ()

    def _place(self) -> tuple[str, str]:
        """Return the module that contains this object, and the object's name in that module."""
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


def lazy_exports(module: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a module that loads its names when they are used.

    The names are those that the module's stub (`.pyi`) imports under their own names. They are thus written only once:
    type checkers, editors and this program all read the stub. A name that has been loaded stays in the module (PEP
    562). `dir()` lists all names and loads none.

    Args:
        module: the name of the module.
    """
    namespace = vars(sys.modules[module])
    module_of = _read_stub(namespace["__spec__"])

    def load(name: str) -> Any:
        source = module_of.get(name)
        if source is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return namespace.setdefault(name, imported(source, name))

    def list_names() -> list[str]:
        return sorted({*namespace, *module_of} - _OWN)

    return sorted(module_of), load, list_names


def _read_stub(spec: Any) -> dict[str, str]:
    """Return each name that a module's stub exports, and the module that defines it.

    A stub contains only lines of the form `from module import name as name`, so it is read word by word. Every program
    that uses a generated package pays for this, and `ast` would take a hundred times as long.
    """
    words = spec.loader.get_data(f"{spec.origin}i").decode().split()
    module_of = {}
    source = ""
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if before == "from":
            source = word
        elif word == "as":
            module_of[after.rstrip(",")] = source
    return module_of
