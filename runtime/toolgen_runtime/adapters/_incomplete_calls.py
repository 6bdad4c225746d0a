"""Calls that may not be run, whatever their tool's schema says: they came cut off, malformed, or without an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.calls.errors import ToolErrorKind, ToolExecutionError
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue


def refuse(
    conversation: Conversation,
    name: str,
    arguments: Any,
    *,
    call_id: str | None = None,
    issues: Sequence[ValidationIssue] = (),
    problems: Sequence[str] = (),
) -> ToolOutput:
    """Count a call that may not be run, and return what to tell the model.

    A name that is not registered, or may not be called, is said before anything else; what is wrong with the
    arguments (`issues`) before what is wrong around them (`problems`).
    """
    registry = conversation.registry
    tool = registry.find(name)
    if tool is None or not registry.policy.allows(name):
        return conversation.returned(conversation.check(name, arguments, call_id=call_id))
    if issues:
        problem: Exception = InvalidPayload(tool.name, issues)
    else:
        kind, message = ToolErrorKind.INVALID_PARAMETERS, "; ".join(problems)
        problem = ToolExecutionError(kind, message, recovery="retry")
    secrets = registry.policy.secrets_of(tool)
    return conversation.returned(ToolOutput(name, call_id, secrets=secrets), problem)
