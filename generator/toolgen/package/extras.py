"""The extras that the generator needs: their packages, and the message if one is missing."""

from __future__ import annotations

from collections.abc import Set
from importlib.util import find_spec
from typing import Literal

from toolgen import _version
from toolgen_runtime import _version as runtime_version
from toolgen_runtime.install import install_advice

Extra = Literal["dynamic", "generator"]
DYNAMIC = frozenset(("jinja2", "jsonschema_specifications"))
"""Packages that `compile_tools` needs for checks, by import name: the extra `dynamic`, which `generator` includes."""
MODELS = frozenset(("datamodel_code_generator",))
"""The packages that payload classes need, by import name."""
EXTRA = DYNAMIC | MODELS | {"click", "filelock", "yaml"}
"""The packages of the extra `generator` that the generator imports, by import name."""
CLIENTS = frozenset(("anyio", "starlette", "httpx", "httpx2", "uvicorn", "pyarrow", "distributed"))
"""The packages of the extras `mcp`, `audit` and `dask`, each imported when a command needs it; `mcp` includes anyio,
starlette, uvicorn, and one of httpx and httpx2."""


def advice(name: str, extra: Extra = "generator") -> str:
    """Return the message that tells how to install a missing package."""
    return f"{name} is not installed; {install_advice(extra)}"


def version_problem() -> str | None:
    """Return the sentence about a runtime of another version; None if it is of this one."""
    own, other = _version.__version__, runtime_version.__version__
    if own == other:
        return None
    return (
        f"toolgen {own} needs toolgen-runtime {own}, but {other} is installed; "
        f"install both from one version; {install_advice('generator')}"
    )


def require(names: Set[str], extra: Extra = "generator") -> None:
    """Raise an error if packages of an extra are missing; import none of them.

    Raises:
        ImportError: one is missing, or the runtime is of another version; the message is one line that tells what to
            install.
    """
    problem = version_problem()
    if problem is not None:
        raise ImportError(problem, name="toolgen_runtime")
    for name in sorted(names):
        if find_spec(name) is None:
            raise ImportError(advice(name, extra), name=name)
