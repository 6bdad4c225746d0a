"""What a host sees of the calls of an adapter: hooks, OpenTelemetry spans, the log. With a session of mcp."""

from __future__ import annotations

import asyncio
import runpy
import sys
from typing import Any

import pytest
from support import EXAMPLES, python

pytest.importorskip("mcp")

from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

from toolgen_runtime.adapters.mcp import checked

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
    assert [output.retry_hint is not None for output in ended] == [
        True,
        True,
        True,
        False,
        False,
    ]  # a tool that reports an error has said it
    assert "an integer" in ended[0].retry_hint.render()
    assert [(issue.tool, issue.issue.constraint) for issue in issues] == [
        ("pay", "type"),
        ("pay", "truncated"),
    ]


def test_a_run_has_a_span_for_each_call() -> None:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    hooks = runpy.run_path(str(EXAMPLES / "otel_hooks.py"))["ToolSpans"](provider.get_tracer("test"))
    make_calls(on_call=hooks.on_call, on_issue=hooks.on_issue)
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == [f"execute_tool {name}" for name, _ in CALLS]
    assert [span.attributes and span.attributes.get("error.type") for span in spans] == [
        "invalid_parameters",
        "invalid_parameters",
        "unknown_tool",
        "execution_error",
        None,
    ]
    assert [len(span.events) for span in spans] == [1, 1, 0, 0, 0]


EXAMPLE = str(EXAMPLES / "agents" / "mcp_agent.py")
SET_UP = f"""
import logging, runpy
logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=logging.WARNING)
runpy.run_path({EXAMPLE!r}, run_name="__main__")
"""


@pytest.mark.parametrize(
    ("command", "lines"), [([EXAMPLE], 0), (["-c", SET_UP], 3)], ids=["not set up", "set up"]
)
def test_a_failed_call_is_one_line_where_logging_is_set_up_and_else_none(
    command: list[str], lines: int
) -> None:
    if lines:  # `runpy` hands the arguments of its own on
        command = [*command, sys.executable, str(EXAMPLES / "agents" / "server.py")]
    done = python(*command)
    assert done.stdout.count("was not run") == 3
    said = done.stderr.splitlines()
    assert len(said) == lines, done.stderr
    assert all(line.startswith("WARNING toolgen_runtime.calls ") for line in said)
