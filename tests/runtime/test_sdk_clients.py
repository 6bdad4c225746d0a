"""The real openai and anthropic clients against a local server of events, whole and cut at each event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread
from typing import Any

import pytest

from toolgen_runtime.providers import anthropic as anthropic_streams
from toolgen_runtime.providers import openai as openai_streams
from toolgen_runtime.providers import openai_responses as responses_streams
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Completed
from toolgen_runtime.transcript import Reasoning, Text, ToolCall, ToolResult, Transcript, Turn, check

openai = pytest.importorskip("openai", reason="openai is not installed: pip install 'toolgen[dev]'")
anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed: pip install 'toolgen[dev]'")

Event = dict[str, Any]
Block = Text | Reasoning | ToolCall


# A message as each provider streams it. Fragments are short so that every text comes in several.


def _pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def _chunk(delta: Event, finish: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat_events(blocks: list[Block]) -> Iterator[Event]:
    yield _chunk({"role": "assistant", "content": ""})
    calls = 0
    for block in blocks:
        if isinstance(block, ToolCall):
            start = {"index": calls, "id": block.id, "type": "function"}
            yield _chunk({"tool_calls": [start | {"function": {"name": block.name, "arguments": ""}}]})
            for piece in _pieces(json.dumps(block.input)):
                yield _chunk({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]})
            calls += 1
        else:
            key = "content" if isinstance(block, Text) else "reasoning_content"
            yield from (_chunk({key: piece}) for piece in _pieces(block.text))
    yield _chunk({}, "tool_calls" if calls else "stop")


def _claude_block(block: Block) -> tuple[Event, list[Event]]:
    match block:
        case ToolCall(id, name, arguments):
            start = {"type": "tool_use", "id": id, "name": name, "input": {}}
            return start, [
                {"type": "input_json_delta", "partial_json": p} for p in _pieces(json.dumps(arguments))
            ]
        case Text(text):
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in _pieces(text)]
        case Reasoning(text, signature):
            thoughts: list[Event] = [{"type": "thinking_delta", "thinking": p} for p in _pieces(text)]
            signed = {"type": "signature_delta", "signature": signature}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed]


def claude_events(blocks: list[Block]) -> Iterator[Event]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}}
    for index, block in enumerate(blocks):
        start, deltas = _claude_block(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if any(isinstance(block, ToolCall) for block in blocks) else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def _item(block: Block) -> tuple[Event, str, str]:
    """An output item when it is done, the kind of its deltas, their text."""
    match block:
        case ToolCall(id, name, arguments):
            written = json.dumps(arguments)
            item = {"type": "function_call", "call_id": id, "name": name, "arguments": written}
            return item, "response.function_call_arguments.delta", written
        case Text(text):
            part = {"type": "output_text", "text": text, "annotations": []}
            return (
                {"type": "message", "role": "assistant", "content": [part]},
                "response.output_text.delta",
                text,
            )
        case Reasoning(text):
            summary = {"type": "summary_text", "text": text}
            return {"type": "reasoning", "summary": [summary]}, "response.reasoning_summary_text.delta", text


def responses_events(blocks: list[Block]) -> Iterator[Event]:
    response = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [], "tools": []}
    response |= {"parallel_tool_calls": True, "tool_choice": "auto", "status": "in_progress"}
    yield {"type": "response.created", "response": response}
    for index, block in enumerate(blocks):
        item, kind, text = _item(block)
        at = {"output_index": index, "item_id": f"i{index}", "content_index": 0, "summary_index": 0}
        done = item | {"id": f"i{index}", "status": "completed"}
        started = {"arguments": "", "content": [], "summary": [], "status": "in_progress"}
        yield {"type": "response.output_item.added", "item": done | started, "output_index": index}
        yield from ({"type": kind, "delta": piece, **at} for piece in _pieces(text))
        yield {"type": "response.output_item.done", "item": done, "output_index": index}
    yield {"type": "response.completed", "response": response | {"status": "completed"}}


# The server: it answers every request with the next script, as server-sent events.


@dataclass
class EventServer:
    """`scripts` are used up in order; a script's bytes are sent as they are. `bodies` has what was asked."""

    scripts: list[bytes] = field(default_factory=list)
    bodies: list[Event] = field(default_factory=list)
    url: str = ""


