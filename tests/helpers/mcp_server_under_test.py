"""An MCP server over stdio, of the standard library alone: pages, hangs, prints garbage, exits, as it is told.

`python mcp_server_under_test.py MODE`; modes are those of `MODES`, or the result of `tools/list` as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "name": "write_note",
        "title": "Write a note",
        "description": "Write a note.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "outputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "annotations": {"readOnlyHint": False, "idempotentHint": False},
    },
    {"name": "list_notes", "description": "List the notes.", "inputSchema": {"type": "object"}},
    {"name": "a_note", "description": "Résumé ☃.", "inputSchema": {"type": "object"}},
]
MODES = (
    "plain",
    "pages",
    "endless",
    "the same cursor",
    "none",
    "hangs",
    "exits",
    "garbage",
    "noise",
    "secret",
    "no tools method",
    "changes",
    "asks",
    "exits at call",
    "stays",
    "has infinity",
)
LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
COUNT: dict[str, Any] = {
    "name": "count",
    "inputSchema": {
        "type": "object",
        "properties": {"limit": {"type": "integer", "minimum": 1}, "note": {"type": "string"}},
        "required": ["limit"],
    },
}


def answer(mode: str, message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None where there is no such method."""
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "notes", "version": "1"}
        if mode.startswith("{"):
            info = json.loads(mode).get("serverInfo", info)
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "ping":
        return {}
    if method == "tools/call" and mode != "no tools method":
        return called(mode, message["params"])
    if method != "tools/list" or mode == "no tools method":
        return None
    return listed(mode, (message.get("params") or {}).get("cursor"))


def called(mode: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a call gives: the request's own parameters, as text."""
    if mode == "exits at call":
        sys.exit(3)
    if mode == "asks" and "requestState" not in params:
        asked = {"name": {"method": "elicitation/create", "params": {"message": "Which?"}}}
        return {"resultType": "input_required", "inputRequests": asked, "requestState": "s1"}
    if mode == "changes":
        COUNT["inputSchema"]["required"].append("note")
        print(json.dumps(LIST_CHANGED), flush=True)
    return {"content": [{"type": "text", "text": json.dumps(params)}], "isError": False}


def listed(mode: str, cursor: str | None) -> dict[str, Any]:
    at = int(cursor or 0)
    if mode.startswith("{"):
        return json.loads(mode)
    if mode == "the same cursor":
        return {"tools": TOOLS, "nextCursor": "1"}
    if mode == "none":
        return {"tools": []}
    if mode == "endless":
        time.sleep(0.002)
        return {"tools": [{**TOOLS[0], "name": f"t{at}"}], "nextCursor": str(at + 1)}
    if mode == "pages":
        page = {"tools": TOOLS[at : at + 1]}
        return {**page, "nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else page
    if mode == "secret":
        return {"tools": [{**TOOLS[0], "description": f"Saw {os.environ.get('NOTES_TOKEN', 'nothing')}."}]}
    if mode == "changes":
        return {"tools": [COUNT]}
    return {"tools": [*TOOLS, COUNT] if mode in ("asks", "stays", "exits at call") else TOOLS}


def main(mode: str) -> None:
    if mode == "exits":
        print("the database is locked", file=sys.stderr)
        sys.exit(3)
    if mode == "hangs":
        time.sleep(600)
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            print(
                json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": line[:20]}}),
                flush=True,
            )
            continue
        if isinstance(message, list):
            print(
                json.dumps([{"jsonrpc": "2.0", "id": m["id"], "result": answer(mode, m)} for m in message]),
                flush=True,
            )
            continue
        if message.get("method", "").startswith("echo/"):
            print(line, end="", flush=True)  # byte for byte
            continue
        if mode == "garbage":
            print("<html>no</html>", flush=True)
            sys.exit(0)
        if mode == "noise":
            print("starting up...", flush=True)
        if "id" not in message:
            continue
        if message.get("method") == "hang":
            continue
        result = answer(mode, message)
        error = {"code": -32601, "message": "Method not found"}
        body = {"error": error} if result is None else {"result": result}
        line = json.dumps({"jsonrpc": "2.0", "id": message["id"], **body})
        print(
            line.replace('"object"', '"object", "x": 1e999') if mode == "has infinity" else line, flush=True
        )
    if mode == "stays":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
