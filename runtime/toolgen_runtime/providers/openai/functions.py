"""`functions` and `function_call`, the deprecated members of a request for tools, as `tools` and `tool_choice`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_tools(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request, or its tools block, with its functions as tools; one that has tools as it is.

    https://platform.openai.com/docs/api-reference/chat/create, `functions`.
    """
    functions = request.get("functions")
    if request.get("tools") is not None or not isinstance(functions, list | tuple):
        return dict(request)
    members = {key: value for key, value in request.items() if key not in ("functions", "function_call")}
    members["tools"] = [{"type": "function", "function": function} for function in functions]
    choice = request.get("function_call")
    if choice is not None:
        members["tool_choice"] = (
            {"type": "function", "function": choice} if isinstance(choice, Mapping) else choice
        )
    return members
