"""`explain`: find what is wrong with a payload, and the hint for it. `toolgen explain` prints the result."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.repair import repair
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.toolset import Toolset


def explain(toolset: Toolset, name: str, text: bytes) -> dict[str, Any]:
    """Return, as JSON, what is wrong with a payload's JSON text. For a valid payload, there is no hint.

    Raises:
        KeyError: there is no tool with this name.
    """
    tool = toolset[name]
    payload, issues = read(text)
    if issues:
        payload = text.decode("utf-8", "replace")
    else:
        issues = tool.validate(payload)
    said: dict[str, Any] = {"valid": not issues, "issues": [issue.to_dict() for issue in issues]}
    if issues:
        registry = Registry()
        registry.register(toolset)
        repaired = repair(tool, payload)
        hint = registry.hint(name, issues, payload=payload)
        said |= {"hint": hint.render(), "hint_fields": hint.to_dict()}
        said |= {"repaired": repaired.payload} if repaired.changes else {}
    return said
