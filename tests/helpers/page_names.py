"""What the code of a page finds there already: what its text speaks of before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.support import TEST_DATA, JsonObject, read_json
from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry

TICKET = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "project_id"],
    "properties": {
        "title": {"type": "string", "maxLength": 80, "description": "One-line summary."},
        "project_id": {"type": "integer", "description": "Numeric project id from list_projects."},
        "priority": {"enum": ["low", "medium", "high"]},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
}
ROW = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sku", "qty"],
    "properties": {
        "sku": {"type": "string"},
        "qty": {"type": "integer", "minimum": 1},
        "unit": {"enum": ["pcs", "kg"]},
    },
}
ROWS = {
    "type": "object",
    "required": ["rows", "warehouse"],
    "properties": {"rows": {"type": "array", "items": ROW}, "warehouse": {"type": "string"}},
}
PAY = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}


class Session:
    """What an MCP client offers: a list of tools, and their calls."""

    def __init__(self, *tools: JsonObject) -> None:
        self.tools = list(tools)

    async def list_tools(self) -> Any:
        from mcp.types import ListToolsResult, Tool

        return ListToolsResult(tools=[Tool(**tool) for tool in self.tools])

    async def call_tool(self, name: str, arguments: Any, *more: Any, **options: Any) -> Any:
        from mcp.types import CallToolResult, TextContent

        return CallToolResult(content=[TextContent(type="text", text=f"{name} ran")])


def tool(name: str, schema: JsonObject) -> JsonObject:
    return {"name": name, "inputSchema": schema}


def hints() -> JsonObject:
    payload = {"name": "Login broken on Safari", "priority": "HIGH", "labels": '["auth","safari"]'}
    rows = {"rows": [{"sku": f"a{i}", "quantity": 5, "unit": "PCS"} for i in range(30)]}
    toolset = compile_tools([tool("create_ticket", TICKET), tool("add_rows", ROWS)])
    return {"toolset": toolset, "payload": payload, "rows": rows}


def calls() -> JsonObject:
    names: JsonObject = {
        "arguments": {"project": "OPS", "title": "Login broken"},
        "handler": lambda payload: "created",
    }

    async def handler(payload: JsonObject) -> str:
        return "created"

    async def retry(answers: Any, state: Any) -> JsonObject:
        return {"content": [{"type": "text", "text": "done"}]}

    conversation = Conversation([tool("pay", PAY)])
    return names | {
        "name": "create_issue",
        "handler": handler,
        "call_id": "call_1",
        "session": Session(tool("create_issue", TICKET), tool("pay", PAY)),
        "retry": retry,
        "answers": {},
        "error": TimeoutError("no answer"),
        "checked": conversation.check("pay", {"amount": 5}),
        "conversation": conversation,
    }


class Client:
    """A Bedrock client that answers once, with a call."""

    def converse(self, **request: Any) -> JsonObject:
        use = {"toolUse": {"toolUseId": "t1", "name": "pay", "input": {"amount": 5}}}
        return {
            "output": {"message": {"role": "assistant", "content": [use]}},
            "stopReason": "tool_use",
            "usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7},
        }

    def converse_stream(self, **request: Any) -> JsonObject:
        from toolgen_transcripts.testing import call, stream_events

        return {"stream": iter(stream_events([call("t1", "pay", {"amount": 5})], "tool_use"))}


def providers() -> JsonObject:
    from toolgen_transcripts import bedrock

    toolset = compile_tools([tool("pay", PAY)])
    registry = Registry()
    registry.register(toolset)
    messages = [{"role": "user", "content": [{"text": "Pay."}]}]
    return {
        "toolset": toolset,
        "registry": registry,
        "handler": lambda payload: "paid",
        "messages": messages,
        "model_id": "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "client": Client(),
        "request": {"modelId": "m", "messages": messages},
        "tool_config": bedrock.encode_tools(toolset),
        "openai_request": {"model": "m", "messages": [{"role": "user", "content": "Pay."}]},
    }


def streams() -> JsonObject:
    from toolgen_transcripts import Transcript

    names = providers()

    def run_agent(client: Any) -> None:
        schema = {"json": {"type": "object", "properties": {"city": {"type": "string"}}}}
        config = {"tools": [{"toolSpec": {"name": "get_weather", "inputSchema": schema}}]}
        client.converse(modelId=names["model_id"], messages=names["messages"], toolConfig=config)

    return names | {
        "codec": None,
        "show": lambda delta: None,
        "run_agent": run_agent,
        "history": Transcript(()),
    }


def diff() -> JsonObject:
    shutil.copytree("examples/specs", "specs")
    return {}


def audit() -> JsonObject:
    for name in ("calls.jsonl", "tools.json"):
        shutil.copy(TEST_DATA / "audit" / name, name)
    lines = Path("calls.jsonl").read_text("utf-8").splitlines()
    return {"specs": read_json("tools.json"), "partitions": [lines[:9], lines[9:]]}


def agents() -> JsonObject:
    import anthropic

    call = {"id": "a", "type": "function", "function": {"name": "pay", "arguments": '{"amount": 5}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    use = {"type": "tool_use", "id": "a", "name": "pay", "input": {"amount": 5}}
    return calls() | {
        "client": anthropic.Anthropic(api_key="none"),
        "request": {"model": "claude", "max_tokens": 100, "messages": [{"role": "user", "content": "Pay."}]},
        "response": {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]},
        "answer": {"role": "assistant", "content": [use], "stop_reason": "tool_use"},
        "toolset": compile_tools([tool("pay", PAY)]),
        "pay": lambda payload: "paid",
        "name": "pay",
        "arguments": {"amount": "5"},
        "tools": compile_tools([tool("pay", PAY)]),
        "handlers": {"pay": lambda payload: "paid"},
    }


NAMES: dict[str, Callable[[], JsonObject]] = {
    **{f"docs/frameworks/{name}.md": agents for name in ("anthropic", "loop", "mcp")},
    "docs/audit.md": audit,
    "docs/ci.md": diff,
    "docs/hints.md": hints,
    **{f"docs/{name}.md": calls for name in ("boundary", "calls/handlers")},
    **{f"docs/providers{name}.md": providers for name in ("", "/histories", "/switching")},
    "docs/streams.md": streams,
    "docs/guides/telemetry.md": providers,
}
"""By the path of the page."""
