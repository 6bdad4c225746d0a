"""Read tool specs, and generate a typed Python package that checks tool calls."""

from toolgen_runtime.exports import lazy_exports

# The command line imports this package first, and must not pay for the pipeline.
__all__, _load, __dir__ = lazy_exports(__name__)


def __getattr__(name: str) -> object:
    if name == "compile_tools":
        from toolgen.package.extras import DYNAMIC, require

        require(DYNAMIC, "dynamic")
    return _load(name)
