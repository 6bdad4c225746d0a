"""Modules that are in no file: compiled from a text, with the text at hand for whoever reads their code.

Tracebacks, `inspect` and debuggers ask `linecache` for the lines of a file, and that asks the module's loader
(PEP 302). What is noted of a module there goes with the last of its functions and classes.
"""

from __future__ import annotations

import linecache
import os
import sys
import weakref
from collections import deque
from collections.abc import Callable
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import CodeType, ModuleType
from typing import Final

_MOST_RELEASED: Final = 8
_released: deque[tuple[str, str]] = deque()
"""(name, file) of the last modules that were released with classes in their package."""


class _Loader(InspectLoader):
    """Loads one module from a text, which is written again when somebody asks for it, the same each time."""

    def __init__(self, file: str, text: Callable[[], str]) -> None:
        self._file = file
        self._text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self._text()

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return compile(self._text(), self._file, "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002
        return False


def load_module(name: str, text: Callable[[], str]) -> ModuleType:
    """Run the module that `text()` is, and leave it in `sys.modules` until it is released.

    Args:
        name: the module's full name, which no other module has had.
        text: gives the source, the same at each call.
    """
    # linecache asks no loader for a file in angle brackets alone; others pass over one that starts with them.
    file = f"<{name}>.py"
    loader = _Loader(file, text)
    spec = ModuleSpec(name, loader)
    module = module_from_spec(spec)
    module.__file__ = file
    sys.modules[name] = module  # before it runs: pydantic looks up annotations there
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    linecache.lazycache(file, vars(module))
    # What is left of a module when it is released has its globals, and they have the spec.
    weakref.finalize(spec, _forget, name, file).atexit = False
    return module


def release(modules: dict[str, ModuleType]) -> None:
    """Take the modules of a package out of `sys.modules`.

    While a function or a class of one is held, a module without content stands there, by which its source is found.
    Classes are held by the caches of `typing`, too, for no telling how long, so with them this ends sooner.
    """
    lasting = not any(map(_has_classes, modules.values()))
    for name, module in modules.items():
        spec = module.__spec__
        if spec is None:  # a package, which has no code
            sys.modules.pop(name, None)
            continue
        shell = ModuleType(name)
        shell.__file__ = module.__file__
        shell.__loader__ = spec.loader
        shell.__spec__ = ModuleSpec(name, spec.loader)  # its own: the other goes with the module's content
        sys.modules[name] = shell
        if not lasting:
            _released.append((name, str(module.__file__)))
    modules.clear()
    while len(_released) > _MOST_RELEASED:
        _forget(*_released.popleft())


def _has_classes(module: ModuleType) -> bool:
    return any(isinstance(v, type) and v.__module__ == module.__name__ for v in vars(module).values())


def _forget(name: str, file: str) -> None:
    sys.modules.pop(name, None)
    for path in (file, os.path.normcase(os.path.abspath(file))):  # debuggers use the latter
        linecache.cache.pop(path, None)
