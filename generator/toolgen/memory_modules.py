"""Modules that are compiled from a text in memory, with their source available to tracebacks and debuggers.

Tracebacks, `inspect` and debuggers get source lines from `linecache`, which asks the module's loader (PEP 302).
The entry of a module in `linecache` is deleted after the last of its functions and classes, but never while a thread
walks over the entries: `linecache.checkcache`, with which debuggers begin, fails there, and Python may end a module at
any moment at which it collects garbage.
"""

from __future__ import annotations
import __future__

import linecache
import os
import re
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import Final

_MOST_RELEASED: Final = 8
_released: deque[tuple[str, str]] = deque()
"""(name, file) of the modules released last whose package had classes."""
_ended: deque[tuple[str, str]] = deque()
"""(name, file) of the modules whose entries are to be deleted."""
_PIECE: Final = 100_000
"""Characters that are compiled at one go, at least: a syntax tree takes eighty times the memory of its text."""
_FUNCTION: Final = re.compile(r"\n\n\n(?=def )")
"""Where a function of a generated module begins; no text of a spec stands at the beginning of a line."""
_NEAR: Final = 16
"""How many callers of a finalizer are looked at: it is called from `checkcache` itself, or from what that calls."""


class _Loader(InspectLoader):
    """Loads one module from a text, which is generated again, identically, at each request."""

    def __init__(self, file: str, text: Callable[[], str]) -> None:
        self._file = file
        self._text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self._text()

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return compile(self._text(), self._file, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        flags = 0
        for piece in _pieces(self._text()):
            exec(compile(piece, self._file, "exec", flags, dont_inherit=True), vars(module))
            flags = __future__.annotations.compiler_flag  # as the first piece says of the whole module

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002
        return False


def _pieces(text: str) -> Iterator[str]:
    """Yield a generated module's source in pieces, each with its lines where they stand in the whole."""
    start = line = 0
    while (found := _FUNCTION.search(text, start + _PIECE)) is not None:
        yield "\n" * line + text[start : found.end()]
        line += text.count("\n", start, found.end())
        start = found.end()
    yield "\n" * line + text[start:]


def load_module(name: str, text: Callable[[], str]) -> ModuleType:
    """Run the module with the source `text()`, and keep it in `sys.modules` until it is released.

    Args:
        name: the module's full name, never used before.
        text: returns the source, the same at each call.
    """
    # linecache does not ask the loader of a file named `<...>`; other tools skip names that begin with `<`.
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
    # The functions that outlive a released module have its globals, and those have the spec.
    weakref.finalize(spec, _delete_entry, name, file).atexit = False
    return module


def release(modules: dict[str, ModuleType]) -> None:
    """Remove the modules of a package from `sys.modules`.

    An empty module takes the place of each, so that its source is found while a function or class of it is in
    use. The caches of `typing` keep classes alive indefinitely, so for packages with classes only the last
    `_MOST_RELEASED` empty modules stay.
    """
    keep_all = not any(map(_has_classes, modules.values()))
    for name, module in modules.items():
        spec = module.__spec__
        if spec is None:  # a package, which has no code
            sys.modules.pop(name, None)
            continue
        shell = ModuleType(name)
        shell.__file__ = module.__file__
        shell.__loader__ = spec.loader
        shell.__spec__ = ModuleSpec(name, spec.loader)  # not `spec`, whose end deletes the entry
        sys.modules[name] = shell
        if not keep_all:
            _released.append((name, str(module.__file__)))
    modules.clear()
    while len(_released) > _MOST_RELEASED:
        _delete_entry(*_released.popleft())


def _has_classes(module: ModuleType) -> bool:
    return any(isinstance(v, type) and v.__module__ == module.__name__ for v in vars(module).values())


def _delete_entry(name: str, file: str) -> None:
    _ended.append((name, file))
    if _are_entries_walked():
        return  # the next module that ends takes this one with it
    while _ended:
        try:
            name, file = _ended.popleft()
        except IndexError:  # another thread took it
            return
        sys.modules.pop(name, None)
        for path in (file, os.path.normcase(os.path.abspath(file))):  # debuggers use the latter
            linecache.cache.pop(path, None)


def _are_entries_walked() -> bool:
    """Return whether a thread is in `linecache.checkcache`, which takes no lock."""
    walk = linecache.checkcache.__code__
    return any(
        frame.f_code is walk
        for top in sys._current_frames().values()
        for frame in islice(_callers(top), _NEAR)
    )


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
