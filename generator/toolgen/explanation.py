"""`explain`: what is wrong with one payload, as `toolgen explain` prints it and the page of `toolgen docs` shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolgen_runtime.hints.repair import repair
from toolgen_runtime.hints.retry_hint import RetryHint
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.toolset import Toolset


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is said of a payload; of a valid one there are no issues and no hint."""

    issues: tuple[ValidationIssue, ...] = ()
    hint: RetryHint | None = None
    was_repaired: bool = False
    repaired: Any = None
    """What repair makes of the payload, where it changes anything."""

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON."""
        said: dict[str, Any] = {"valid": self.hint is None, "issues": [i.to_dict() for i in self.issues]}
        if self.hint is not None:
            said |= {"hint": self.hint.render(), "hint_fields": self.hint.to_dict()}
        return said | ({"repaired": self.repaired} if self.was_repaired else {})


def explain(toolset: Toolset, name: str, text: bytes) -> Explanation:
    """Return what is wrong with the JSON text of a payload.

    Raises:
        KeyError: there is no such tool.
    """
    tool = toolset[name]
    payload, issues = read(text)
    if issues:
        payload = text.decode("utf-8", "replace")
    else:
        issues = tool.validate(payload)
    if not issues:
        return Explanation()
    registry = Registry()
    registry.register(toolset)
    repaired = repair(tool, payload)
    hint = registry.hint(name, issues, payload=payload)
    return Explanation(tuple(issues), hint, bool(repaired.changes), repaired.payload)
