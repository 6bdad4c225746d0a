"""The runtime of generated packages: validation, issues and hints. Its only dependency is pydantic.

Import every public name from here. Each module is loaded when one of its names is first used, so that generated
packages start quickly.
"""

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
