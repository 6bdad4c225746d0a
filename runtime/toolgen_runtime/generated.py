"""All names that generated code imports. The stub of this module (`.pyi`) lists them.

The module of a name is loaded when the name is first used. Checks therefore do not load pydantic, and the index of a
package does not load its checks.
"""

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
