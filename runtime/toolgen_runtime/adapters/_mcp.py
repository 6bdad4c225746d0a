"""What the two sides of MCP share: a refused call as a result, and a note beside a result."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.adapters._checks import facts
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.output import ToolOutput

with framework("mcp"):
    from mcp.types import CallToolResult, TextContent


def refusal(output: ToolOutput) -> CallToolResult:
    """Return the result of a call that was refused, flagged, with what a host may want to know in its `_meta`."""
    content = [{"type": "text", "text": output.text()}]
    return CallToolResult.model_validate(
        {"content": content, "isError": True, "_meta": {"toolgen": facts(output)}}
    )


def noted(result: Any, note: str) -> Any:
    """Return a result with a text more in its content, if there is anything to say."""
    if not note or not isinstance(result, CallToolResult):
        return result
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})
