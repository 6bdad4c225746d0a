"""The paths of all files in a generated package, as relative POSIX paths."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolgen.compiler.python.identifiers import Identifier

MODELS: Final = Identifier("_models")
"""The private subpackage for the payload classes. It is separate from the checks, so that these do not load pydantic.
"""

MARKER: Final = "py.typed"

MANIFEST: Final = "toolgen-manifest.json"
"""The list of the files that toolgen wrote."""

BYTECODE: Final = "__pycache__"
"""The folders in which Python stores compiled code."""

STAGE: Final = ".toolgen-new"
"""The folder for new files before they are moved. It is in a package, or next to it with a name that ends like this."""


def stage_for(out: Path) -> Path:
    """Return the folder in which the new files are prepared before they replace those in `out`."""
    return out.with_name(f".{out.name}{STAGE}")


def folder_of(package: str) -> str:
    """Return the prefix of all paths in a subpackage; an empty string for the package itself."""
    if package:
        return f"{package}/"
    return ""


def index_path(folder: str) -> str:
    """Return the path of the `__init__.py` of a toolset."""
    return f"{folder}__init__.py"


def index_stub_path(folder: str) -> str:
    """Return the path of the stub for a toolset's `__init__.py`, which only type checkers and editors read."""
    return f"{folder}__init__.pyi"


def client_paths(folder: str) -> tuple[str, str]:
    """Return the paths of the client of a toolset and of its stub."""
    return f"{folder}client.py", f"{folder}client.pyi"


def tool_paths(folder: str, module: str) -> tuple[str, str]:
    """Return the paths of the module for a tool and of the module for its payload classes."""
    return f"{folder}{module}.py", f"{folder}{MODELS}/{module}.py"


def is_tool(path: str) -> bool:
    """Return whether a path is that of a tool's payload classes. Each tool has one such file."""
    *_, folder, name = ("", *path.split("/"))
    return folder == MODELS and name != "__init__.py"
