"""The extras that the generator needs: which packages they are, and what to say where one is missing."""

from __future__ import annotations

from collections.abc import Set
from importlib.util import find_spec
from typing import Literal

Extra = Literal["dynamic", "generator"]
DYNAMIC = frozenset(("jinja2", "jsonschema_specifications"))
"""What `compile_tools` needs to check payloads, by import name: the extra `dynamic`, which `generator` includes."""
MODELS = frozenset(("datamodel_code_generator",))
"""What payload classes need."""
EXTRA = DYNAMIC | MODELS | {"click", "filelock", "yaml"}
"""The packages of the extra `generator` that the generator imports, by import name."""
CLIENTS = frozenset(("anyio", "starlette", "httpx", "httpx2", "uvicorn", "pyarrow", "distributed"))
"""The packages of the extras `mcp`, `audit` and `dask`, each imported when a command needs it; mcp brings anyio,
starlette, uvicorn, and one of httpx and httpx2."""


def advice(name: str, extra: Extra = "generator") -> str:
    """Return the line that says what to install where the package `name` is missing."""
    return f"{name} is not installed; run: pip install 'toolgen[{extra}]'"


def require(names: Set[str], extra: Extra = "generator") -> None:
    """Refuse to go on without some packages of an extra; imports none of them.

    Raises:
        ImportError: one is missing; the message is one line that says what to install.
    """
    for name in sorted(names):
        if find_spec(name) is None:
            raise ImportError(advice(name, extra), name=name)
