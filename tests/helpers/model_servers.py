"""Providers' APIs on 127.0.0.1 for their own clients: scripted answers of a model, each with some calls.

`WIRES` has one `Wire` a provider: how to ask it with its client, and how an answer and the results of its calls go
into the history.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Body = dict[str, Any]
Call = tuple[str, str, str]
"""The id, the tool's name, and the arguments as the model wrote them."""


@dataclass
class ModelServer:
    """`answers` are used up in order, one a request; `requests` has what was asked, `url` where it listens."""

    answers: list[Body] = field(default_factory=list)
    requests: list[Body] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(answer: Callable[[Body], tuple[str, str]]) -> Iterator[str]:
    """A server on 127.0.0.1, by its address: every POST is answered with a content type and a text."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kind, text = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server that answers every POST with the next answer, as JSON."""
    model = ModelServer()

    def answer(body: Body) -> tuple[str, str]:
        model.requests.append(body)
        return "application/json", json.dumps(model.answers.pop(0))

    with serving(answer) as model.url:
        yield model


def _message(text: str) -> Body:
    return {"role": "user", "content": text}


@dataclass(frozen=True)
class Wire:
    """One provider: `answer` writes a model's answer, `ask` sends a history, `reply` is the answer's own message.

    `text` says that arguments are texts on this wire; otherwise they are objects, and what is not JSON cannot come.
    `struct` says that they are a protobuf Struct: nothing but an object can come.
    `wrap` makes of results what goes into the history.
    """

    provider: str
    answer: Callable[[list[Call], bool], Body]
    ask: Callable[[str, list[Any]], Any]
    reply: Callable[[Any], list[Any]]
    wrap: Callable[[list[Any]], list[Any]] = list
    user: Callable[[str], Any] = _message
    text: bool = False
    struct: bool = False


def _stop(calls: list[Call], whole: bool, called: str, ended: str, cut: str) -> str:
    """Return the provider's word for why the model stopped."""
    if not whole:
        return cut
    return called if calls else ended


def _chat(calls: list[Call], whole: bool) -> Body:
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    said: Body = {"role": "assistant", "content": None if calls else "done"}
    stop = _stop(calls, whole, "tool_calls", "stop", "length")
    choice = {"index": 0, "finish_reason": stop, "message": said | ({"tool_calls": made} if calls else {})}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def _ask_chat(url: str, history: list[Any]) -> Any:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="fake", max_retries=0)
    return client.chat.completions.create(model="m", messages=history)


def _responses(calls: list[Call], whole: bool) -> Body:
    done: Body = {"status": "completed"}
    output: list[Body] = [
        {"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": n, "arguments": a, **done}
        for i, n, a in calls
    ]
    text = {"type": "output_text", "text": "done", "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "content": [text], **done}
    output = output or [said]
    body: Body = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": output}
    body |= {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    ended = {} if whole else {"incomplete_details": {"reason": "max_output_tokens"}}
    return body | ended | {"status": "completed" if whole else "incomplete"}


def _ask_responses(url: str, history: list[Any]) -> Any:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="fake", max_retries=0)
    return client.responses.create(model="m", input=history)


def _claude(calls: list[Call], whole: bool) -> Body:
    content: list[Body] = [
        {"type": "tool_use", "id": i, "name": n, "input": json.loads(a or "{}")} for i, n, a in calls
    ]
    stop = _stop(calls, whole, "tool_use", "end_turn", "max_tokens")
    body = {"id": "r", "type": "message", "role": "assistant", "model": "m", "stop_reason": stop}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return body | {"content": content or [{"type": "text", "text": "done"}], "usage": usage}


def _ask_claude(url: str, history: list[Any]) -> Any:
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="fake", max_retries=0)
    return client.messages.create(model="m", messages=history, max_tokens=100)


def _converse(calls: list[Call], whole: bool) -> Body:
    uses: list[Body] = [
        {"toolUse": {"toolUseId": i, "name": n, "input": json.loads(a or "{}")}} for i, n, a in calls
    ]
    stop = _stop(calls, whole, "tool_use", "end_turn", "max_tokens")
    message = {"role": "assistant", "content": uses or [{"text": "done"}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return {"output": {"message": message}, "stopReason": stop, "usage": usage, "metrics": {"latencyMs": 1}}


def _ask_bedrock(url: str, history: list[Any]) -> Any:
    import boto3

    keys = {"aws_access_key_id": "fake", "aws_secret_access_key": "fake"}
    client: Any = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1", **keys)
    return client.converse(modelId="m", messages=history)


def _gemini(calls: list[Call], whole: bool) -> Body:
    parts: list[Body] = [
        {"functionCall": {"id": i, "name": n, "args": json.loads(a or "{}")}} for i, n, a in calls
    ]
    content = {"role": "model", "parts": parts or [{"text": "done"}]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP" if whole else "MAX_TOKENS", "index": 0}]
    }


def _ask_gemini(url: str, history: list[Any]) -> Any:
    from google import genai

    client = genai.Client(api_key="fake", http_options={"base_url": url})
    return client.models.generate_content(model="m", contents=history)


def _interaction(calls: list[Call], whole: bool) -> Body:
    steps: list[Body] = [
        {"type": "function_call", "id": i, "name": n, "arguments": json.loads(a or "{}")} for i, n, a in calls
    ]
    said = [{"type": "model_output", "content": [{"type": "text", "text": "done"}]}]
    status = _stop(calls, whole, "requires_action", "completed", "incomplete")
    return {"id": "v1_x", "object": "interaction", "status": status, "steps": steps or said}


def _has_interactions() -> bool:
    """Return whether google-genai has the Interactions API, which its first versions lack."""
    try:
        from google import genai
    except ImportError:
        return False
    return hasattr(genai.Client, "interactions")


def _ask_interactions(url: str, history: list[Any]) -> Any:
    from google import genai

    client = genai.Client(api_key="fake", http_options={"base_url": url})
    return client.interactions.create(model="m", input=history)


WIRES = [
    Wire("openai", _chat, _ask_chat, lambda response: [response.choices[0].message], text=True),
    Wire("openai_responses", _responses, _ask_responses, lambda response: response.output, text=True),
    Wire(
        "anthropic",
        _claude,
        _ask_claude,
        lambda response: [{"role": "assistant", "content": response.content}],
        lambda results: [{"role": "user", "content": results}],
    ),
    Wire(
        "bedrock",
        _converse,
        _ask_bedrock,
        lambda response: [response["output"]["message"]],
        lambda results: [{"role": "user", "content": results}],
        lambda text: {"role": "user", "content": [{"text": text}]},
    ),
    Wire(
        "gemini",
        _gemini,
        _ask_gemini,
        lambda response: [response.candidates[0].content],
        lambda results: [{"role": "user", "parts": results}],
        lambda text: {"role": "user", "parts": [{"text": text}]},
        struct=True,
    ),
]
if _has_interactions():
    WIRES.append(
        Wire(
            "gemini_interactions",
            _interaction,
            _ask_interactions,
            lambda response: response.steps,
            user=lambda text: {"type": "user_input", "content": [{"type": "text", "text": text}]},
            struct=True,
        )
    )
