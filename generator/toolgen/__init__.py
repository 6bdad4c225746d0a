"""Read tool specs and generate a typed Python package that checks calls."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen._version import __version__ as __version__
    from toolgen.compiler.diagnostics import SpecError as SpecError
    from toolgen.package.compile import compile_tools as compile_tools
else:
    # The command line imports this package first, and must not pay for the pipeline.
    from toolgen_runtime.exports import lazy_exports

    __all__, _load, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen.package.compile": "compile_tools",
            "toolgen.compiler.diagnostics": "SpecError",
            "toolgen._version": "__version__",
        },
    )

    def __getattr__(name):
        if name == "compile_tools":
            from toolgen.package.extras import DYNAMIC, require

            require(DYNAMIC, "dynamic")
        return _load(name)