def _handler(server: EventServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(server.scripts.pop(0))

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture(scope="module")
def server() -> Iterator[EventServer]:
    events = EventServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(events)) as http:
        events.url = f"http://127.0.0.1:{http.server_port}"
        Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield events
        http.shutdown()


def wire(events: list[Event], *, done: bool) -> list[bytes]:
    """The bytes of each event; `done` adds the line with which OpenAI ends a stream."""
    sent = []
    for number, event in enumerate(events):
        named = f"event: {event['type']}\n" if "type" in event else ""
        numbered = event | {"sequence_number": number} if "type" in event else event
        sent.append(f"{named}data: {json.dumps(numbered)}\n\n".encode())
    return [*sent, b"data: [DONE]\n\n"] if done else sent


# The clients.

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


@dataclass(frozen=True)
class Client:
    """How to ask a provider's client for a stream, and how the same message looks in its events."""

    provider: str
    history: str  # the request's member that holds the history
    open: Callable[..., Any]
    open_async: Callable[[str], Any]
    events: Callable[[list[Block]], Iterator[Event]]
    assembler: Callable[[], Assembler]
    done: bool = False


def _openai(url: str, kind: Any) -> Any:
    return kind(base_url=f"{url}/v1", api_key="fake", max_retries=0)


def _anthropic(url: str, kind: Any) -> Any:
    return kind(base_url=url, api_key="fake", max_retries=0)


ASK = [{"role": "user", "content": "How is the weather?"}]
CHAT = {"model": "m", "messages": ASK, "tools": [TOOL], "stream": True}
RESPONSES = {"model": "m", "input": "How is the weather?", "stream": True}
MESSAGES = {"model": "m", "messages": ASK, "max_tokens": 100, "stream": True}


CLIENTS = {
    "openai chat": Client(
        "openai",
        "messages",
        lambda url, **more: _openai(url, openai.OpenAI).chat.completions.create(**CHAT | more),
        lambda url: _openai(url, openai.AsyncOpenAI).chat.completions.create(**CHAT),
        chat_events,
        openai_streams.StreamAssembler,
        done=True,
    ),
    "openai responses": Client(
        "openai_responses",
        "input",
        lambda url, **more: _openai(url, openai.OpenAI).responses.create(**RESPONSES | more),
        lambda url: _openai(url, openai.AsyncOpenAI).responses.create(**RESPONSES),
        responses_events,
        responses_streams.StreamAssembler,
        done=True,
    ),
    "anthropic": Client(
        "anthropic",
        "messages",
        lambda url, **more: _anthropic(url, anthropic.Anthropic).messages.create(**MESSAGES | more),
        lambda url: _anthropic(url, anthropic.AsyncAnthropic).messages.create(**MESSAGES),
        claude_events,
        anthropic_streams.StreamAssembler,
    ),
}


def ask(server: EventServer, client: Client, script: list[bytes], **more: Any) -> Completed:
    server.scripts.append(b"".join(script))
    assembler = client.assembler()
    for _ in assembler.read(client.open(server.url, **more)):
        pass
    return assembler.finish()


PARIS = ToolCall("t1", "weather", {"city": "Paris"})
SCENARIOS: dict[str, list[Block]] = {
    "text only": [Text("It rains. Ünïcödé 🌧")],
    "one call": [Text("Let me look."), PARIS],
    "three parallel calls": [PARIS, ToolCall("t2", "weather", {"city": "Rome"}), ToolCall("t3", "ping", {})],
    "text and calls interleaved": [Text("First"), PARIS, Text(" then"), ToolCall("t2", "ping", {})],
    "thinking with tools": [Reasoning("The user asks.", "c2ln"), Text("So:"), PARIS],
}


