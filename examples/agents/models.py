"""A script that replaces a model: a server on 127.0.0.1 that answers like OpenAI's and Anthropic's APIs."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

WRONG = ("create_issue", '{"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}')
CUT_OFF = ("create_issue", '{"title": "Login is broken", "priority": "high", "lab')
RIGHT = ("create_issue", '{"title": "Login is broken", "priority": "high", "labels": ["auth"]}')


def openai(turn: int, calls: list[tuple[str, str]]) -> dict[str, Any]:
    made = [
        {"id": f"call_{turn}_{i}", "type": "function", "function": {"name": name, "arguments": text}}
        for i, (name, text) in enumerate(calls)
    ]
    said: dict[str, Any] = {"role": "assistant", "content": None if calls else "done"} | (
        {"tool_calls": made} if calls else {}
    )
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": said}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "script", "choices": [choice]}


def anthropic(turn: int, calls: list[tuple[str, str]]) -> dict[str, Any]:
    uses = [
        {"type": "tool_use", "id": f"call_{turn}_{i}", "name": name, "input": json.loads(text)}
        for i, (name, text) in enumerate(calls)
    ]
    answer: dict[str, Any] = {"id": "r", "type": "message", "role": "assistant", "model": "script"}
    answer |= {"content": uses or [{"type": "text", "text": "done"}]}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return answer | {"stop_reason": "tool_use" if calls else "end_turn", "usage": usage}


def serve(write: Any, *turns: list[tuple[str, str]]) -> str:
    """Return the address of a model that makes these calls, turn by turn, and then ends.

    If your own server has no such tool, the model calls the first tool that it is offered.
    """
    answers, known = enumerate((*turns, [])), ["none"]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            names = [tool.get("function", tool)["name"] for tool in request.get("tools", [])]
            known[:] = names or known  # some clients send the tools only once
            turn, calls = next(answers)
            made = [(name if name in known else known[0], text) for name, text in calls]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(write(turn, made)).encode())

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=http.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{http.server_port}"
