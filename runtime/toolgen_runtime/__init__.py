"""Run time of generated packages: checks, issues, hints; standard library and pydantic only.

Every public name is imported from here; its module is loaded when the name is asked for, since a generated
package loads this one at its start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from toolgen_runtime.conversation import Conversation
    from toolgen_runtime.errors import (
        TOOL_ERROR_KIND_MEANINGS,
        MalformedCallError,
        MalformedResponseError,
        ToolErrorKind,
        ToolExecutionError,
    )
    from toolgen_runtime.hints import FieldHint, RetryHint, build_hint
    from toolgen_runtime.issues import MISSING, InvalidPayload, ValidationIssue
    from toolgen_runtime.output import ToolError, ToolOutput
    from toolgen_runtime.registry import Registry
    from toolgen_runtime.repairs import Repair, repair
    from toolgen_runtime.tool import Tool, Toolset, Toolsets
    from toolgen_runtime.turns import TurnLedger

__all__ = [
    "MISSING",
    "TOOL_ERROR_KIND_MEANINGS",
    "Conversation",
    "FieldHint",
    "InvalidPayload",
    "MalformedCallError",
    "MalformedResponseError",
    "Registry",
    "Repair",
    "RetryHint",
    "Tool",
    "ToolError",
    "ToolErrorKind",
    "ToolExecutionError",
    "ToolOutput",
    "Toolset",
    "Toolsets",
    "TurnLedger",
    "ValidationIssue",
    "build_hint",
    "repair",
]

_NAMES_BY_MODULE = {
    "conversation": ("Conversation",),
    "errors": (
        *("TOOL_ERROR_KIND_MEANINGS", "ToolErrorKind", "ToolExecutionError"),
        *("MalformedCallError", "MalformedResponseError"),
    ),
    "hints": ("FieldHint", "RetryHint", "build_hint"),
    "issues": ("MISSING", "InvalidPayload", "ValidationIssue"),
    "output": ("ToolError", "ToolOutput"),
    "registry": ("Registry",),
    "repairs": ("Repair", "repair"),
    "tool": ("Tool", "Toolset", "Toolsets"),
    "turns": ("TurnLedger",),
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
