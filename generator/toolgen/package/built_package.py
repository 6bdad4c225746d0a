"""Load the tools of a package that `toolgen build` has written, for other commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset, Toolsets


def locate_package(package: str) -> tuple[str, str]:
    """Return the import name of a package, and the folder in which it is.

    The folder is empty if `package` is an import name.

    Raises:
        SpecError: `bad-package`: `package` is a file.
    """
    path = Path(package)
    if path.is_file():
        raise _bad(package, "is a file, not a package")
    if not path.is_dir():
        return package, ""
    return path.absolute().name, str(path.absolute().parent)


def toolsets_of_package(name: str, folder: str = "") -> Mapping[str, Toolset]:
    """Load the toolsets of a package, by the names of their spec files.

    Without `--namespace`, there is one toolset, under an empty name.

    Raises:
        SpecError: `bad-package`: the package cannot be imported, or was not built by toolgen.
    """
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = import_module(name)
    except Exception as error:  # the package's own code may raise any exception
        raise _bad(name, f"cannot be imported: {type(error).__name__}: {error}"[:200]) from None
    if module.__file__ is None:
        raise _bad(name, "is a folder without an __init__.py")
    if folder and Path(str(module.__file__)).parent.parent != Path(folder):
        raise _bad(name, f"another package with this name is already imported, from {module.__file__}")
    toolset, toolsets = getattr(module, "toolset", None), getattr(module, "toolsets", None)
    if isinstance(toolset, Toolset):
        found = {"": toolset}
    elif isinstance(toolsets, Toolsets):
        found = dict(toolsets)
    else:
        raise _bad(name, "has neither a toolset nor toolsets")
    for each in found.values():
        inside = Path(str(import_module(each.package).__file__)).parent
        for hidden in (module for module in each.modules.values() if (inside / module).is_dir()):
            raise _bad(name, f"the folder {hidden!r} hides the module {hidden}.py: move it elsewhere")
    return found


def tools_by_name(toolsets: Mapping[str, Toolset]) -> Mapping[str, Tool[Any]]:
    """Return the tools of toolsets, which are given by file name.

    Tools of a file with a name are also available as `file/name` and `file_name`. If several toolsets have a name, it
    is available only together with the file's name.
    """
    if "" in toolsets:
        return toolsets[""]
    tools = {
        f"{stem}{joint}{tool}": each[tool]
        for joint in "_/"
        for stem, each in toolsets.items()
        for tool in each
    }
    names = [tool for each in toolsets.values() for tool in each]
    once = {tool for tool in names if names.count(tool) == 1}
    return tools | {tool: each[tool] for each in toolsets.values() for tool in each if tool in once}


def _bad(package: str, reason: str) -> SpecError:
    hint = "pass the import name or the folder of a package that toolgen build wrote"
    return SpecError.of(Place(package), "bad-package", reason, hint)
