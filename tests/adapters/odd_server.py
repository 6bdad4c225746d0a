"""An MCP server on stdio for what no public server does: awkward keys, tools that change, results that are errors.

It needs the standard library alone, so that it runs in every environment. `grow` replaces the tool `shape` by one
with another schema, adds `added`, and tells the client that the list has changed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

AWKWARD = ("self", "ctx", "config", "run_manager", "name", "args", "runtime", "tool_call_id")
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
PAGE = int(os.environ.get("ODD_PAGE", "3"))
"""How many tools a page of the list has."""
grown = False


def tools() -> list[dict[str, Any]]:
    keys = {key: {"type": "string"} for key in AWKWARD}
    integer, string = {"type": "integer"}, {"type": "string"}
    listed = [
        _tool("keys", keys, ["self", "ctx", "config", "run_manager", "name"]),
        _tool("open", {"title": string}, ["title"]),
        _tool("ping", {}, []),
        _tool("report", {"text": string}, ["text"]),
        _tool("picture", {}, []),
        _tool("grow", {}, []),
        _tool("shape", {"sides": string if grown else integer}, ["sides"]),
    ]
    return [*listed, _tool("added", {"count": integer}, ["count"])] if grown else listed


def _tool(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call: `ran NAME` and the arguments as they came, sorted; checks nothing itself."""
    global grown
    if name == "grow":
        grown = True
        send({"method": "notifications/tools/list_changed"})
    text = f"ran {name} {json.dumps(arguments, sort_keys=True)}"
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "_meta": {"odd": "kept"}}
    if name == "report":
        result["isError"] = True
        result["content"][0]["text"] = f"the report failed: {arguments.get('text')}"
    if name == "picture":
        result["content"].append({"type": "image", "data": "AAAA", "mimeType": "image/png"})
        result["structuredContent"] = {"pixels": 1}
    return result


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            asked = params.get("protocolVersion")
            return {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "odd", "version": "1"},
            }
        case "tools/list":
            begin = int(params.get("cursor") or 0)
            page: dict[str, Any] = {"tools": tools()[begin : begin + PAGE]}
            if begin + PAGE < len(tools()):
                page["nextCursor"] = str(begin + PAGE)
            return page
        case "tools/call":
            return call(params["name"], params.get("arguments") or {})
        case "ping":
            return {}
    return None


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request["method"], request.get("params") or {})
        if result is None:
            send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
        else:
            send({"id": request["id"], "result": result})


if __name__ == "__main__":
    main()
