"""Ask the user for a value that only they can know, and continue the call with the response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.names import names_secret
from toolgen_runtime.hints.quoting import prose, shown
from toolgen_runtime.hints.retry_hint import RetryHint
from toolgen_runtime.validation.issues import key_text

if TYPE_CHECKING:
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.schema.node import Path, SchemaNode

Action = Literal["accept", "decline", "cancel"]
"""What the user did in response to the question (MCP 2025-11-25, client/elicitation, "Response Actions")."""
MAX_DESCRIPTION: Final = 300
_LIMITS: Final[dict[str, tuple[tuple[str, type | tuple[type, ...]], ...]]] = {
    "string": (("minLength", int), ("maxLength", int)),
    "integer": (("minimum", (int, float)), ("maximum", (int, float))),
    "number": (("minimum", (int, float)), ("maximum", (int, float))),
}
_FORMATS: Final = ("email", "uri", "date", "date-time")
"""The formats that a form may name (MCP 2025-11-25, client/elicitation, "Requested Schema")."""


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """A question to the user about one missing value of a call.

    `schema` is the JSON schema of a form with one field, in the form that MCP elicitation uses. Pass the user's
    response to `Conversation.answered`.
    """

    output: ToolOutput
    """The output of the rejected call."""
    path: Path
    """The path of the value in the arguments."""
    field: str
    """The same path in dotted form."""
    message: str
    schema: dict[str, Any]

    @property
    def key(self) -> str:
        """The key of the form field for the missing value."""
        return key_text(self.path[-1])

    def filled(self, content: Any) -> Any:
        """Return the arguments with the value from the form filled in."""
        if isinstance(content, dict):
            value = content.get(self.key)
        else:
            value = None
        return apply_edits(self.output.payload, [Edit("set", self.path, None, value)])

    def note(self, content: Any) -> str:
        """Return the line that tells the model what the user said."""
        return f"Note: the user was asked for {shown(self.field)} and gave {shown(content.get(self.key))}."

    def unanswered(self, action: Action) -> ToolOutput:
        """Return the output for a user who gave no value. It tells the model what to do next."""
        named = shown(self.field)
        if action == "decline":
            detail = (
                f"the user was asked for {named} and declined to give it. "
                "Do not ask again; go on without this call."
            )
        else:
            detail = (
                f"the user was asked for {named} and closed the question without an answer. "
                "Ask in your own words before you call it again, or go on without this call."
            )
        hint = RetryHint(
            tool=self.output.tool, reason="invalid_arguments", recovery="ask_user", detail=prose(detail, 400)
        )
        return replace(
            self.output, retry_hint=hint, recovery="give_up" if action == "decline" else "ask_user"
        )


def question_for(facts: SchemaFacts, output: ToolOutput) -> UserQuestion | None:
    """Return the question about the only missing value of a rejected call; None if anything else is wrong.

    The hint decides which values only the user can know. The question never asks for a secret.
    """
    hint = output.retry_hint
    if hint is None or output.executed or not isinstance(output.payload, dict) or hint.recovery == "give_up":
        return None
    message = hint.clarifying_question
    is_alone = len(hint.fields) == len(hint.missing) == 1 and not hint.omitted and not hint.edits
    if message is None or not is_alone:
        return None
    (missing,) = hint.missing
    node = facts.at(missing.path)
    name = missing.path[-1]
    if not isinstance(name, str) or node.secret or facts.names_secret(name) or names_secret(name):
        return None  # a form must not ask for secrets (MCP 2025-11-25, client/elicitation, "Security Considerations")
    form = {
        "type": "object",
        "properties": {name: _field_schema(node)},
        "required": [name],
    }
    return UserQuestion(output, missing.path, missing.field, message, form)


def _field_schema(node: SchemaNode) -> dict[str, Any]:
    """Return the field's own schema, reduced to the keywords that a form may have."""
    kind = next((name for name in ("string", "integer", "number") if name in node.types), "string")
    field: dict[str, Any] = {"type": kind}
    for keyword in ("title", "description"):
        if text := node.first(keyword, str):
            field[keyword] = prose(text, MAX_DESCRIPTION)
    if kind == "string" and (name := node.first("format", str)) in _FORMATS:
        field["format"] = name
    for keyword, types in _LIMITS[kind]:
        if (limit := node.first(keyword, types)) is not None:
            field[keyword] = limit
    return field
