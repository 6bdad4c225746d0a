"""Find out what is wrong with a payload, as `toolgen explain` prints it."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.repair import repair
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.toolset import Toolset


def explain(toolset: Toolset, name: str, text: bytes) -> dict[str, Any]:
    """Return, as JSON values, what is wrong with the text of a payload, and the hint. A valid payload has no
    hint.

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
