"""A call's result as the item that its kind of call wants."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.openai_responses.content import encode_media
from toolgen_runtime.providers.openai_responses.wire import OUTPUTS
from toolgen_runtime.providers.shared.messages.native import Native
from toolgen_runtime.transcript.messages import Json, Media, ToolResult


def special_result(result: ToolResult, text: str) -> Native | None:
    """Return the item for the result of a tool with a form of its own, None for any other."""
    failed = result.is_error is True
    match result.kind:
        case "shell":
            outcome = {"type": "exit", "exit_code": 1 if failed else 0}
            shown = {"stdout": "" if failed else text, "stderr": text if failed else "", "outcome": outcome}
            return {"type": OUTPUTS["shell"], "output": [shown]}
        case "local_shell":
            return {"type": OUTPUTS["local_shell"], "output": text}
        case "apply_patch":
            status = "failed" if failed else "completed"
            return {"type": OUTPUTS["apply_patch"], "status": status, "output": text}
        case "computer":
            return _screenshot(result)
        case "tool_search":
            tools: list[Any] = [b.value for b in result.content if isinstance(b, Json)]
            found = tools[0] if len(tools) == 1 and isinstance(tools[0], list) else tools
            return {"type": "tool_search_output", "execution": "client", "tools": found}
    return None


def _screenshot(result: ToolResult) -> Native | None:
    """Return the first image of a result; without one there is nothing to send."""
    image = next((b for b in result.content if isinstance(b, Media) and b.kind == "image"), None)
    part = encode_media(image) if image is not None else None
    if part is None:
        return None
    shown = {key: part[key] for key in ("image_url", "file_id") if key in part}
    return {"type": OUTPUTS["computer"], "output": {"type": "computer_screenshot", **shown}}
