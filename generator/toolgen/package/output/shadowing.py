"""Find foreign files that Python or a type checker would use instead of a package's own files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from pathlib import Path

from toolgen.compiler.python.layout import BYTECODE, STAGE

_IMPORTED = (".py", ".pyi", ".pyc", ".so", ".pyd")
"""The ends of names of files that can be a module, or its types. Python tries a folder first, then compiled extensions,
then sources (`importlib.machinery.FileFinder`); a type checker reads `.pyi` before `.py`."""


def shadowing_files(out: Path, own: Set[str]) -> tuple[str, ...]:
    """Return the foreign files that Python would import instead of the package's own, as sorted relative
    paths.

    Args:
        out: the package's folder.
        own: the relative POSIX paths of the files that toolgen writes there.
    """
    # Strings, not paths: a package may have thousands of files, and all of them are looked at in every build.
    modules = {path.rpartition(".")[0] for path in own if path.endswith(_IMPORTED)}
    folders = {path.rpartition("/")[0] for path in own}
    return tuple(sorted(path for path in _foreign_modules(out, own) if _is_taken(path, modules, folders)))


def _is_taken(path: str, modules: Set[str], folders: Set[str]) -> bool:
    """Return whether a file is imported instead of one of the package's modules, or together with one."""
    folder, _, file = path.rpartition("/")
    name = file.partition(".")[0]  # `pay` of `pay.cpython-311-x86_64-linux-gnu.so`
    if folder:
        module = f"{folder}/{name}"
    else:
        module = name
    if module in modules:
        return True
    if name == "__init__" and folder in folders:
        return True
    steps = path.split("/")
    return any("/".join(steps[:end]) in modules for end in range(1, len(steps)))


def _foreign_modules(out: Path, own: Set[str]) -> Iterator[str]:
    """Yield the files and links that can be modules and are not the package's own, except bytecode caches."""
    for folder, folders, files in os.walk(out):
        folders[:] = [name for name in folders if name not in (BYTECODE, STAGE)]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # not walked into
        below = os.path.relpath(folder, out).replace(os.sep, "/")
        if below == ".":
            prefix = ""
        else:
            prefix = f"{below}/"
        for name in (*files, *links):
            if (name.endswith(_IMPORTED) or name in links) and prefix + name not in own:
                yield prefix + name
