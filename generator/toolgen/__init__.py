"""Build time: tool specs in, a checked Python package out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen._version import __version__

if TYPE_CHECKING:
    from toolgen.compile import compile_tools
    from toolgen.diagnostics import SpecError

__all__ = ["SpecError", "__version__", "compile_tools"]


def __getattr__(name: str) -> Any:
    # The command line imports this package first, and must not pay for the pipeline.
    if name == "compile_tools":
        from toolgen.compile import compile_tools

        return compile_tools
    if name == "SpecError":
        from toolgen.diagnostics import SpecError

        return SpecError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
