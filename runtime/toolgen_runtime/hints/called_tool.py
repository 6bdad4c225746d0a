"""What hints need to know about the tool that was called."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.redaction import Secrets
from toolgen_runtime.validation.tool import Tool


@dataclass(frozen=True, slots=True)
class CalledTool:
    """The tool that the model called, together with the facts about its schema."""

    name: str
    """The name as the model saw it."""
    tool: Tool[Any] | None
    facts: SchemaFacts
    secrets: Secrets | None = None
    """The places of secrets in its payloads."""
    omits_null: bool = False
    """Whether null for an optional field certainly means that there is no value."""
    names: Collection[str] = ()
    """The names of all tools that the model may call."""

    @property
    def check(self) -> Callable[[Any], list[ValidationIssue]] | None:
        """The tool's check, or None if there is no tool. The check wraps each secret value of an issue in a
        `Secret`.
        """
        tool = self.tool
        if tool is None:
            return None
        if self.secrets is None:
            return tool.validate
        return lambda payload: self.concealed(tool.validate(payload), payload)

    def concealed(self, issues: list[ValidationIssue], payload: Any) -> list[ValidationIssue]:
        """Return the issues with each secret value wrapped in a `Secret`."""
        if self.secrets is None:
            return issues
        return self.secrets.conceal(issues, payload)
