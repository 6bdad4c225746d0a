"""The code of a framework's page runs, with the framework itself; its whole script is run by `test_<framework>`."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

FRAMEWORK = os.environ.get("TOOLGEN_FRAMEWORK", "")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks" / f"{FRAMEWORK.replace('_', '-')}.md"
BLOCK = re.compile(r"^(?: {4})?```python\n(?!--8<--)(.*?)^(?: {4})?```$", re.M | re.S)
"""A block, perhaps in a tab, whose lines are indented."""


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def fastmcp() -> dict[str, Any]:
    from fastmcp import FastMCP

    return {"mcp": FastMCP("shop")}


def pydantic_ai() -> dict[str, Any]:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.toolsets import FunctionToolset

    return {"Agent": Agent, "model": TestModel(), "server": FunctionToolset([pay])}


def langchain() -> dict[str, Any]:
    from langchain.agents import create_agent
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.tools import tool
    from langgraph.prebuilt import ToolNode

    model = FakeListChatModel(responses=["done"])
    return {"create_agent": create_agent, "ToolNode": ToolNode, "model": model, "tools": [tool(pay)]}


def openai_agents() -> dict[str, Any]:
    from agents import Agent, RunConfig, function_tool
    from agents.mcp import MCPServerStdio

    tool = function_tool(pay)
    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    return {
        "Agent": Agent,
        "RunConfig": RunConfig,
        "MCPServerStdio": MCPServerStdio,
        "pay": tool,
        "tools": [{"name": "pay", "inputSchema": schema}],
        "params": {"command": "your-server"},
        "result": type("Result", (), {"tool_input_guardrail_results": ()}),
    }


def strands() -> dict[str, Any]:
    from strands import Agent, tool
    from test_strands import Script

    return {"Agent": Agent, "model": Script([("pay", '{"amount": "five"}')]), "tools": [tool(pay)]}


NAMES: dict[str, Callable[[], dict[str, Any]]] = {
    each.__name__: each for each in (fastmcp, pydantic_ai, langchain, openai_agents, strands)
}
"""What the code finds there already. The pages of the others are run with the rest of the documentation."""


@pytest.mark.skipif(FRAMEWORK not in NAMES, reason="its page is run with the rest of the documentation")
def test_the_code_of_the_page_runs() -> None:
    names = NAMES[FRAMEWORK]()
    blocks = [dedent(block) for block in BLOCK.findall(PAGE.read_text("utf-8"))]
    assert blocks
    for block in blocks:
        made = eval(compile(block, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(made):
            asyncio.run(made)
