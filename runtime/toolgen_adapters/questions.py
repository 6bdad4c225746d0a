"""Ask the user for a missing value (`ask=True`), with a form of MCP's elicitation or as data for a
framework's interruption.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_adapters.call import Call
from toolgen_adapters.checks import has_no_session
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.user_question import Action, UserQuestion

KEY = "toolgen"
"""The key of the question among the `inputRequests` of a result, and in the data of an interruption."""
_ACTIONS = ("accept", "decline", "cancel")


def can_ask(context: Any) -> bool:
    """Return whether the client of a request has declared that it can show the user a form."""
    session = getattr(context, "session", None)
    begun = getattr(session, "client_params", None)
    capabilities = getattr(session, "client_capabilities", None) or getattr(begun, "capabilities", None)
    declared = getattr(capabilities, "elicitation", None)
    if declared is None:
        return False
    modes = declared.model_dump(exclude_none=True)
    return not modes or "form" in modes  # a form is the default mode


async def elicit(call: Call, question: UserQuestion, context: Any, responses: Any) -> Any:
    """Let the client ask the user about a call, and continue the call with the user's response.

    Args:
        call: the call, which is accepted or rejected afterwards.
        question: the question of the call.
        context: the context of the request.
        responses: the `inputResponses` of the request.

    Returns:
        The result that contains the question, for a client without a session, which then calls again. None if the call
        continues.
    """
    if has_no_session(context):
        given = (responses or {}).get(KEY)
        if given is None:
            return _input_required(question)
    else:
        try:
            given = await context.session.elicit(question.message, question.schema, context.request_id)
        except Exception:  # the client cannot ask after all
            call.reject()
            return None
    call.answered(given.action, given.content)
    return None


def _input_required(question: UserQuestion) -> Any:
    from mcp import types

    params = {"mode": "form", "message": question.message, "requestedSchema": question.schema}
    request = {"method": "elicitation/create", "params": params}
    return types.InputRequiredResult.model_validate({"inputRequests": {KEY: request}})


def as_data(question: UserQuestion) -> dict[str, Any]:
    """Convert a question to JSON, for an application that shows the form and may continue in another process."""
    output = question.output
    return {
        "message": question.message,
        "schema": question.schema,
        "tool": output.tool,
        "arguments": output.payload,
        "path": [*question.path],
        "field": question.field,
    }


def from_data(data: Mapping[str, Any]) -> UserQuestion:
    """Convert the data from `as_data` back to a question."""
    output = ToolOutput(data["tool"], payload=data["arguments"])
    return UserQuestion(output, tuple(data["path"]), data["field"], data["message"], data["schema"])


def answer_of(question: UserQuestion, given: Any) -> tuple[Action, Any]:
    """Return what the user did with the form, and its content.

    Args:
        question: the question.
        given: the result of an elicitation (`{"action": "accept", "content": {...}}`); only the content; only the
            value; or None if the user closed the question.
    """
    if given is None:
        return "cancel", None
    if not isinstance(given, Mapping):
        return "accept", {question.key: given}
    if given.get("action") in _ACTIONS:
        return given["action"], given.get("content")
    return "accept", given
