"""The proxy over stdio between a client and a server that both send what is no message: calls still get answers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SERVER = r"""
import json, sys
TOOL = {"name": "a", "inputSchema": {"properties": {"x": {"type": "integer"}}, "required": ["x"]}}
JUNK = [b"\xff\xfe banner", b"[" * 100_000, b'{"a":' * 5000, b"x" * 1_000_000, b"", b"\0", b"5", b"[]", b"[1, 2]",
        b'{"jsonrpc": "2.0", "id": 99, "result": {"tools": "none"}}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "result": 5}']
for line in sys.stdin.buffer:
    try:
        message = json.loads(line)
    except Exception:
        continue
    if isinstance(message, dict) and "id" in message:
        if message["method"] == "initialize":
            sys.stdout.buffer.write(b"\n".join(JUNK) + b"\n")
        result = {"tools": [TOOL]} if message["method"] == "tools/list" else {"content": []}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.flush()
"""


def line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def call(number: Any, arguments: Any, name: Any = "a") -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


START = [
    line({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
    line({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
]
HEAD = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","arguments":'
JUNK = [
    *(b"\n", b"\0\n", b"\xff\xfe\n", b"[" * 200_000 + b"\n", HEAD + b'{"x":' * 5000 + b"\n", b"5\n", b"[]\n"),
    *(HEAD + b"[" * 150 + b"]" * 150 + b"}}\n", HEAD + b'{"x":' + b"9" * 5000 + b"}}}\n"),
    *(line(call(20, {"x": "y" * 1_000_000})), line(call({"a": [1]}, [])), line(call(None, 5, ["a"]))),
    *(line(call(21, {"\ud800": "\ud800"}, "\ud800")), line([call(22, {}), 5]), line(call(23, None, None))),
    line({"jsonrpc": "2.0", "id": 24, "method": 5, "params": [1]}),
    line({"jsonrpc": "2.0", "id": 25, "method": "tools/list", "params": {"cursor": {"x": 1}}}),
    line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": 1}}}),
    b'{"jsonrpc":"2.0","id":1e400,"method":"tools/call","params":{"name":"a"}}\n',
    b'{"id":17,"id":18,"method":"tools/call","params":{"name":"a"}}\n',
]
LAST = [line(call(98, {"x": "no"})), line(call(97, {"x": 1}))]


def proxy() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "toolgen", "proxy", "--", sys.executable, "-c", SERVER]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def test_junk_from_both_sides_holds_up_nothing() -> None:
    process = proxy()
    out, log = process.communicate(b"".join(START + JUNK + LAST), timeout=120)
    assert process.returncode == 0
    assert b"Traceback" not in log
    answers = {}
    for text in out.splitlines():
        message = json.loads(text) if text[:1] == b"{" and len(text) < 10_000 and text[:5] != b'{"a":' else {}
        answers[json.dumps(message.get("id"))] = message.get("result")
    assert answers["97"] == {"content": []}
    assert answers["98"]["isError"] is True
    assert "to an integer" in answers["98"]["content"][0]["text"]
