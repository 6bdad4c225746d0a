"""The neutral transcript, and the rules that keep a provider's history acceptable.

`check`, `repair`, `explain_provider_error`, `structure` and `log_structure` are loaded when they are asked
for: they need the provider's codec, which needs the messages here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

if TYPE_CHECKING:
    from toolgen_runtime.transcript.checking import check
    from toolgen_runtime.transcript.outline import log_structure, structure
    from toolgen_runtime.transcript.repairing import Repaired, repair
    from toolgen_runtime.transcript.repairs.draft import Change
    from toolgen_runtime.transcript.request import UNSET, Violation
    from toolgen_runtime.transcript.rules import Rule, explain_provider_error
    from toolgen_runtime.transcript.ruletable import RULES

__all__ = [
    "RULES",
    "UNSET",
    "Block",
    "Change",
    "Json",
    "Media",
    "Opaque",
    "Reasoning",
    "Repaired",
    "Role",
    "Rule",
    "Source",
    "Text",
    "ToolCall",
    "ToolResult",
    "Transcript",
    "Turn",
    "Violation",
    "check",
    "explain_provider_error",
    "log_structure",
    "repair",
    "structure",
]

_LATER = {
    "RULES": "ruletable",
    "UNSET": "request",
    "Change": "repairs.draft",
    "Repaired": "repairing",
    "Rule": "rules",
    "Violation": "request",
    "check": "checking",
    "explain_provider_error": "rules",
    "log_structure": "outline",
    "repair": "repairing",
    "structure": "outline",
}


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{module}"), name)
