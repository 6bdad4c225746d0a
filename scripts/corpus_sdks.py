"""The providers' own SDKs, reading a response or a stream from a server on 127.0.0.1.

boto3 and google-genai return a stream piece by piece; the pieces are joined as their documentation describes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from corpus_files import Row

from toolgen_transcripts.testing import FakeBedrock, Reply


def reading(text: str, reasoning: str, calls: Iterable[tuple[str | None, str, Any]], stop: object) -> Row:
    """Return the reading of a message: its text, its reasoning, its calls and its stop reason."""
    listed = [[id, name, given] for id, name, given in calls]
    return {"text": text, "reasoning": reasoning, "calls": listed, "stop": getattr(stop, "value", stop)}


def _wired(value: Any) -> Any:
    """Return a value in the form in which it is sent: bytes as base64."""
    if isinstance(value, Mapping):
        return {key: _wired(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_wired(item) for item in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


@contextmanager
def _serving(row: Row, *, named: bool = False, end: str = "") -> Iterator[str]:
    """Yield the URL of a server that answers with a row; `named` events have names, as in some APIs."""
    events = row.get("events")
    if events is None:
        body, kind = json.dumps(row["response"]), "application/json"
    else:
        lines = (
            (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
            for event in events
        )
        body, kind = "".join(lines) + end, "text/event-stream"

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def _anthropic(row: Row) -> Row:
    import anthropic

    with _serving(row, named=True) as url:
        messages = anthropic.Anthropic(base_url=url, api_key="fake", max_retries=0).messages
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}]}
        if "events" in row:
            with messages.stream(**asked) as stream:
                message: Any = stream.get_final_message()
        else:
            message = messages.create(**asked)
    blocks = message.content
    return reading(
        "".join(block.text for block in blocks if block.type == "text"),
        "".join(block.thinking for block in blocks if block.type == "thinking"),
        ((block.id, block.name, block.input) for block in blocks if block.type == "tool_use"),
        message.stop_reason,
    )


def _openai(row: Row) -> Row:
    import openai

    with _serving(row, end="data: [DONE]\n\n") as url:
        completions = openai.OpenAI(base_url=url, api_key="fake", max_retries=0).chat.completions
        asked: Any = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
        if "events" in row:
            from openai.lib.streaming.chat import ChatCompletionStreamState

            state = ChatCompletionStreamState()
            for chunk in completions.create(**asked, stream=True):
                state.handle_chunk(chunk)
            choice: Any = state.current_completion_snapshot.choices[0]
        else:
            choice = completions.create(**asked).choices[0]
    message, calls = choice.message, choice.message.tool_calls or []
    return reading(
        (message.content or "") + (message.refusal or ""),
        getattr(message, "reasoning_content", None) or "",
        (
            (call.id, call.custom.name, call.custom.input)
            if call.type == "custom"
            else (call.id, call.function.name, json.loads(call.function.arguments or "{}"))
            for call in calls
        ),
        choice.finish_reason,
    )


def _responses(row: Row) -> Row:
    import openai

    with _serving(row, named=True) as url:
        responses = openai.OpenAI(base_url=url, api_key="fake", max_retries=0).responses
        if "events" in row:
            with responses.stream(model="m", input="q") as stream:
                last = [
                    event for event in stream if event.type in ("response.completed", "response.incomplete")
                ]
            response: Any = last[-1].response  # type: ignore[union-attr]
        else:
            response = responses.create(model="m", input="q")
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    thoughts = [part for item in response.output if item.type == "reasoning" for part in item.summary]
    why = response.incomplete_details and response.incomplete_details.reason
    return reading(
        "".join(part.refusal if part.type == "refusal" else part.text for part in parts),
        "".join(part.text for part in thoughts),
        (
            (item.call_id, item.name, item.input)
            if item.type == "custom_tool_call"
            else (
                item.call_id,
                ".".join(filter(None, (item.namespace, item.name))),
                json.loads(item.arguments),
            )
            for item in response.output
            if item.type in ("function_call", "custom_tool_call")
        ),
        why or response.status,
    )


def _gemini(row: Row) -> Row:
    from google import genai

    with _serving(row) as url:
        client = genai.Client(
            api_key="fake", http_options={"base_url": url}
        )  # closed with its last reference
        models = client.models
        if "events" in row:
            answers: list[Any] = list(models.generate_content_stream(model="m", contents="q"))
        else:
            answers = [models.generate_content(model="m", contents="q")]
    parts = [part for answer in answers for part in answer.candidates[0].content.parts]
    texts = [part for part in parts if part.text]
    return reading(
        "".join(part.text for part in texts if not part.thought),
        "".join(part.text for part in texts if part.thought),
        (
            (part.function_call.id, part.function_call.name, part.function_call.args)
            for part in parts
            if part.function_call
        ),
        answers[-1].candidates[0].finish_reason,
    )


def _bedrock(row: Row) -> Row:
    import boto3
    from botocore.config import Config

    wired = _wired(row)
    reply = Reply(events=wired["events"]) if "events" in row else Reply(body=wired["response"])
    with FakeBedrock(reply, enforce=False) as bedrock:
        client: Any = boto3.client("bedrock-runtime", config=Config(proxies={}), **bedrock.client_options)
        asked = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "q"}]}]}
        if "events" in row:
            content, stop = _joined(list(client.converse_stream(**asked)["stream"]))
        else:
            response = client.converse(**asked)
            content, stop = response["output"]["message"]["content"], response["stopReason"]
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    thoughts = [
        block["reasoningContent"].get("reasoningText", {}) for block in content if "reasoningContent" in block
    ]
    cited = [block.get("citationsContent", {}).get("content", []) for block in content]
    return reading(
        "".join(
            block.get("text", "") + "".join(part["text"] for part in parts)
            for block, parts in zip(content, cited, strict=True)
        ),
        "".join(thought.get("text", "") for thought in thoughts),
        ((use["toolUseId"], use["name"], use["input"]) for use in uses if "type" not in use),
        stop,
    )


def _joined(events: list[Row]) -> tuple[list[Row], str]:
    """Return the content blocks of a stream, and its stop reason."""
    blocks: dict[int, Row] = {}
    stop = ""
    for event in events:
        (kind, said), *_ = event.items()
        stop = said["stopReason"] if kind == "messageStop" else stop
        if kind == "contentBlockStart":
            blocks[said["contentBlockIndex"]] = {"toolUse": {**said["start"]["toolUse"], "input": ""}}
        if kind == "contentBlockDelta":
            block, delta = blocks.setdefault(said["contentBlockIndex"], {}), said["delta"]
            if "toolUse" in delta:
                block["toolUse"]["input"] += delta["toolUse"].get("input", "")
            if "text" in delta:
                block["text"] = block.get("text", "") + delta["text"]
            if "text" in delta.get("reasoningContent", {}):
                thought = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
                thought["text"] += delta["reasoningContent"]["text"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    return [blocks[index] for index in sorted(blocks)], stop


READ: dict[str, Callable[[Row], Row]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "openai": _openai,
    "openai_responses": _responses,
}
