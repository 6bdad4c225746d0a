"""Two tools, a registry of them, and the two ways to call them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolgen import compile_tools
from toolgen_runtime import Registry, ToolOutput

TICKET = {
    "name": "create_ticket",
    "description": "Open a ticket.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "title": {"type": "string", "maxLength": 80, "description": "One-line summary."},
            "project_id": {"type": "integer"},
            "priority": {"enum": ["low", "high"]},
            "labels": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title", "project_id"],
        "additionalProperties": False,
    },
}
NOW = {"name": "now", "description": "The time.", "inputSchema": {"type": "object"}}
TOOLS = compile_tools({"tools": [TICKET, NOW]})
GOOD = {"title": "Login broken", "project_id": 7}
BAD = {"title": "Login broken", "project_id": "seven", "priority": "HIGH"}


def registry(**settings: Any) -> Registry:
    made = Registry(**settings)
    made.register(TOOLS)
    return made


def never(_: Any) -> Any:
    raise AssertionError("the handler must not run")


def facts(output: ToolOutput) -> tuple[str | None, bool, str | None]:
    return output.kind, output.executed, output.recovery


both = pytest.mark.parametrize("way", ["call", "acall"])


def run(
    way: str, name: Any, arguments: Any, handler: Any, *, call_id: Any = None, **settings: Any
) -> ToolOutput:
    """The same call by either way."""
    target = registry(**settings)
    if way == "call":
        return target.call(name, arguments, handler, call_id=call_id)
    return asyncio.run(target.acall(name, arguments, handler, call_id=call_id))
