"""Load modules from text in memory, and show their source in tracebacks and debuggers.

Tracebacks, `inspect` and debuggers get source lines from `linecache`, which asks the module's loader (PEP 302). The
entry of a module in `linecache` is deleted when none of its functions exists any more.
"""

from __future__ import annotations

import linecache
import os
import sys
import weakref
from collections.abc import Callable
from functools import partial
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

from toolgen.compiler.python.layout import MODELS

compile_text: Callable[[str, str], CodeType] = partial(compile, mode="exec", dont_inherit=True)
"""Compiles the text of a module; `toolgen proxy` replaces this function."""


class _Loader(Loader):
    """The loader of one module. It generates the module's source again, with the same result, whenever it is needed."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self._text()


def load_module(name: str, text: Callable[[], str]) -> ModuleType:
    """Run a module whose source is `text()`, and keep it in `sys.modules` until its package is released.

    Args:
        name: the module's full name, which must not have been used before.
        text: a function that returns the source, which must be the same at each call.
    """
    file = _file_of(name)
    module = ModuleType(name)
    module.__file__ = file
    module.__spec__ = spec = ModuleSpec(name, _Loader(text))
    sys.modules[name] = module  # before it runs: pydantic looks up annotations there
    try:
        exec(compile_text(text(), file), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    linecache.lazycache(file, vars(module))
    # The functions that outlive a released module have its globals, and those have the spec.
    weakref.finalize(spec, _delete_entry, file).atexit = False
    return module


def release(modules: dict[str, ModuleType]) -> None:
    """Remove all modules of a package from `sys.modules`.

    The source lines of a check stay until its functions are deleted. Those of a package with payload classes are
    removed at once, because the caches of `typing` keep classes alive indefinitely.
    """
    has_classes = any(f".{MODELS}." in name for name in modules)
    for name in modules:
        sys.modules.pop(name, None)
        if has_classes:
            _delete_entry(_file_of(name))
    modules.clear()


def _file_of(name: str) -> str:
    """Return a file name for which linecache asks the loader. A name such as `<...>` would count as no file.

    Other tools skip names that begin with `<`.
    """
    return f"<{name}>.py"


def _delete_entry(file: str) -> None:
    for path in (file, os.path.normcase(os.path.abspath(file))):  # debuggers use the latter
        linecache.cache.pop(path, None)
