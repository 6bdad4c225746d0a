"""All names that generated code imports. Its stub lists them.

A name's module is loaded when the name is first used: checks do not load pydantic, and an index does not load checks.
"""

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
