"""Make one wrong call of a tool of an MCP server, then N right ones, with the installed client: mcp 1.x or 2.x.

Reads `{"words", "tool", "right", "wrong", "calls"}` as JSON; prints the wrong call's text and the time of a call.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from typing import Any

from mcp import StdioServerParameters


async def talk(session: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Make the calls."""
    await session.list_tools()
    wrong = await session.call_tool(given["tool"], given["wrong"])
    times, failed = [], 0
    for _ in range(given["calls"]):
        started = time.perf_counter()
        result = await session.call_tool(given["tool"], given["right"])
        times.append((time.perf_counter() - started) * 1e3)
        failed += is_error(result)
    text = " ".join(part.text for part in wrong.content if part.type == "text")
    return {"refused": is_error(wrong), "text": text, "median": statistics.median(times), "failed": failed}


def is_error(result: Any) -> bool:
    """Return the value of `isError` in 1.x or of `is_error` in 2.x."""
    return bool(getattr(result, "is_error", None) or getattr(result, "isError", None))


async def main(given: dict[str, Any]) -> dict[str, Any]:
    """Connect and make the calls."""
    command, *words = given["words"]
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ))
    try:
        from mcp import Client
    except ImportError:
        from mcp import ClientSession
        from mcp.client.stdio import stdio_client

        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await talk(session, given)
    async with Client(server) as client:
        return await talk(client, given)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
