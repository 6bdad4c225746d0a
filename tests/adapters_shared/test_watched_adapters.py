"""What the hooks of a host see of the calls of an adapter, with a session of mcp."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

from toolgen_adapters.mcp import checked

SCHEMA = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
CALLS: list[tuple[str, Any]] = [
    ("pay", {"amount": "three"}),
    ("pay", '{"amount": 3'),
    ("pya", {"amount": 3}),
    ("pay", {"amount": 0}),
    ("pay", {"amount": 3}),
]
"""Three that are refused, one that the tool refuses, one that runs."""


async def listed(context: Any, params: Any) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="pay", input_schema=SCHEMA)])


async def called(context: Any, params: Any) -> CallToolResult:
    amount = params.arguments["amount"]
    return CallToolResult(content=[TextContent(text=f"paid {amount}")], is_error=not amount)


def make_calls(**options: Any) -> None:
    async def main() -> None:
        async with Client(Server("s", on_list_tools=listed, on_call_tool=called)) as client:
            session = checked(client, **options)
            for name, arguments in CALLS:
                await session.call_tool(name, arguments)

    asyncio.run(main())


def test_hooks_see_each_call_once_with_its_issues_and_its_hint() -> None:
    started: list[Any] = []
    ended: list[Any] = []
    issues: list[Any] = []
    make_calls(on_call=lambda call: started.append(call) or ended.append, on_issue=issues.append)
    assert [call.tool for call in started] == [name for name, _ in CALLS]
    assert all(call.elsewhere for call in started)
    assert [(output.kind, output.executed) for output in ended] == [
        ("invalid_parameters", False),
        ("invalid_parameters", False),
        ("unknown_tool", False),
        ("execution_error", True),
        (None, True),
    ]
    hinted = [output.retry_hint is not None for output in ended]
    assert hinted == [True, True, True, False, False], "a tool that reports an error has said it"
    assert "an integer" in ended[0].retry_hint.render()
    assert [(issue.tool, issue.issue.constraint) for issue in issues] == [
        ("pay", "type"),
        ("pay", "truncated"),
    ]