def as_provider_orders(client: Client, blocks: list[Block]) -> list[Block]:
    """A chat completion has one text, before its calls, and no signatures; a response's summary has none."""
    if client.events is claude_events:
        return blocks
    unsigned = [Reasoning(b.text) if isinstance(b, Reasoning) else b for b in blocks]
    if client.events is responses_events:
        return unsigned
    calls = [b for b in unsigned if isinstance(b, ToolCall)]
    words = "".join(b.text for b in unsigned if isinstance(b, Text))
    return [*(b for b in unsigned if isinstance(b, Reasoning)), *([Text(words)] if words else []), *calls]


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
@pytest.mark.parametrize("blocks", SCENARIOS.values(), ids=SCENARIOS)
def test_scenarios(server: EventServer, client: Client, blocks: list[Block]) -> None:
    done = ask(server, client, wire(list(client.events(blocks)), done=client.done))
    assert list(done.turn().blocks) == as_provider_orders(client, blocks)
    assert not done.truncated
    assert all(made.ready for made in done.calls)


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_the_result_round_trip(server: EventServer, client: Client) -> None:
    """What was streamed goes back with its results, through the client, in a form that breaks no rule."""
    codec = import_module(f"toolgen_runtime.providers.{client.provider}")
    first = list(client.events(SCENARIOS["thinking with tools"]))
    done = ask(server, client, wire(first, done=client.done))
    question = Turn("user", (Text("How is the weather?"),))
    results = Turn("tool", (ToolResult("t1", (Text("grey"),), is_error=False, name="weather"),))
    sent = codec.encode_messages(Transcript((question, done.turn(), results))).messages
    assert check(sent, client.provider) == []
    answer = wire(list(client.events([Text("It is grey.")])), done=client.done)
    assert ask(server, client, answer, **{client.history: sent}).text == "It is grey."
    arrived = codec.decode_messages(server.bodies[-1])
    assert [c.id for turn in arrived for c in turn.calls] == ["t1"]
    assert [r.id for turn in arrived for r in turn.results] == ["t1"]


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_asynchronous_clients(server: EventServer, client: Client) -> None:
    async def run() -> Completed:
        assembler = client.assembler()
        async for _ in assembler.aread(await client.open_async(server.url)):
            pass
        return assembler.finish()

    blocks = SCENARIOS["one call"]
    server.scripts.append(b"".join(wire(list(client.events(blocks)), done=client.done)))
    assert list(asyncio.run(run()).turn().blocks) == blocks


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_stream_that_stops_after_any_event(server: EventServer, client: Client) -> None:
    script = wire(list(client.events(SCENARIOS["three parallel calls"])), done=False)
    for length in range(1, len(script) + 1):
        done = ask(server, client, script[:length])
        assert len(done.ready_calls) == (3 if length == len(script) else 0), length
        assert done.truncated == (length < len(script)), length


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_an_event_cut_in_the_middle(server: EventServer, client: Client) -> None:
    """Whatever the client makes of it (an exception, silence), no call is ready."""
    script = wire(list(client.events(SCENARIOS["one call"])), done=False)
    done = ask(server, client, [*script[:-1], script[-1][:-9]])
    assert done.truncated
    assert not done.ready_calls


def test_an_error_event_is_kept(server: EventServer) -> None:
    """The anthropic client raises it; a chat completion's error is raised by the openai client."""
    for name, error in (
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ("openai chat", {"error": {"code": "server_error", "message": "x"}}),
    ):
        client = CLIENTS[name]
        script = wire([*list(client.events(SCENARIOS["one call"]))[:-1], error], done=False)
        done = ask(server, client, script)
        assert done.error is not None
        assert "broke off" in done.why
        assert not done.ready_calls


def test_the_events_of_the_anthropic_stream_helper(server: EventServer) -> None:
    server.scripts.append(b"".join(wire(list(claude_events(SCENARIOS["thinking with tools"])), done=False)))
    assembler = anthropic_streams.StreamAssembler()
    client = _anthropic(server.url, anthropic.Anthropic)
    with client.messages.stream(model="m", messages=ASK, max_tokens=100) as stream:
        for _ in assembler.read(stream):
            pass
    assert list(assembler.finish().turn().blocks) == SCENARIOS["thinking with tools"]
