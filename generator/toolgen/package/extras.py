"""The extras that the generator needs, the packages in each, and the message for a missing one."""

from __future__ import annotations

from collections.abc import Set
from importlib.util import find_spec
from typing import Literal

from toolgen import _version
from toolgen_runtime import _version as runtime_version
from toolgen_runtime.install import install_advice

Extra = Literal["dynamic", "generator"]
DYNAMIC = frozenset(("jinja2", "jsonschema_specifications"))
"""The packages, by import name, that `compile_tools` needs for checks: the extra `dynamic`, included in `generator`."""
MODELS = frozenset(("datamodel_code_generator",))
"""The packages that payload classes need, by import name."""
EXTRA = DYNAMIC | MODELS | {"click", "filelock", "yaml"}
"""The packages of the extra `generator` that the generator itself imports, by import name."""
EXTRAS_OF = {
    **dict.fromkeys(("anyio", "starlette", "httpx", "httpx2", "uvicorn"), ("generator", "mcp")),
    "opentelemetry": ("generator", "otel"),
    "pyarrow": ("audit",),
    "distributed": ("dask",),
}
"""The other packages, by import name, each with the extras to install. A package is imported when a command needs it.
`mcp` includes one of httpx and httpx2.
"""


def advice(name: str, extra: Extra = "generator") -> str:
    """Return the message that says how to install a missing package."""
    return f"{name} is not installed; {install_advice(extra)}"


def version_problem() -> str | None:
    """Return a sentence about a runtime whose version differs from the generator's; None if it is the same."""
    own, other = _version.__version__, runtime_version.__version__
    if own == other:
        return None
    return (
        f"toolgen {own} needs toolgen-runtime {own}, but {other} is installed; "
        f"install both from one version; {install_advice('generator')}"
    )


def require(names: Set[str], extra: Extra = "generator") -> None:
    """Raise an error if packages of an extra are missing, without importing them.

    Raises:
        ImportError: a package is missing, or the runtime has a different version. The message is one line that says
            what to install.
    """
    problem = version_problem()
    if problem is not None:
        raise ImportError(problem, name="toolgen_runtime")
    for name in sorted(names):
        if find_spec(name) is None:
            raise ImportError(advice(name, extra), name=name)
