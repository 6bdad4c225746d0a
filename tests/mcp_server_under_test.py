"""An MCP server over stdio, of the standard library alone: pages, hangs, prints garbage, exits, as it is told.

`python mcp_server_under_test.py MODE`; modes are the keys of `MODES`.
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
    "none",
    "hangs",
    "exits",
    "garbage",
    "noise",
    "secret",
    "no tools method",
)


def answer(mode: str, message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None where there is no such method."""
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "notes", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "ping":
        return {}
    if method != "tools/list" or mode == "no tools method":
        return None
    return listed(mode, (message.get("params") or {}).get("cursor"))


def listed(mode: str, cursor: str | None) -> dict[str, Any]:
    at = int(cursor or 0)
    if mode == "none":
        return {"tools": []}
    if mode == "endless":
        return {"tools": [{**TOOLS[0], "name": f"t{at}"}], "nextCursor": str(at + 1)}
    if mode == "pages":
        page = {"tools": TOOLS[at : at + 1]}
        return {**page, "nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else page
    if mode == "secret":
        return {"tools": [{**TOOLS[0], "description": f"Saw {os.environ.get('NOTES_TOKEN', 'nothing')}."}]}
    return {"tools": TOOLS}


def main(mode: str) -> None:
    if mode == "exits":
        print("the database is locked", file=sys.stderr)
        sys.exit(3)
    if mode == "hangs":
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if mode == "garbage":
            print("<html>no</html>", flush=True)
            sys.exit(0)
        if mode == "noise":
            print("starting up...", flush=True)
        if "id" not in message:
            continue
        result = answer(mode, message)
        error = {"code": -32601, "message": "Method not found"}
        body = {"error": error} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
